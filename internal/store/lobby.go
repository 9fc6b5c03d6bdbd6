package store

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// Lobby is a stored lobby.
type Lobby struct {
	lobby.Lobby

	// Due is when to check whether the lobby has been idle for too long; zero means never. It is not after the time at
	// which the lobby may be deleted.
	Due time.Time
}

// LobbyMembership is a user's membership in a lobby. Members with smaller positions joined earlier.
type LobbyMembership struct {
	lobby.Member

	Lobby       snowflake.Lobby
	Application snowflake.Application // that the lobby belongs to
	Position    uint64
}

// DueLobby is a lobby to check at the time Due.
type DueLobby = DueRecord[snowflake.Lobby]

// SecretHash is the SHA-256 of a secret by which users join a lobby. Secrets are never stored.
type SecretHash [32]byte

// LobbySecret maps the hash of a secret to a lobby.
type LobbySecret struct {
	Application snowflake.Application
	Hash        SecretHash
	Lobby       snowflake.Lobby
	Created     time.Time
}

// Invite lets a member of a lobby join the guild of the linked channel, once. Its code is never stored.
type Invite struct {
	Hash        SecretHash // of the code
	Lobby       snowflake.Lobby
	Application snowflake.Application // that the lobby belongs to
	Channel     snowflake.Channel
	User        snowflake.User // who can use it
	Expires     time.Time
}

func (l Lobby) subjects() []Subject { return []Subject{LobbySubject(l.ID)} }

// write stores the lobby and the number of its members, without the members.
func (l Lobby) write(w *writes) {
	w.put(lobbiesTable, key(l.ID), key(l.Application), microsOrNull(l.Due), micros(l.IdleSince), l.IdleTimeout.Microseconds(),
		int64(l.Flags), flag(l.Secret), key(l.Channel), string(l.Metadata), l.WebhooksURL, sizeOrNull(len(l.Members)))
}

// LobbyKey names a lobby with its members and secrets. The caller also ends the subjects of the memberships and
// secrets. Messages and invites have separate keys: without the lobby they cannot be read or used.
func LobbyKey(l Lobby) Key {
	value := []any{key(l.ID)}
	return Key{ends: []Subject{LobbySubject(l.ID)}, rows: []rowKey{
		{lobbiesTable, []string{"id"}, value},
		{lobbyMembersTable, []string{"lobby_id"}, value},
		{secretsTable, []string{"lobby_id"}, value},
	}}
}

func (m LobbyMembership) subjects() []Subject {
	return []Subject{LobbySubject(m.Lobby), LobbyMembershipsSubject(m.Application, m.ID)}
}

func (m LobbyMembership) write(w *writes) {
	w.put(lobbyMembersTable, key(m.Lobby), key(m.ID), key(m.Application), int64(m.Position), int64(m.Flags), string(m.Metadata), m.AdditionalName)
}

// LobbyMembershipKey names the membership of a user in a lobby.
func LobbyMembershipKey(app snowflake.Application, lobby snowflake.Lobby, user snowflake.User) Key {
	return Key{
		subs: []Subject{LobbySubject(lobby), LobbyMembershipsSubject(app, user)},
		rows: []rowKey{{lobbyMembersTable, []string{"lobby_id", "user_id"}, []any{key(lobby), key(user)}}},
	}
}

func (s LobbySecret) subjects() []Subject { return []Subject{SecretSubject(s.Application, s.Hash)} }

func (s LobbySecret) write(w *writes) {
	w.put(secretsTable, key(s.Application), s.Hash[:], key(s.Lobby), micros(s.Created))
}

func (i Invite) subjects() []Subject { return []Subject{InviteSubject(i.Hash)} }

func (i Invite) write(w *writes) {
	w.put(invitesTable, i.Hash[:], key(i.Lobby), key(i.Application), key(i.Channel), key(i.User), micros(i.Expires))
}

// InviteKey names an invite.
func InviteKey(hash SecretHash) Key {
	return Key{ends: []Subject{InviteSubject(hash)}, rows: []rowKey{{invitesTable, []string{"hash"}, []any{hash[:]}}}}
}

// LobbyMessage is a message in a lobby. A write to it changes the revision of the lobby.
type LobbyMessage struct{ lobby.Message }

func (m LobbyMessage) subjects() []Subject { return []Subject{LobbySubject(m.Lobby)} }

// write stores the fields of the message that have a column.
func (m LobbyMessage) write(w *writes) {
	w.put(lobbyMessagesTable, key(m.ID), key(m.Lobby), key(m.Application), key(m.Author), key(m.Channel), m.Content,
		m.AdditionalName, string(m.Moderation))
}

// LobbyMessageKey names a message that is too old to be read, or whose lobby is deleted. So its deletion changes no
// revision.
func LobbyMessageKey(id snowflake.Message) Key {
	return Key{rows: []rowKey{{lobbyMessagesTable, []string{"id"}, []any{key(id)}}}}
}

// LobbyQueries reads lobbies.
type LobbyQueries struct{ *reader }

// Lobby returns a lobby with its members in the order of their positions.
func (q LobbyQueries) Lobby(id snowflake.Lobby) (Lobby, error) {
	l, _, err := q.WithPositions(id)
	return l, err
}

