package store

import (
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/snowflake"
)

// Interaction is one use of a command, a component or a modal.
type Interaction struct {
	ID          snowflake.Interaction
	Application snowflake.Application
	User        snowflake.User // who invoked it
	Hash        TokenHash
	Origin      Origin

	// The fields below can change.
	State    interaction.State // Created is not stored: the id has it. UserOnly follows from Origin.Owners.
	Original snowflake.Message // the message that the first answer created or belongs to; 0 for none
	Modal    []byte            // the modal that the first answer opened; nil for none
	Due      time.Time         // when the state changes without a request; zero means never
}

// Origin holds the fields of an interaction that never change.
type Origin struct {
	Type    interaction.Type  `json:"type"`
	Channel snowflake.Channel `json:"channel"`
	Guild   snowflake.Guild   `json:"guild,omitzero"`
	Session string            `json:"session,omitzero"`
	Nonce   string            `json:"nonce,omitzero"`
	Locale  locale.Code       `json:"locale"`
	Owners  Owners            `json:"owners,omitzero"`
	// Command is the type of the command that the first interaction used, Path its full name. Both are empty when no
	// command was used.
	Command command.Type `json:"command,omitzero"`
	Path    string       `json:"path,omitzero"`
	// Component is the message with the component that was used, or that opened the modal.
	Component     snowflake.Message  `json:"component,omitzero"`
	TargetUser    snowflake.User     `json:"target_user,omitzero"`
	TargetMessage snowflake.Message  `json:"target_message,omitzero"`
	Focus         command.OptionType `json:"focus,omitzero"`
	// Private makes all messages of the interaction ephemeral: only User can see them.
	Private  bool               `json:"private,omitzero"`
	NoLaunch interaction.Reason `json:"no_launch,omitzero"`
	// Posted is set when the interaction was sent to an endpoint, which may answer in the HTTP response.
	Posted     bool      `json:"posted,omitzero"`
	Triggering *Metadata `json:"triggering,omitzero"` // metadata of the interaction that opened the modal
}

// Owners names the installs that allow an interaction.
type Owners struct {
	ByGuild bool            `json:"by_guild,omitzero"`
	Guild   snowflake.Guild `json:"guild,omitzero"`
	User    snowflake.User  `json:"user,omitzero"`
}

// Metadata describes the interaction that created a message.
type Metadata struct {
	ID            snowflake.Interaction `json:"id"`
	Type          interaction.Type      `json:"type"`
	User          snowflake.User        `json:"user"`
	Owners        Owners                `json:"owners,omitzero"`
	Original      snowflake.Message     `json:"original,omitzero"`
	TargetUser    snowflake.User        `json:"target_user,omitzero"`
	TargetMessage snowflake.Message     `json:"target_message,omitzero"`
	Interacted    snowflake.Message     `json:"interacted,omitzero"`
	Triggering    *Metadata             `json:"triggering,omitzero"`
}

// DueInteraction is an interaction whose state changes at the time Due.
type DueInteraction = DueRecord[snowflake.Interaction]

// Activity is a launched instance of an application's Activity.
type Activity struct {
	Launch      snowflake.Interaction `json:"launch"`
	Application snowflake.Application `json:"application"`
	Channel     snowflake.Channel     `json:"channel"`
	Guild       snowflake.Guild       `json:"guild,omitzero"`
	Users       []snowflake.User      `json:"users"`
}

// Nonce is the nonce that a user sent with an invocation. A request with the same nonce does not invoke again.
type Nonce struct {
	Hash        TokenHash // of the user and the nonce
	Interaction snowflake.Interaction
}

func (n Nonce) subjects() []Subject { return []Subject{NonceSubject(n.Hash)} }

func (n Nonce) write(w *writes) { w.put(noncesTable, n.Hash[:], key(n.Interaction)) }

// NonceKey names a nonce.
func NonceKey(hash TokenHash) Key {
	return Key{ends: []Subject{NonceSubject(hash)}, rows: []rowKey{{noncesTable, []string{"hash"}, []any{hash[:]}}}}
}

func (i Interaction) subjects() []Subject { return []Subject{InteractionSubject(i.ID)} }

func (i Interaction) write(w *writes) {
	w.put(interactionsTable, key(i.ID), key(i.Application), key(i.User), i.Hash[:], microsOrNull(i.Due), int64(i.State.Status),
		int64(i.State.Answer), int64(i.State.FollowUps), flag(i.State.Deleted), key(i.Original), blob(i.Modal), w.doc(i.Origin))
}

// InteractionKey names an interaction.
func InteractionKey(id snowflake.Interaction) Key {
	return Key{ends: []Subject{InteractionSubject(id)}, rows: []rowKey{{interactionsTable, []string{"id"}, []any{key(id)}}}}
}

