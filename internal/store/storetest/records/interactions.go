package records

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/snowflake"
)

var interactionRules = []check.Rule{
	{Name: "an interaction is kept with every field", Run: interactionRecord},
	{Name: "an interaction is made once", Run: interactionOnce},
	{Name: "an interaction moves from the revision before alone", Run: interactionMoves},
	{Name: "the interactions that are due first come first", Run: interactionsDue},
	{Name: "old interactions go, those that are due stay", Run: interactionsGo},
	{Name: "an activity is kept until it is old", Run: activityRecord},
	{Name: "clear takes interactions, messages and activities", Run: interactionsClear},
}

// fullInteraction is an interaction with everything set.
func fullInteraction(id snowflake.Interaction) store.Interaction {
	return store.Interaction{
		ID: id, Application: 100, User: 200, Hash: store.TokenHash{1, 2, 3},
		Origin: store.Origin{
			Type: interaction.ModalSubmit, Channel: 310, Guild: 300, Session: "session", Nonce: "nonce", Locale: "de",
			Owners: store.Owners{User: 200}, Command: command.ChatInput, Path: "deploy start", Component: 7,
			TargetUser: 201, TargetMessage: 8, Focus: command.Integer, Private: true, NoLaunch: interaction.ReasonNotEmbedded,
			Posted: true, Triggering: &store.Metadata{ID: 5, Type: interaction.ApplicationCommand, User: 200},
		},
		Revision: 3, Original: 9, Modal: []byte(`{"custom_id":"m"}`), Due: check.Noon,
		State: interaction.State{
			Status: interaction.Deferred, Created: id.Time(), UserOnly: true, Answer: interaction.DeferredChannelMessage,
			FollowUps: 4, Deleted: true,
		},
	}
}

func bareInteraction(id snowflake.Interaction) store.Interaction {
	return store.Interaction{
		ID: id, Application: 100, User: 200, Revision: 1, State: interaction.State{Created: id.Time()},
		Origin: store.Origin{Type: interaction.ApplicationCommand, Channel: 310, Locale: "en-US"},
	}
}

func interactionOf(id snowflake.Interaction) func(store.Reader) (store.Interaction, error) {
	return check.By(store.Reader.Interaction, id)
}

func putInteractions(list ...store.Interaction) func(store.Tx) error {
	return check.Each(store.Tx.PutInteraction, list...)
}

func interactionRecord(t *testing.T, s store.Store) {
	check.Missing(t, s, interactionOf(1))
	check.Update(t, s, putInteractions(fullInteraction(1), bareInteraction(2)))
	check.Shows(t, s, "Interaction()", interactionOf(1), fullInteraction(1))
	check.Shows(t, s, "Interaction()", interactionOf(2), bareInteraction(2))
}

func interactionOnce(t *testing.T, s store.Store) {
	check.Update(t, s, putInteractions(bareInteraction(1)))
	check.Refused(t, s, store.ErrConflict, putInteractions(fullInteraction(1)))
	check.Shows(t, s, "Interaction()", interactionOf(1), bareInteraction(1))
}

func interactionMoves(t *testing.T, s store.Store) {
	move := func(to store.Interaction, want bool) {
		t.Helper()
		check.Same(t, "MoveInteraction()", check.Told(t, s, func(tx store.Tx) (bool, error) { return tx.MoveInteraction(to) }), want)
	}
	first, second := bareInteraction(1), fullInteraction(1)
	second.Origin, second.State.UserOnly = first.Origin, false // what never changes
	second.Revision, second.Hash = 2, first.Hash
	check.Update(t, s, putInteractions(first))
	move(second, true)
	check.Shows(t, s, "moved", interactionOf(1), second)
	move(second, false) // somebody was faster
	third := first
	third.Revision = 3
	move(third, true)
	check.Shows(t, s, "moved again", interactionOf(1), third)
	move(bareInteraction(2), false) // there is none
}

func interactionsDue(t *testing.T, s store.Store) {
	late, early := bareInteraction(1), bareInteraction(2)
	late.Due, early.Due = check.Noon.Add(time.Second), check.Noon
	check.Update(t, s, putInteractions(late, early, bareInteraction(3)))
	due := func(limit int) []store.DueInteraction {
		return check.Read(t, s, check.By(store.Reader.DueInteractions, limit))
	}
	check.Same(t, "all", due(10), []store.DueInteraction{{ID: 2, Due: check.Noon}, {ID: 1, Due: check.Noon.Add(time.Second)}})
	check.Same(t, "one", due(1), []store.DueInteraction{{ID: 2, Due: check.Noon}})
	check.Same(t, "none", due(0), []store.DueInteraction(nil))
}

func interactionsGo(t *testing.T, s store.Store) {
	check.Update(t, s, putInteractions(bareInteraction(1), fullInteraction(2), bareInteraction(3), bareInteraction(4), bareInteraction(5)))
	drop := func(limit, want int) {
		t.Helper()
		check.Same(t, "DeleteInteractions()", check.Told(t, s, func(tx store.Tx) (int, error) { return tx.DeleteInteractions(5, limit) }), want)
	}
	drop(0, 0)
	drop(2, 2)
	check.Missing(t, s, interactionOf(1))
	check.Missing(t, s, interactionOf(3))
	drop(9, 1)
	check.Read(t, s, interactionOf(2)) // is due
	check.Read(t, s, interactionOf(5))
}

func activityRecord(t *testing.T, s store.Store) {
	of := check.By(store.Reader.Activity, 7)
	check.Missing(t, s, of)
	a := store.Activity{Launch: 7, Application: 100, Channel: 310, Guild: 300, Users: []snowflake.User{200}}
	check.Update(t, s, check.Each(store.Tx.PutActivity, a))
	check.Shows(t, s, "Activity()", of, a)
	a.Users = append(a.Users, 201)
	check.Update(t, s, check.Each(store.Tx.PutActivity, a))
	check.Shows(t, s, "changed", of, a)
	for _, tt := range []struct {
		before snowflake.Interaction
		want   int
	}{{7, 0}, {8, 1}, {8, 0}} {
		n := check.Told(t, s, func(tx store.Tx) (int, error) { return tx.DeleteActivities(tt.before, 10) })
		check.Same(t, fmt.Sprintf("DeleteActivities(%v)", tt.before), n, tt.want)
	}
	check.Missing(t, s, of)
}

func interactionsClear(t *testing.T, s store.Store) {
	check.Update(t, s, putInteractions(fullInteraction(1)))
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.PutMessage(fullMessage(2)), tx.PutActivity(store.Activity{Launch: 7}))
	})
	check.Update(t, s, store.Tx.Clear)
	check.Missing(t, s, interactionOf(1))
	check.Missing(t, s, messageOf(2))
	check.Missing(t, s, check.By(store.Reader.Activity, 7))
}
