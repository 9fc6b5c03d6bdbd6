package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

var interactionChecks = []check{
	{"an interaction is kept with every field", interactionRecord},
	{"an interaction is made once", interactionOnce},
	{"an interaction moves from the revision before alone", interactionMoves},
	{"the interactions that are due first come first", interactionsDue},
	{"old interactions go, those that are due stay", interactionsGo},
	{"an activity is kept until it is old", activityRecord},
	{"clear takes interactions, messages and activities", interactionsClear},
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
		Revision: 3, Original: 9, Modal: []byte(`{"custom_id":"m"}`), Due: noon,
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
	return func(r store.Reader) (store.Interaction, error) { return r.Interaction(id) }
}

func putInteractions(list ...store.Interaction) func(store.Tx) error {
	return func(tx store.Tx) error {
		for _, i := range list {
			if err := tx.PutInteraction(i); err != nil {
				return err
			}
		}
		return nil
	}
}

func interactionRecord(t *testing.T, s store.Store) {
	missing(t, s, interactionOf(1))
	update(t, s, putInteractions(fullInteraction(1), bareInteraction(2)))
	same(t, "Interaction()", read(t, s, interactionOf(1)), fullInteraction(1))
	same(t, "Interaction()", read(t, s, interactionOf(2)), bareInteraction(2))
}

func interactionOnce(t *testing.T, s store.Store) {
	update(t, s, putInteractions(bareInteraction(1)))
	refuse(t, s, store.ErrConflict, putInteractions(fullInteraction(1)))
	same(t, "Interaction()", read(t, s, interactionOf(1)), bareInteraction(1))
}

func interactionMoves(t *testing.T, s store.Store) {
	move := func(to store.Interaction, want bool) {
		t.Helper()
		same(t, "MoveInteraction()", told(t, s, func(tx store.Tx) (bool, error) { return tx.MoveInteraction(to) }), want)
	}
	first, second := bareInteraction(1), fullInteraction(1)
	second.Origin, second.State.UserOnly = first.Origin, false // what never changes
	second.Revision, second.Hash = 2, first.Hash
	update(t, s, putInteractions(first))
	move(second, true)
	same(t, "moved", read(t, s, interactionOf(1)), second)
	move(second, false) // somebody was faster
	third := first
	third.Revision = 3
	move(third, true)
	same(t, "moved again", read(t, s, interactionOf(1)), third)
	move(bareInteraction(2), false) // there is none
}

func interactionsDue(t *testing.T, s store.Store) {
	late, early := bareInteraction(1), bareInteraction(2)
	late.Due, early.Due = noon.Add(time.Second), noon
	update(t, s, putInteractions(late, early, bareInteraction(3)))
	due := func(limit int) []store.DueInteraction {
		return read(t, s, func(r store.Reader) ([]store.DueInteraction, error) { return r.DueInteractions(limit) })
	}
	same(t, "all", due(10), []store.DueInteraction{{ID: 2, Due: noon}, {ID: 1, Due: noon.Add(time.Second)}})
	same(t, "one", due(1), []store.DueInteraction{{ID: 2, Due: noon}})
	same(t, "none", due(0), []store.DueInteraction(nil))
}

func interactionsGo(t *testing.T, s store.Store) {
	update(t, s, putInteractions(bareInteraction(1), fullInteraction(2), bareInteraction(3), bareInteraction(4), bareInteraction(5)))
	drop := func(limit, want int) {
		t.Helper()
		same(t, "DeleteInteractions()", told(t, s, func(tx store.Tx) (int, error) { return tx.DeleteInteractions(5, limit) }), want)
	}
	drop(0, 0)
	drop(2, 2)
	missing(t, s, interactionOf(1))
	missing(t, s, interactionOf(3))
	drop(9, 1)
	read(t, s, interactionOf(2)) // is due
	read(t, s, interactionOf(5))
}

func activityRecord(t *testing.T, s store.Store) {
	of := func(r store.Reader) (store.Activity, error) { return r.Activity(7) }
	missing(t, s, of)
	a := store.Activity{Launch: 7, Application: 100, Channel: 310, Guild: 300, Users: []snowflake.User{200}}
	update(t, s, func(tx store.Tx) error { return tx.PutActivity(a) })
	same(t, "Activity()", read(t, s, of), a)
	a.Users = append(a.Users, 201)
	update(t, s, func(tx store.Tx) error { return tx.PutActivity(a) })
	same(t, "changed", read(t, s, of), a)
	for _, tt := range []struct {
		before snowflake.Interaction
		want   int
	}{{7, 0}, {8, 1}, {8, 0}} {
		n := told(t, s, func(tx store.Tx) (int, error) { return tx.DeleteActivities(tt.before, 10) })
		same(t, fmt.Sprintf("DeleteActivities(%v)", tt.before), n, tt.want)
	}
	missing(t, s, of)
}

func interactionsClear(t *testing.T, s store.Store) {
	update(t, s, putInteractions(fullInteraction(1)))
	update(t, s, func(tx store.Tx) error {
		return all(tx.PutMessage(fullMessage(2)), tx.PutActivity(store.Activity{Launch: 7}))
	})
	update(t, s, store.Tx.Clear)
	missing(t, s, interactionOf(1))
	missing(t, s, messageOf(2))
	missing(t, s, func(r store.Reader) (store.Activity, error) { return r.Activity(7) })
}
