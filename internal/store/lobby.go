package store

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// Lobby is what is kept of a lobby.
type Lobby struct {
	lobby.Lobby

	// Due is when to look whether the lobby has been idle for too long, never later than that can be; zero: never.
	Due time.Time
}

// Seat is a member's place in a lobby: seats with smaller positions joined earlier.
type Seat struct {
	lobby.Member

	Lobby       snowflake.Lobby
	Application snowflake.Application // the lobby's
	Position    uint64
}

// DueLobby is a lobby to look at.
type DueLobby struct {
	ID  snowflake.Lobby
	Due time.Time
}

// SecretHash is the SHA-256 of a secret by which people join. Secrets themselves are never stored.
type SecretHash [32]byte

// LobbySecret leads to a lobby.
type LobbySecret struct {
	Application snowflake.Application
	Hash        SecretHash
	Lobby       snowflake.Lobby
	Made        time.Time
}

// Invite brings a member of a lobby into the guild of the linked channel, once. Its code is never stored.
type Invite struct {
	Hash        SecretHash // of the code
	Lobby       snowflake.Lobby
	Application snowflake.Application // the lobby's
	Channel     snowflake.Channel
	User        snowflake.User // whom it is for
	Expires     time.Time
}

func (l Lobby) subjects() []Subject { return []Subject{LobbySubject(l.ID)} }

// write stores the lobby without its members.
func (l Lobby) write(w *writes) {
	w.put(lobbiesTable, key(l.ID), key(l.Application), microsOrNull(l.Due), micros(l.IdleSince), l.IdleTimeout.Microseconds(),
		int64(l.Flags), truth(l.Secret), key(l.Channel), string(l.Metadata), l.WebhooksURL)
}

// LobbyKey names a lobby with its members and secrets. The seats of its members and the secrets are subjects that the change
// has to end. Messages and invites have keys of their own: without the lobby they cannot be seen or used.
func LobbyKey(l Lobby) Key {
	value := []any{key(l.ID)}
	return Key{ends: []Subject{LobbySubject(l.ID)}, rows: []rowKey{
		{lobbiesTable, []string{"id"}, value},
		{seatsTable, []string{"lobby_id"}, value},
		{secretsTable, []string{"lobby_id"}, value},
	}}
}

func (s Seat) subjects() []Subject {
	return []Subject{LobbySubject(s.Lobby), SeatsSubject(s.Application, s.ID)}
}

func (s Seat) write(w *writes) {
	w.put(seatsTable, key(s.Lobby), key(s.ID), key(s.Application), int64(s.Position), int64(s.Flags), string(s.Metadata), s.AdditionalName)
}

// SeatKey names a member of a lobby.
func SeatKey(app snowflake.Application, lobby snowflake.Lobby, user snowflake.User) Key {
	return Key{
		subs: []Subject{LobbySubject(lobby), SeatsSubject(app, user)},
		rows: []rowKey{{seatsTable, []string{"lobby_id", "user_id"}, []any{key(lobby), key(user)}}},
	}
}

func (s LobbySecret) subjects() []Subject { return []Subject{SecretSubject(s.Application, s.Hash)} }

func (s LobbySecret) write(w *writes) {
	w.put(secretsTable, key(s.Application), s.Hash[:], key(s.Lobby), micros(s.Made))
}

func (i Invite) subjects() []Subject { return []Subject{InviteSubject(i.Hash)} }

func (i Invite) write(w *writes) {
	w.put(invitesTable, i.Hash[:], key(i.Lobby), key(i.Application), key(i.Channel), key(i.User), micros(i.Expires))
}

// InviteKey names an invite.
func InviteKey(hash SecretHash) Key {
	return Key{ends: []Subject{InviteSubject(hash)}, rows: []rowKey{{invitesTable, []string{"hash"}, []any{hash[:]}}}}
}

// LobbyMessage is a message in a lobby. It belongs to the lobby as a subject.
type LobbyMessage struct{ lobby.Message }

func (m LobbyMessage) subjects() []Subject { return []Subject{LobbySubject(m.Lobby)} }

// write stores the message without what is not kept of it.
func (m LobbyMessage) write(w *writes) {
	w.put(lobbyMessagesTable, key(m.ID), key(m.Lobby), key(m.Application), key(m.Author), key(m.Channel), m.Content,
		m.AdditionalName, string(m.Moderation))
}

// LobbyMessageKey names a message in a lobby that is too old to be seen, or whose lobby is gone. So no subject changes with
// it.
func LobbyMessageKey(id snowflake.Message) Key {
	return Key{rows: []rowKey{{lobbyMessagesTable, []string{"id"}, []any{key(id)}}}}
}

// LobbyQueries reads lobbies.
type LobbyQueries struct{ *reader }

// Lobby returns a lobby with its members in the order of their positions.
func (q LobbyQueries) Lobby(id snowflake.Lobby) (Lobby, error) {
	l, _, err := q.Seated(id)
	return l, err
}