// subjects returns nil: an activity never changes.
func (a Activity) subjects() []Subject { return nil }

func (a Activity) write(w *writes) {
	w.put(activitiesTable, key(a.Launch), w.doc(a))
}

// ActivityKey names an activity.
func ActivityKey(launch snowflake.Interaction) Key {
	return Key{rows: []rowKey{{activitiesTable, []string{"launch_id"}, []any{key(launch)}}}}
}

// InteractionQueries reads interactions and the activities that they launched.
type InteractionQueries struct{ *reader }

// Interaction returns an interaction.
func (q InteractionQueries) Interaction(id snowflake.Interaction) (Interaction, error) {
	q.read(InteractionSubject(id))
	row, err := q.row(interactionsTable, key(id))
	if err != nil {
		return Interaction{}, err
	}
	i := Interaction{
		ID: id, Application: snowflake.Application(row.int(1)), User: snowflake.User(row.int(2)),
		State: interaction.State{
			Created: id.Time(), Status: interaction.Status(row.int(5)), Answer: interaction.CallbackType(row.int(6)),
			FollowUps: int(row.int(7)), Deleted: row.int(8) != 0,
		},
		Original: snowflake.Message(row.int(9)), Modal: row.bytes(10),
	}
	copy(i.Hash[:], row.bytes(3))
	if row[4] != nil {
		i.Due = fromMicros(row.int(4))
	}
	err = decode(row.bytes(11), &i.Origin)
	i.State.UserOnly = !i.Origin.Owners.ByGuild && i.Origin.Owners.User != 0
	return i, err
}

// Due returns up to limit interactions, ordered by Due.
func (q InteractionQueries) Due(limit int) ([]DueInteraction, error) {
	var due []DueInteraction
	err := q.q.Query("SELECT id, due FROM interactions WHERE due IS NOT NULL ORDER BY due LIMIT ?", []any{int64(max(limit, 0))}, func(row Row) error {
		due = append(due, DueInteraction{snowflake.Interaction(row.int(0)), fromMicros(row.int(1))})
		return nil
	})
	return due, err
}

// Old returns up to limit interactions with ids below before that are never due, oldest first.
func (q InteractionQueries) Old(before snowflake.Interaction, limit int) ([]snowflake.Interaction, error) {
	return ids[snowflake.Interaction](q.reader, "SELECT id FROM interactions WHERE id < ? AND due IS NULL ORDER BY id LIMIT ?", key(before), int64(max(limit, 0)))
}

// Leftovers returns up to limit ids below before whose interactions are deleted although their subjects exist, oldest first:
// a change of a message writes to the subject of its interaction, which may be deleted. It leaves out subjects that were
// written to after the given time, because changes in progress may depend on them.
func (q InteractionQueries) Leftovers(
	before snowflake.Interaction, written time.Time, limit int,
) ([]snowflake.Interaction, error) {
	return ids[snowflake.Interaction](q.reader, "SELECT a FROM subjects WHERE kind = ? AND a < ? AND revision < ?"+
		" AND NOT EXISTS (SELECT 1 FROM interactions WHERE id = a) ORDER BY a LIMIT ?",
		int64(KindInteraction), key(before), int64(firstRevision(written)), int64(max(limit, 0)))
}

// Nonce returns a nonce.
func (q InteractionQueries) Nonce(hash TokenHash) (Nonce, error) {
	q.read(NonceSubject(hash))
	row, err := q.row(noncesTable, hash[:])
	if err != nil {
		return Nonce{}, err
	}
	return Nonce{hash, snowflake.Interaction(row.int(1))}, nil
}

// OldNonces returns up to limit nonces of interactions with ids below before, oldest first.
func (q InteractionQueries) OldNonces(before snowflake.Interaction, limit int) ([]TokenHash, error) {
	return q.hashes("SELECT hash FROM nonces WHERE interaction_id < ? ORDER BY interaction_id LIMIT ?", key(before), int64(max(limit, 0)))
}

// Activity returns the instance that an interaction launched.
func (q InteractionQueries) Activity(launch snowflake.Interaction) (Activity, error) {
	return find[Activity](q.reader, activitiesTable, key(launch))
}

// OldActivities returns up to limit instances that were launched by interactions with ids below before, oldest first.
func (q InteractionQueries) OldActivities(before snowflake.Interaction, limit int) ([]snowflake.Interaction, error) {
	return ids[snowflake.Interaction](q.reader, "SELECT launch_id FROM activities WHERE launch_id < ? ORDER BY launch_id LIMIT ?", key(before), int64(max(limit, 0)))
}

// ids returns the ids that a query selects.
func ids[ID ~uint64](r *reader, query string, args ...any) ([]ID, error) {
	var found []ID
	err := r.q.Query(query, args, func(row Row) error {
		found = append(found, ID(row.int(0)))
		return nil
	})
	return found, err
}
