package sqlstore

import (
	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	selectInteraction = "SELECT application_id, user_id, hash, revision, due, status, answer, follow_ups, deleted, original_id," +
		" modal, doc FROM interactions WHERE id = ?"
	selectDueInteractions = "SELECT id, due FROM interactions WHERE due IS NOT NULL ORDER BY due LIMIT ?"
	insertInteraction     = "INSERT INTO interactions (id, application_id, user_id, hash, revision, due, status, answer," +
		" follow_ups, deleted, original_id, modal, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	moveInteraction = "UPDATE interactions SET revision = ?, due = ?, status = ?, answer = ?, follow_ups = ?, deleted = ?," +
		" original_id = ?, modal = ? WHERE id = ? AND revision = ?"
	deleteInteractions = "DELETE FROM interactions WHERE id IN" +
		" (SELECT id FROM interactions WHERE id < ? AND due IS NULL ORDER BY id LIMIT ?)"

	selectActivity   = "SELECT doc FROM activities WHERE launch_id = ?"
	upsertActivity   = "INSERT INTO activities (launch_id, doc) VALUES (?, ?) ON CONFLICT (launch_id) DO UPDATE SET doc = excluded.doc"
	deleteActivities = "DELETE FROM activities WHERE launch_id IN (SELECT launch_id FROM activities WHERE launch_id < ? ORDER BY launch_id LIMIT ?)"
)

// Interaction returns an interaction.
func (t *Tx) Interaction(id snowflake.Interaction) (store.Interaction, error) {
	var i store.Interaction
	err := t.query(selectInteraction, func(r Row) error {
		i.ID, i.Application, i.User, i.Revision = id, snowflake.Application(r.int(0)), snowflake.User(r.int(1)), uint64(r.int(3))
		copy(i.Hash[:], r.bytes(2))
		if r[4] != nil {
			i.Due = fromMicros(r.int(4))
		}
		i.State = interaction.State{
			Created: id.Time(), Status: interaction.Status(r.int(5)), Answer: interaction.CallbackType(r.int(6)),
			FollowUps: int(r.int(7)), Deleted: r.int(8) != 0,
		}
		i.Original, i.Modal = snowflake.Message(r.int(9)), r.bytes(10)
		return decode(r.bytes(11), &i.Origin)
	}, key(id))
	if err == nil && i.Revision == 0 {
		err = store.ErrNotFound
	}
	owners := i.Origin.Owners
	i.State.UserOnly = !owners.ByGuild && owners.User != 0
	return i, err
}

// DueInteractions returns the interactions with the earliest due times.
func (t *Tx) DueInteractions(limit int) ([]store.DueInteraction, error) {
	if limit <= 0 {
		return nil, t.failed
	}
	var due []store.DueInteraction
	err := t.query(selectDueInteractions, func(r Row) error {
		due = append(due, store.DueInteraction{ID: snowflake.Interaction(r.int(0)), Due: fromMicros(r.int(1))})
		return nil
	}, int64(limit))
	return due, err
}

// PutInteraction stores a new interaction.
func (t *Tx) PutInteraction(i store.Interaction) error {
	return t.put(insertInteraction, i.Origin, key(i.ID), key(i.Application), key(i.User), i.Hash[:], int64(i.Revision), whenDue(&i),
		int64(i.State.Status), int64(i.State.Answer), int64(i.State.FollowUps), truth(i.State.Deleted), key(i.Original), blob(i.Modal))
}

// MoveInteraction stores what changes of an interaction.
func (t *Tx) MoveInteraction(to store.Interaction) (bool, error) {
	n, err := t.exec(moveInteraction, int64(to.Revision), whenDue(&to), int64(to.State.Status), int64(to.State.Answer),
		int64(to.State.FollowUps), truth(to.State.Deleted), key(to.Original), blob(to.Modal), key(to.ID), int64(to.Revision-1))
	return n == 1, err
}

func whenDue(i *store.Interaction) any {
	if i.Due.IsZero() {
		return nil // NULL
	}
	return micros(i.Due)
}

// blob returns bytes as they are stored: none are NULL.
func blob(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

// DeleteInteractions removes old interactions that are never due.
func (t *Tx) DeleteInteractions(before snowflake.Interaction, limit int) (int, error) {
	return t.deleteSome(deleteInteractions, key(before), limit)
}

// deleteSome runs a statement that deletes what is below an id, at most limit.
func (t *Tx) deleteSome(query string, before int64, limit int) (int, error) {
	if limit <= 0 {
		return 0, t.failed
	}
	n, err := t.exec(query, before, int64(limit))
	return int(n), err
}

// Activity returns an instance of an Activity.
func (t *Tx) Activity(launch snowflake.Interaction) (store.Activity, error) {
	return find[store.Activity](t, selectActivity, key(launch))
}

// PutActivity stores an instance of an Activity.
func (t *Tx) PutActivity(a store.Activity) error { return t.put(upsertActivity, a, key(a.Launch)) }

// DeleteActivities removes old instances of Activities.
func (t *Tx) DeleteActivities(before snowflake.Interaction, limit int) (int, error) {
	return t.deleteSome(deleteActivities, key(before), limit)
}