// Seated is Lobby, with the position of each member.
func (q LobbyQueries) Seated(id snowflake.Lobby) (l Lobby, positions []uint64, err error) {
	q.read(LobbySubject(id))
	q.ahead(seatsTable, []string{"lobby_id"}, key(id))
	row, err := q.row(lobbiesTable, key(id))
	if err != nil {
		return Lobby{}, nil, err
	}
	l = Lobby{Lobby: lobby.Lobby{
		ID: id, Application: snowflake.Application(row.int(1)), IdleSince: fromMicros(row.int(3)),
		IdleTimeout: time.Duration(row.int(4)) * time.Microsecond, Flags: lobby.Flags(row.int(5)), Secret: row.int(6) != 0,
		Channel: snowflake.Channel(row.int(7)), Metadata: lobby.Metadata(row.text(8)), WebhooksURL: row.text(9),
	}}
	if row[2] != nil {
		l.Due = fromMicros(row.int(2))
	}
	l.Members, positions, err = q.members(id)
	return l, positions, err
}

// members returns the members of a lobby in the order in which they joined, and their positions.
func (q LobbyQueries) members(id snowflake.Lobby) ([]*lobby.Member, []uint64, error) {
	rows, err := q.rows(seatsTable, page{}, []string{"lobby_id"}, key(id))
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.int(3), b.int(3)) })
	members, positions := make([]*lobby.Member, len(rows)), make([]uint64, len(rows))
	for i, row := range rows {
		members[i] = &lobby.Member{
			ID: snowflake.User(row.int(1)), Flags: lobby.MemberFlags(row.int(4)), Metadata: lobby.Metadata(row.text(5)), AdditionalName: row.text(6),
		}
		positions[i] = uint64(row.int(3))
	}
	return members, positions, nil
}

// Of returns in which lobbies of an application a user is.
func (q LobbyQueries) Of(app snowflake.Application, user snowflake.User) ([]snowflake.Lobby, error) {
	q.read(SeatsSubject(app, user))
	rows, err := q.rows(seatsTable, page{}, []string{"user_id", "application_id"}, key(user), key(app))
	return lobbiesOf(rows), err
}

// With returns in which lobbies of all applications a user is.
func (q LobbyQueries) With(user snowflake.User) ([]snowflake.Lobby, error) {
	rows, err := q.rows(seatsTable, page{}, []string{"user_id"}, key(user))
	return lobbiesOf(rows), err
}

// lobbiesOf returns the lobbies of seats.
func lobbiesOf(seats []Row) []snowflake.Lobby {
	var lobbies []snowflake.Lobby
	for _, row := range seats {
		lobbies = append(lobbies, snowflake.Lobby(row.int(0)))
	}
	return lobbies
}

// Newest returns the lobbies of an application with the largest ids below before, at most limit, the largest first; 0: from
// the largest of all.
func (q LobbyQueries) Newest(app snowflake.Application, before snowflake.Lobby, limit int) ([]snowflake.Lobby, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return ids[snowflake.Lobby](q.reader, "SELECT id FROM lobbies WHERE application_id = ? AND id < ? ORDER BY id DESC LIMIT ?", key(app), key(before), int64(max(limit, 0)))
}

// Linked returns the lobby that is linked with a channel. A channel is linked with one lobby at most: a second one is an
// ErrConflict.
func (q LobbyQueries) Linked(channel snowflake.Channel) (snowflake.Lobby, error) {
	if channel == 0 {
		return 0, ErrNotFound
	}
	var found []Row
	err := q.q.Query(lobbiesTable.all+" WHERE channel_id = ? AND channel_id <> 0", []any{key(channel)}, func(row Row) error {
		found = append(found, slices.Clone(row))
		return nil
	})
	if err != nil {
		return 0, err
	}
	found = q.own.amend(lobbiesTable, found, page{}, []string{"channel_id"}, []any{key(channel)})
	if len(found) == 0 {
		return 0, ErrNotFound
	}
	return snowflake.Lobby(found[0].int(0)), nil
}

// Due returns up to limit lobbies, ordered by Due.
func (q LobbyQueries) Due(limit int) ([]DueLobby, error) {
	var due []DueLobby
	err := q.q.Query("SELECT id, due FROM lobbies WHERE due IS NOT NULL ORDER BY due LIMIT ?", []any{int64(max(limit, 0))}, func(row Row) error {
		due = append(due, DueLobby{snowflake.Lobby(row.int(0)), fromMicros(row.int(1))})
		return nil
	})
	return due, err
}

// Ahead returns up to limit lobbies whose idle time begins after now. It reads the whole table.
func (q LobbyQueries) Ahead(now time.Time, limit int) ([]snowflake.Lobby, error) {
	return ids[snowflake.Lobby](q.reader, "SELECT id FROM lobbies WHERE idle_since > ? LIMIT ?", micros(now), int64(max(limit, 0)))
}

// Secrets returns the secrets that lead to a lobby.
func (q LobbyQueries) Secrets(id snowflake.Lobby) ([]SecretHash, error) {
	hashes, err := q.hashes("SELECT hash FROM lobby_secrets WHERE lobby_id = ? ORDER BY hash", key(id))
	secrets := make([]SecretHash, len(hashes))
	for i, h := range hashes {
		secrets[i] = SecretHash(h)
	}
	return secrets, err
}

