package dispatch

import (
	"time"

	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/store"
)

// The functions in this file return the next state of an interaction. They do not modify their arguments.

// acknowledged returns an interaction after its first answer. arrived is when the answer began to arrive, now when it
// was read.
func acknowledged(i *store.Interaction, a *answer, arrived, now time.Time) (store.Interaction, error) {
	next := *i
	var err error
	if next.State, err = i.State.Acknowledge(a.Type, arrived, now); err != nil {
		return next, err
	}
	next.Due, next.Original, next.Modal = dueOf(next.State, false), a.original(i), a.modal
	return next, nil
}

// failed returns an interaction that ended without an answer.
func failed(i *store.Interaction) store.Interaction {
	next := *i
	next.State, next.Due = i.State.Fail(), time.Time{}
	return next
}

// followedUp returns an interaction after a follow-up, and whether the follow-up fills the loading response.
func followedUp(i *store.Interaction, now time.Time) (next store.Interaction, fills bool, err error) {
	next = *i
	next.State, fills, err = i.State.FollowUp(now)
	next.Due = dueOf(next.State, false)
	return next, fills, err
}

// originalEdited returns an interaction after an edit of the original response.
func originalEdited(i *store.Interaction, now time.Time) (next store.Interaction, err error) {
	next = *i
	next.State, err = i.State.EditOriginal(now)
	next.Due = dueOf(next.State, false)
	return next, err
}

// originalDeleted returns an interaction after the original response was deleted.
func originalDeleted(i *store.Interaction, now time.Time) (next store.Interaction, err error) {
	next = *i
	next.State, err = i.State.DeleteOriginal(now)
	return next, err
}

// expired returns an interaction after its deadlines up to now. busy means that an answer may be being read.
func expired(i *store.Interaction, now time.Time, busy bool) store.Interaction {
	next := *i
	next.State = i.State.At(now, busy)
	next.Due = dueOf(next.State, busy)
	return next
}

// dueOf returns the next deadline of an interaction: for its first answer, or for filling a deferred answer. It is zero
// when there is none.
func dueOf(s interaction.State, busy bool) time.Time {
	switch s.Status {
	case interaction.Pending, interaction.Deferred:
		due, _ := s.Due(busy)
		return due
	default:
		return time.Time{}
	}
}
