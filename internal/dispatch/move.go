package dispatch

import (
	"time"

	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/store"
)

// The functions in this file return what becomes of an interaction. They change nothing.

// zeroTime is the due time of an interaction that time alone does not change.
var zeroTime time.Time

// acknowledge returns an interaction after its first answer, which arrived at one time and has been read by now.
func acknowledge(i *store.Interaction, a *answer, arrived, now time.Time) (store.Interaction, error) {
	next := *i
	var err error
	if next.State, err = i.State.Acknowledge(a.Type, arrived, now); err != nil {
		return next, err
	}
	next.Due, next.Original, next.Modal = dueOf(next.State, false), a.original(i), a.modal
	return next, nil
}

// fail returns an interaction that ended without an answer.
func fail(i *store.Interaction) store.Interaction {
	next := *i
	next.State, next.Due = i.State.Fail(), zeroTime
	return next
}

// followUp returns an interaction after a follow-up, and whether that fills the answer that is loading.
func followUp(i *store.Interaction, now time.Time) (next store.Interaction, fills bool, err error) {
	next = *i
	next.State, fills, err = i.State.FollowUp(now)
	next.Due = dueOf(next.State, false)
	return next, fills, err
}

// editOriginal returns an interaction after its first answer was edited.
func editOriginal(i *store.Interaction, now time.Time) (next store.Interaction, err error) {
	next = *i
	next.State, err = i.State.EditOriginal(now)
	next.Due = dueOf(next.State, false)
	return next, err
}

// deleteOriginal returns an interaction after its first answer was deleted.
func deleteOriginal(i *store.Interaction, now time.Time) (next store.Interaction, err error) {
	next = *i
	next.State, err = i.State.DeleteOriginal(now)
	return next, err
}

// at returns an interaction as time alone has changed it. busy says that an answer may be being read.
func at(i *store.Interaction, now time.Time, busy bool) store.Interaction {
	next := *i
	next.State = i.State.At(now, busy)
	next.Due = dueOf(next.State, busy)
	return next
}

// dueOf returns when time alone changes something about an interaction that has to be looked at: the first answer is
// missing, or the promise of one was not kept.
func dueOf(s interaction.State, busy bool) time.Time {
	switch s.Status {
	case interaction.Pending, interaction.Deferred:
		due, _ := s.Due(busy)
		return due
	default:
		return zeroTime
	}
}