// Secret returns where a secret of an application leads.
func (q LobbyQueries) Secret(app snowflake.Application, hash SecretHash) (LobbySecret, error) {
	q.read(SecretSubject(app, hash))
	row, err := q.row(secretsTable, key(app), hash[:])
	if err != nil {
		return LobbySecret{}, err
	}
	return LobbySecret{app, hash, snowflake.Lobby(row.int(2)), fromMicros(row.int(3))}, nil
}

// Invite returns an invite.
func (q LobbyQueries) Invite(hash SecretHash) (Invite, error) {
	q.read(InviteSubject(hash))
	row, err := q.row(invitesTable, hash[:])
	if err != nil {
		return Invite{}, err
	}
	return Invite{
		Hash: hash, Lobby: snowflake.Lobby(row.int(1)), Application: snowflake.Application(row.int(2)), Channel: snowflake.Channel(row.int(3)),
		User: snowflake.User(row.int(4)), Expires: fromMicros(row.int(5)),
	}, nil
}

// InvitesFor returns the keys of up to limit invites for a user.
func (q LobbyQueries) InvitesFor(user snowflake.User, limit int) ([]Key, error) {
	return q.invites("SELECT hash FROM lobby_invites WHERE user_id = ? LIMIT ?", key(user), int64(max(limit, 0)))
}

// ExpiredInvites returns the keys of up to limit invites that expire at now or before, the oldest first.
func (q LobbyQueries) ExpiredInvites(now time.Time, limit int) ([]Key, error) {
	return q.invites("SELECT hash FROM lobby_invites WHERE expires <= ? ORDER BY expires, hash LIMIT ?", micros(now), int64(max(limit, 0)))
}

func (q LobbyQueries) invites(query string, args ...any) ([]Key, error) {
	hashes, err := q.hashes(query, args...)
	keys := make([]Key, len(hashes))
	for i, h := range hashes {
		keys[i] = InviteKey(SecretHash(h))
	}
	return keys, err
}

// OldestInvite returns when the first invite expires; zero: there is none.
func (q LobbyQueries) OldestInvite() (expires time.Time, err error) {
	err = q.q.Query("SELECT expires FROM lobby_invites ORDER BY expires LIMIT 1", nil, func(row Row) error {
		expires = fromMicros(row.int(0))
		return nil
	})
	return expires, err
}

// OldestMessage returns the smallest id of a message; 0: there is none.
func (q LobbyQueries) OldestMessage() (snowflake.Message, error) {
	id, err := q.number("SELECT id FROM lobby_messages ORDER BY id LIMIT 1")
	return snowflake.Message(id), err
}

// OldMessages returns up to limit messages with ids below before, the oldest first.
func (q LobbyQueries) OldMessages(before snowflake.Message, limit int) ([]snowflake.Message, error) {
	return ids[snowflake.Message](q.reader, "SELECT id FROM lobby_messages WHERE id < ? ORDER BY id LIMIT ?", key(before), int64(max(limit, 0)))
}

// MessagesIn returns up to limit messages of a lobby.
func (q LobbyQueries) MessagesIn(l snowflake.Lobby, limit int) ([]snowflake.Message, error) {
	return ids[snowflake.Message](q.reader, "SELECT id FROM lobby_messages WHERE lobby_id = ? LIMIT ?", key(l), int64(max(limit, 0)))
}

// Message returns a message of a lobby.
func (q LobbyQueries) Message(l snowflake.Lobby, id snowflake.Message) (lobby.Message, error) {
	q.read(LobbySubject(l))
	row, err := q.row(lobbyMessagesTable, key(id))
	if err == nil && row.int(1) != key(l) {
		err = ErrNotFound
	}
	if err != nil {
		return lobby.Message{}, err
	}
	return messageOf(row), nil
}

// Messages returns the newest messages of a lobby with ids above after, at most limit, the newest first. A decision does
// not see its own messages in it.
func (q LobbyQueries) Messages(l snowflake.Lobby, after snowflake.Message, limit int) ([]lobby.Message, error) {
	var found []lobby.Message
	query := lobbyMessagesTable.all + " WHERE lobby_id = ? AND id > ? ORDER BY id DESC LIMIT ?"
	err := q.q.Query(query, []any{key(l), key(after), int64(max(limit, 0))}, func(row Row) error {
		found = append(found, messageOf(row))
		return nil
	})
	return found, err
}

func messageOf(row Row) lobby.Message {
	return lobby.Message{
		ID: snowflake.Message(row.int(0)), Lobby: snowflake.Lobby(row.int(1)), Application: snowflake.Application(row.int(2)),
		Author: snowflake.User(row.int(3)), Channel: snowflake.Channel(row.int(4)), Content: row.text(5), AdditionalName: row.text(6),
		Moderation: lobby.Metadata(row.text(7)),
	}
}