// WithPositions is like Lobby, and also returns the position of each member. It returns an IncompleteListError when
// members are hidden.
func (q LobbyQueries) WithPositions(id snowflake.Lobby) (l Lobby, positions []uint64, err error) {
	q.read(LobbySubject(id))
	err = q.whole(LobbySubject(id), func() (list IncompleteListError, err error) {
		var stored int
		l, positions, stored, err = q.withPositions(id)
		return IncompleteListError{"lobby_members", fmt.Sprintf("lobby_id = %v", id), stored, len(positions)}, err
	})
	return l, positions, err
}

// withPositions returns a lobby, the positions of its members, and how many members were stored with it.
func (q LobbyQueries) withPositions(id snowflake.Lobby) (l Lobby, positions []uint64, stored int, err error) {
	row, err := q.row(lobbiesTable, key(id))
	if err != nil {
		return Lobby{}, nil, 0, err
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
	return l, positions, int(row.int(10)), err
}

// members returns the members of a lobby in the order in which they joined, and their positions.
func (q LobbyQueries) members(id snowflake.Lobby) ([]*lobby.Member, []uint64, error) {
	rows, err := q.rows(lobbyMembersTable, page{}, []string{"lobby_id"}, key(id))
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

// Of returns the lobbies of an application that a user is in.
func (q LobbyQueries) Of(app snowflake.Application, user snowflake.User) ([]snowflake.Lobby, error) {
	q.read(LobbyMembershipsSubject(app, user))
	rows, err := q.rows(lobbyMembersTable, page{}, []string{"user_id", "application_id"}, key(user), key(app))
	return lobbiesOf(rows), err
}

// With returns up to limit lobbies of all applications that a user is in, with ids above after, without damaged
// memberships.
func (q LobbyQueries) With(user snowflake.User, after snowflake.Lobby, limit int) ([]snowflake.Lobby, error) {
	rows, err := q.rows(lobbyMembersTable, page{"lobby_id", key(after), limit}, []string{"user_id"}, key(user))
	return lobbiesOf(rows), err
}

// lobbiesOf returns the lobbies of rows of lobby_members.
func lobbiesOf(rows []Row) []snowflake.Lobby {
	var lobbies []snowflake.Lobby
	for _, row := range rows {
		lobbies = append(lobbies, snowflake.Lobby(row.int(0)))
	}
	return lobbies
}

// Newest returns up to limit lobbies of an application with ids below before, newest first. A before of 0 means no
// bound.
func (q LobbyQueries) Newest(app snowflake.Application, before snowflake.Lobby, limit int) ([]snowflake.Lobby, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return ids[snowflake.Lobby](q.reader, "SELECT id FROM lobbies WHERE application_id = ? AND id < ? ORDER BY id DESC LIMIT ?", key(app), key(before), int64(max(limit, 0)))
}

// Linked returns the lobby that is linked with a channel. A commit that links a second lobby returns ErrConflict.
func (q LobbyQueries) Linked(channel snowflake.Channel) (snowflake.Lobby, error) {
	if channel == 0 {
		return 0, ErrNotFound
	}
	found, err := q.intact(lobbiesTable, false, lobbiesTable.all+" WHERE channel_id = ? AND channel_id <> 0", []any{key(channel)})
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

// Secrets returns the hashes of the secrets of a lobby.
func (q LobbyQueries) Secrets(id snowflake.Lobby) ([]SecretHash, error) {
	hashes, err := q.hashes("SELECT hash FROM lobby_secrets WHERE lobby_id = ? ORDER BY hash", key(id))
	secrets := make([]SecretHash, len(hashes))
	for i, h := range hashes {
		secrets[i] = SecretHash(h)
	}
	return secrets, err
}

// Secret returns the secret of an application with the given hash.
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

// ExpiredInvites returns the keys of up to limit invites that have expired at now, oldest first.
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

// OldestInvite returns the earliest time at which an invite expires, zero when there are no invites.
func (q LobbyQueries) OldestInvite() (expires time.Time, err error) {
	err = q.q.Query("SELECT expires FROM lobby_invites ORDER BY expires LIMIT 1", nil, func(row Row) error {
		expires = fromMicros(row.int(0))
		return nil
	})
	return expires, err
}

// OldestMessage returns the smallest id of a lobby message, 0 when there are no messages.
func (q LobbyQueries) OldestMessage() (snowflake.Message, error) {
	id, err := q.number("SELECT id FROM lobby_messages ORDER BY id LIMIT 1")
	return snowflake.Message(id), err
}

// OldMessages returns up to limit messages with ids below before, oldest first.
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

// Messages returns up to limit messages of a lobby with ids above after, newest first, without damaged messages. A
// decision does not see its own messages here.
func (q LobbyQueries) Messages(l snowflake.Lobby, after snowflake.Message, limit int) ([]lobby.Message, error) {
	query := lobbyMessagesTable.all + " WHERE lobby_id = ? AND id > ? ORDER BY id DESC"
	rows, err := q.limited(lobbyMessagesTable, limit, query, []any{key(l), key(after)})
	var found []lobby.Message
	for _, row := range rows {
		found = append(found, messageOf(row))
	}
	return found, err
}

func messageOf(row Row) lobby.Message {
	return lobby.Message{
		ID: snowflake.Message(row.int(0)), Lobby: snowflake.Lobby(row.int(1)), Application: snowflake.Application(row.int(2)),
		Author: snowflake.User(row.int(3)), Channel: snowflake.Channel(row.int(4)), Content: row.text(5), AdditionalName: row.text(6),
		Moderation: lobby.Metadata(row.text(7)),
	}
}
