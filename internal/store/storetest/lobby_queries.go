package storetest

import (
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

func bareLobby(id snowflake.Lobby, app snowflake.Application) store.Lobby {
	return store.Lobby{Lobby: lobby.New(id, app, noon)}
}

func lobbyMembership(l snowflake.Lobby, app snowflake.Application, user snowflake.User, position uint64) store.LobbyMembership {
	return store.LobbyMembership{Lobby: l, Application: app, Position: position, Member: lobby.Member{ID: user}}
}

func invite(n byte, user snowflake.User, minutes int) store.Invite {
	return store.Invite{Hash: store.SecretHash{n}, Lobby: 1, User: user, Expires: noon.Add(time.Duration(minutes) * time.Minute)}
}

// due returns a lobby that is due some minutes after noon.
func due(id snowflake.Lobby, minutes int) store.Lobby {
	l := bareLobby(id, 100)
	l.Due = noon.Add(time.Duration(minutes) * time.Minute)
	return l
}

func lobbyQueryCases() []queryCase {
	type lobbies = []snowflake.Lobby
	of := func(app snowflake.Application, user snowflake.User, want ...snowflake.Lobby) query {
		return q(fmt.Sprint("Of() ", app, user), want, func(r store.Reader) (lobbies, error) { return r.Lobbies.Of(app, user) })
	}
	members := func(id snowflake.Lobby, want ...snowflake.User) query {
		return q(fmt.Sprint("members of ", id), want, func(r store.Reader) ([]snowflake.User, error) {
			l, err := r.Lobbies.Lobby(id)
			return idsOf(func(m *lobby.Member) snowflake.User { return m.ID }, l.Members, err)
		})
	}
	newest := func(app snowflake.Application, before snowflake.Lobby, limit int, want ...snowflake.Lobby) query {
		return snapshotQuery(fmt.Sprint("Newest() ", app, before, limit), want, func(r store.Reader) (lobbies, error) {
			return r.Lobbies.Newest(app, before, limit)
		})
	}
	linked := func(channel snowflake.Channel, want bool) query {
		return q(fmt.Sprint("Linked() ", channel), want, found(func(r store.Reader) (snowflake.Lobby, error) { return r.Lobbies.Linked(channel) }))
	}
	link := func(id snowflake.Lobby, channel snowflake.Channel) store.Lobby {
		l := bareLobby(id, 100)
		l.Channel = channel
		return l
	}
	text := func(l snowflake.Lobby, id snowflake.Message) store.LobbyMessage {
		return store.LobbyMessage{Message: lobby.Message{ID: id, Lobby: l, Content: fmt.Sprint(id)}}
	}
	messages := func(after snowflake.Message, limit int, want ...store.LobbyMessage) query {
		var list []lobby.Message
		for _, m := range want {
			list = append(list, m.Message)
		}
		return snapshotQuery(fmt.Sprint("Messages() ", after, limit), list, func(r store.Reader) ([]lobby.Message, error) {
			return r.Lobbies.Messages(1, after, limit)
		})
	}
	secret := store.LobbySecret{Application: 100, Hash: store.SecretHash{1}, Lobby: 1, Created: noon}
	return []queryCase{
		{
			name: "members of lobbies",
			put: []store.Record{
				bareLobby(2, 100), bareLobby(1, 100), bareLobby(3, 101), lobbyMembership(2, 100, 201, 2), lobbyMembership(2, 100, 200, 7), lobbyMembership(1, 100, 200, 1),
				lobbyMembership(2, 100, 199, 9), lobbyMembership(3, 101, 200, 1), lobbyMembership(2, 100, 202, 1), lobbyMembership(2, 100, 201, 5),
			},
			delete: []store.Key{store.LobbyMembershipKey(100, 2, 199), store.LobbyMembershipKey(100, 2, 999)},
			queries: []query{
				members(1, 200), members(2, 202, 201, 200), members(3, 200), of(100, 200, 1, 2), of(100, 201, 2), of(100, 199), of(101, 200, 3), of(101, 201),
				q("With()", lobbies{1, 2, 3}, func(r store.Reader) (lobbies, error) { return r.Lobbies.With(200, 0, 9) }),
			},
		},
		{
			name: "newest and due lobbies",
			put:  []store.Record{due(2, 5), due(1, 1), bareLobby(4, 100), bareLobby(3, 101), due(5, 3), due(6, 0)},
			delete: []store.Key{
				store.LobbyKey(due(6, 0)),
			},
			queries: []query{
				newest(100, 0, 10, 5, 4, 2, 1), newest(100, 0, 2, 5, 4), newest(100, 2, 10, 1), newest(101, 0, 10, 3), newest(102, 0, 10), newest(100, 0, 0),
				snapshotQuery("Due()", []store.DueLobby{{ID: 1, Due: due(1, 1).Due}, {ID: 5, Due: due(5, 3).Due}}, func(r store.Reader) ([]store.DueLobby, error) {
					return r.Lobbies.Due(2)
				}),
			},
		},
		{
			name: "linked channels", put: []store.Record{link(1, 311), link(2, 312), link(3, 313), link(4, 0), link(1, 0), link(2, 314)},
			delete:  []store.Key{store.LobbyKey(link(3, 313))},
			queries: []query{linked(311, false), linked(312, false), linked(313, false), linked(314, true), linked(0, false)},
		},
		{
			name:   "a lobby with its members and secrets",
			put:    []store.Record{bareLobby(1, 100), lobbyMembership(1, 100, 200, 1), secret, bareLobby(2, 100), lobbyMembership(2, 100, 200, 1)},
			delete: []store.Key{store.LobbyKey(bareLobby(1, 100))},
			queries: []query{
				of(100, 200, 2), members(2, 200),
				q("Lobby()", false, found(func(r store.Reader) (store.Lobby, error) { return r.Lobbies.Lobby(1) })),
				q("Secret()", false, found(func(r store.Reader) (store.LobbySecret, error) { return r.Lobbies.Secret(100, secret.Hash) })),
			},
		},
		{
			name: "secrets of a lobby",
			put: []store.Record{
				store.LobbySecret{Application: 100, Hash: store.SecretHash{9}, Lobby: 1, Created: noon},
				secret,
				store.LobbySecret{Application: 100, Hash: store.SecretHash{2}, Lobby: 2, Created: noon},
			},
			queries: []query{snapshotQuery("Secrets()", []store.SecretHash{{1}, {9}}, func(r store.Reader) ([]store.SecretHash, error) { return r.Lobbies.Secrets(1) })},
		},
		{
			name:   "invites",
			put:    []store.Record{invite(4, 200, 4), invite(1, 200, 1), invite(2, 201, 2), invite(3, 201, 3), invite(5, 200, 0)},
			delete: []store.Key{store.InviteKey(store.SecretHash{5})},
			queries: []query{
				snapshotQuery("OldestInvite()", invite(1, 0, 1).Expires, func(r store.Reader) (time.Time, error) { return r.Lobbies.OldestInvite() }),
				snapshotQuery("InvitesFor()", 1, func(r store.Reader) (int, error) { return length(r.Lobbies.InvitesFor(200, 1)) }),
				snapshotQuery("ExpiredInvites()", 3, func(r store.Reader) (int, error) {
					return length(r.Lobbies.ExpiredInvites(invite(0, 0, 3).Expires, 9))
				}),
			},
		},
		{
			name: "messages of lobbies", put: []store.Record{text(1, 6), text(1, 5), text(2, 8), text(1, 7), text(1, 4)},
			delete: []store.Key{store.LobbyMessageKey(4)},
			queries: []query{
				messages(0, 10, text(1, 7), text(1, 6), text(1, 5)), messages(0, 2, text(1, 7), text(1, 6)), messages(5, 10, text(1, 7), text(1, 6)), messages(0, 0),
				q("Message() of another lobby", false, found(func(r store.Reader) (lobby.Message, error) { return r.Lobbies.Message(2, 5) })),
				snapshotQuery("OldestMessage()", 5, func(r store.Reader) (snowflake.Message, error) { return r.Lobbies.OldestMessage() }),
				snapshotQuery("OldMessages()", []snowflake.Message{5, 6}, func(r store.Reader) ([]snowflake.Message, error) { return r.Lobbies.OldMessages(8, 2) }),
				snapshotQuery("MessagesIn()", 2, func(r store.Reader) (int, error) { return length(r.Lobbies.MessagesIn(1, 2)) }),
			},
		},
	}
}
