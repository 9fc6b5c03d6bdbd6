package records

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

var lobbyRules = []check.Rule{
	{Name: "a lobby is kept with every field", Run: lobbyRecord},
	{Name: "a lobby moves from its revision alone", Run: lobbyMoves},
	{Name: "a lobby is made once", Run: lobbyOnce},
	{Name: "members come in the order in which they joined", Run: seatOrder},
	{Name: "a member that is changed keeps its place", Run: seatAgain},
	{Name: "a user is a member once", Run: seatOnce},
	{Name: "a user's lobbies are those of the application", Run: lobbiesOf},
	{Name: "a user may be in so many lobbies of an application", Run: standings},
	{Name: "standings are true after whatever happened", Run: standingsModel},
	{Name: "the newest lobbies of an application come first, so many at a time", Run: newestLobbies},
	{Name: "the lobbies that are due first come first", Run: dueOrder},
	{Name: "a channel is linked with one lobby", Run: linkedOnce},
	{Name: "a secret leads to the newest lobby", Run: secretRecord},
	{Name: "an invite is kept with every field", Run: inviteRecord},
	{Name: "an invite is taken once", Run: inviteOnce},
	{Name: "old invites go, so many at a time", Run: inviteExpiry},
	{Name: "messages come newest first, so many at a time", Run: messageOrder},
	{Name: "messages are found in their lobby alone", Run: messageRecord},
	{Name: "old messages go, so many at a time", Run: messageExpiry},
	{Name: "a lobby takes members, messages, secret and invites", Run: lobbyGone},
	{Name: "a user takes its places and moves the lobbies", Run: lobbyUserGone},
	{Name: "an application takes its lobbies", Run: lobbyAppGone},
	{Name: "clear takes all lobbies", Run: lobbyClear},
}

// fullLobby is a lobby with everything set.
func fullLobby(id snowflake.Lobby) store.Lobby {
	return store.Lobby{
		Lobby: lobby.Lobby{
			ID: id, Application: 100, Metadata: `{"map":"dust","é":"\u0000"}`, Flags: 1, IdleTimeout: 604800 * time.Second,
			IdleSince: check.Noon, WebhooksURL: "https://game.example/hook", Secret: true, Channel: snowflake.Channel(id) + 1000,
		},
		Revision: uint64(id), Due: check.Noon.Add(time.Hour),
	}
}

func bareLobby(id snowflake.Lobby) store.Lobby {
	return store.Lobby{Lobby: lobby.New(id, 100, check.Noon), Revision: uint64(id)}
}

func lobbyOf(id snowflake.Lobby) func(store.Reader) (store.Lobby, error) {
	return check.By(store.Reader.Lobby, id)
}

func seat(user snowflake.User, position uint64) store.Seat {
	return store.Seat{Member: lobby.Member{ID: user}, Position: position}
}

func putLobbies(lobbies ...store.Lobby) func(store.Tx) error {
	return check.Each(store.Tx.PutLobby, lobbies...)
}

func lobbyRecord(t *testing.T, s store.Store) {
	check.Missing(t, s, lobbyOf(1))
	check.Update(t, s, putLobbies(fullLobby(1), bareLobby(2)))
	check.Shows(t, s, "Lobby()", lobbyOf(1), fullLobby(1))
	check.Shows(t, s, "Lobby()", lobbyOf(2), bareLobby(2))
	check.Shows(t, s, "LobbyRevision()", check.By(store.Reader.LobbyRevision, 2), uint64(2))
	check.Shows(t, s, "LobbyRevision()", check.By(store.Reader.LobbyRevision, 3), uint64(0))
}

func lobbyMoves(t *testing.T, s store.Store) {
	from := bareLobby(1)
	check.Update(t, s, putLobbies(from))
	move := func(from, to store.Lobby, want bool) {
		t.Helper()
		check.Same(t, "MoveLobby()", check.Told(t, s, func(tx store.Tx) (bool, error) { return tx.MoveLobby(from, to) }), want)
	}
	touched := from
	touched.Revision, touched.IdleSince = 7, check.Noon.Add(time.Second)
	move(from, touched, true)
	check.Shows(t, s, "touched", lobbyOf(1), touched)
	move(from, fullLobby(1), false) // from is outdated
	check.Shows(t, s, "refused", lobbyOf(1), touched)
	whole := fullLobby(1)
	whole.Revision = 8
	move(touched, whole, true)
	check.Shows(t, s, "changed", lobbyOf(1), whole)
	bare := bareLobby(1)
	bare.Revision = 9
	move(whole, bare, true)
	check.Shows(t, s, "emptied", lobbyOf(1), bare)
	move(fullLobby(2), fullLobby(2), false) // there is none
}

func lobbyOnce(t *testing.T, s store.Store) {
	check.Update(t, s, putLobbies(bareLobby(1)))
	check.Refused(t, s, store.ErrConflict, putLobbies(fullLobby(1)))
	check.Shows(t, s, "Lobby()", lobbyOf(1), bareLobby(1))
}

func members(t *testing.T, s store.Store, id snowflake.Lobby) []string {
	t.Helper()
	var lines []string
	for _, m := range check.Read(t, s, lobbyOf(id)).Members {
		lines = append(lines, fmt.Sprintf("%d %s %d %s", m.ID, m.Metadata, m.Flags, m.AdditionalName))
	}
	return lines
}

func seatOrder(t *testing.T, s store.Store) {
	seats := make([]store.Seat, 100)
	var want []string
	for i := range seats {
		seats[i] = seat(snowflake.User(1000-i), uint64(i+1))
		want = append(want, fmt.Sprintf("%d  0 ", 1000-i))
	}
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(putLobbies(bareLobby(1), bareLobby(2))(tx), tx.AddSeats(1, 100, seats[50:]...), tx.AddSeats(1, 100, seats[:50]...))
	})
	check.Same(t, "members", members(t, s, 1), want)
	check.Same(t, "members of another", members(t, s, 2), []string(nil))
	check.Update(t, s, func(tx store.Tx) error { return tx.DeleteSeats(1, 1000, 999, 5, 998) }) // 5 is no member
	check.Same(t, "who is left", members(t, s, 1), want[3:])
	check.Update(t, s, func(tx store.Tx) error { return errors.Join(tx.DeleteSeats(1), tx.AddSeats(1, 100)) })
	check.Same(t, "who is left", members(t, s, 1), want[3:])
}

func seatAgain(t *testing.T, s store.Store) {
	full := store.Seat{Member: lobby.Member{ID: 200, Metadata: `{"a":"b"}`, Flags: 1, AdditionalName: "Vex"}, Position: 9}
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(putLobbies(bareLobby(1))(tx), tx.AddSeats(1, 100, seat(200, 1), seat(201, 2)), tx.PutMembers(1, &full.Member))
	})
	check.Same(t, "members", members(t, s, 1), []string{`200 {"a":"b"} 1 Vex`, "201  0 "})
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.DeleteSeats(1, 200), tx.AddSeats(1, 100, full))
	})
	check.Same(t, "members", members(t, s, 1), []string{"201  0 ", `200 {"a":"b"} 1 Vex`})
}

func seatOnce(t *testing.T, s store.Store) {
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(putLobbies(bareLobby(1))(tx), tx.AddSeats(1, 100, seat(200, 1)))
	})
	check.Refused(t, s, store.ErrConflict, func(tx store.Tx) error { return tx.AddSeats(1, 100, seat(201, 2), seat(200, 3)) })
	check.Same(t, "members", members(t, s, 1), []string{"200  0 "})
}

func lobbiesOf(t *testing.T, s store.Store) {
	other := bareLobby(3)
	other.Application = 101
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(putLobbies(bareLobby(2), bareLobby(1), other)(tx),
			tx.AddSeats(2, 100, seat(200, 1), seat(201, 2)), tx.AddSeats(1, 100, seat(200, 1)), tx.AddSeats(3, 101, seat(200, 1)))
	})
	for _, tt := range []struct {
		app  snowflake.Application
		user snowflake.User
		want []snowflake.Lobby
	}{{100, 200, []snowflake.Lobby{1, 2}}, {100, 201, []snowflake.Lobby{2}}, {101, 200, []snowflake.Lobby{3}}, {101, 201, nil}} {
		check.Shows(t, s, "LobbiesOf()", func(r store.Reader) ([]snowflake.Lobby, error) { return r.LobbiesOf(tt.app, tt.user) }, tt.want)
	}
	for user, want := range map[snowflake.User][]snowflake.Lobby{200: {1, 2, 3}, 201: {2}, 202: nil} {
		check.Shows(t, s, "LobbiesWith()", check.By(store.Reader.LobbiesWith, user), want)
	}
}

func newestLobbies(t *testing.T, s store.Store) {
	other := bareLobby(3)
	other.Application = 101
	check.Update(t, s, putLobbies(bareLobby(2), bareLobby(1), bareLobby(4), other))
	for _, tt := range []struct {
		name   string
		app    snowflake.Application
		before snowflake.Lobby
		limit  int
		want   []snowflake.Lobby
	}{
		{"all", 100, 0, 10, []snowflake.Lobby{4, 2, 1}},
		{"some", 100, 0, 2, []snowflake.Lobby{4, 2}},
		{"the next", 100, 2, 10, []snowflake.Lobby{1}},
		{"another application's", 101, 0, 10, []snowflake.Lobby{3}},
		{"nobody's", 102, 0, 10, nil},
		{"none", 100, 0, 0, nil},
	} {
		check.Shows(t, s, "NewestLobbies() "+tt.name, func(r store.Reader) ([]snowflake.Lobby, error) {
			return r.NewestLobbies(tt.app, tt.before, tt.limit)
		}, tt.want)
	}
}

func dueOrder(t *testing.T, s store.Store) {
	var all []store.Lobby
	for i, after := range []int{5, 1, 0, 3, 2} { // 0: never
		l := bareLobby(snowflake.Lobby(i + 1))
		if after > 0 {
			l.Due = check.Noon.Add(time.Duration(after) * time.Minute)
		}
		all = append(all, l)
	}
	check.Update(t, s, putLobbies(all...))
	due := func(limit int) []snowflake.Lobby {
		var ids []snowflake.Lobby
		for _, d := range check.Read(t, s, check.By(store.Reader.DueLobbies, limit)) {
			if want := all[d.ID-1].Due; !d.Due.Equal(want) {
				t.Errorf("lobby %v is due at %v, want %v", d.ID, d.Due, want)
			}
			ids = append(ids, d.ID)
		}
		return ids
	}
	check.Same(t, "DueLobbies(10)", due(10), []snowflake.Lobby{2, 5, 4, 1})
	check.Same(t, "DueLobbies(2)", due(2), []snowflake.Lobby{2, 5})
	check.Same(t, "DueLobbies(0)", due(0), []snowflake.Lobby(nil))
	check.Update(t, s, check.Each(store.Tx.DeleteLobby, 2))
	check.Same(t, "DueLobbies(2)", due(2), []snowflake.Lobby{5, 4})
}

func linkedOnce(t *testing.T, s store.Store) {
	linked := func(channel snowflake.Channel) func(store.Reader) (snowflake.Lobby, error) {
		return check.By(store.Reader.LinkedLobby, channel)
	}
	check.Update(t, s, putLobbies(fullLobby(1), bareLobby(2), bareLobby(3)))
	check.Shows(t, s, "LinkedLobby()", linked(1001), snowflake.Lobby(1))
	check.Missing(t, s, linked(1002))
	check.Missing(t, s, linked(0)) // that of every lobby that is not linked
	second := fullLobby(4)
	second.Channel = 1001
	check.Refused(t, s, store.ErrConflict, putLobbies(second))
}

func secretRecord(t *testing.T, s store.Store) {
	hash := store.SecretHash{0, 255, 31: 1}
	get := func(app snowflake.Application) func(store.Reader) (store.LobbySecret, error) {
		return func(r store.Reader) (store.LobbySecret, error) { return r.LobbySecret(app, hash) }
	}
	check.Missing(t, s, get(100))
	first := store.LobbySecret{Application: 100, Hash: hash, Lobby: 1, Made: check.Noon}
	second := store.LobbySecret{Application: 100, Hash: hash, Lobby: 2, Made: check.Noon.Add(time.Hour)}
	check.Update(t, s, check.Each(store.Tx.PutLobbySecret, first))
	check.Shows(t, s, "LobbySecret()", get(100), first)
	check.Missing(t, s, get(101))
	check.Update(t, s, check.Each(store.Tx.PutLobbySecret, second))
	check.Shows(t, s, "LobbySecret()", get(100), second)
	check.Update(t, s, check.Each(store.Tx.DeleteLobby, 1))
	check.Shows(t, s, "LobbySecret()", get(100), second)
}

func lobbyMessage(l snowflake.Lobby, id snowflake.Message) lobby.Message {
	return lobby.Message{ID: id, Lobby: l, Application: 100, Author: 200, Content: fmt.Sprintf("%d é\n", id)}
}

func putMessages(messages ...lobby.Message) func(store.Tx) error {
	return check.Each(store.Tx.PutLobbyMessage, messages...)
}

func messagesOf(t *testing.T, s store.Store, l snowflake.Lobby, after snowflake.Message, limit int) []lobby.Message {
	t.Helper()
	return check.Read(t, s, func(r store.Reader) ([]lobby.Message, error) { return r.LobbyMessages(l, after, limit) })
}

func messageOrder(t *testing.T, s store.Store) {
	m := []lobby.Message{lobbyMessage(1, 5), lobbyMessage(1, 6), lobbyMessage(1, 7), lobbyMessage(2, 8)}
	check.Update(t, s, putMessages(m[1], m[0], m[3], m[2]))
	check.Same(t, "all", messagesOf(t, s, 1, 0, 10), []lobby.Message{m[2], m[1], m[0]})
	check.Same(t, "two", messagesOf(t, s, 1, 0, 2), []lobby.Message{m[2], m[1]})
	check.Same(t, "after 5", messagesOf(t, s, 1, 5, 10), []lobby.Message{m[2], m[1]})
	check.Same(t, "none", messagesOf(t, s, 1, 0, 0), []lobby.Message(nil))
}

func messageRecord(t *testing.T, s store.Store) {
	get := func(l snowflake.Lobby) func(store.Reader) (lobby.Message, error) {
		return func(r store.Reader) (lobby.Message, error) { return r.LobbyMessage(l, 5) }
	}
	m := lobbyMessage(1, 5)
	m.AdditionalName, m.Channel, m.Moderation = "Vex", 9, `{"a":"b"}`
	check.Update(t, s, putMessages(m))
	check.Shows(t, s, "LobbyMessage()", get(1), m)
	check.Missing(t, s, get(2))
	m.Moderation, m.Content = "", "edited"
	check.Update(t, s, putMessages(m))
	check.Shows(t, s, "LobbyMessage()", get(1), m)
}

func messageExpiry(t *testing.T, s store.Store) {
	check.Shows(t, s, "OldestLobbyMessage()", store.Reader.OldestLobbyMessage, snowflake.Message(0))
	for id := range snowflake.Message(6) {
		check.Update(t, s, putMessages(lobbyMessage(snowflake.Lobby(id%2+1), id+1)))
	}
	for _, tt := range []struct{ limit, want, left int }{{0, 0, 6}, {3, 3, 3}, {3, 1, 2}, {3, 0, 2}} {
		got := check.Told(t, s, func(tx store.Tx) (int, error) { return tx.DeleteLobbyMessages(5, tt.limit) })
		left := len(messagesOf(t, s, 1, 0, 10)) + len(messagesOf(t, s, 2, 0, 10))
		if got != tt.want || left != tt.left {
			t.Errorf("DeleteLobbyMessages() = %d and leaves %d, want %d and %d", got, left, tt.want, tt.left)
		}
	}
	check.Shows(t, s, "OldestLobbyMessage()", store.Reader.OldestLobbyMessage, snowflake.Message(5))
}

// lobbyWorld writes two lobbies of two applications with all that can be in them.
func lobbyWorld(tx store.Tx) error {
	other := fullLobby(2)
	other.Application = 101
	return errors.Join(tx.PutUser(store.User{ID: 200}), putLobbies(fullLobby(1), other)(tx),
		tx.AddSeats(1, 100, seat(200, 1), seat(201, 2)), tx.AddSeats(2, 101, seat(201, 1)),
		tx.PutLobbySecret(store.LobbySecret{Application: 100, Hash: store.SecretHash{1}, Lobby: 1, Made: check.Noon}),
		tx.PutLobbySecret(store.LobbySecret{Application: 101, Hash: store.SecretHash{1}, Lobby: 2, Made: check.Noon}),
		tx.PutInvite(invite(1, 1)), tx.PutInvite(store.Invite{Hash: store.SecretHash{2}, Lobby: 2, Application: 101, User: 201}),
		putMessages(lobbyMessage(1, 5), lobbyMessage(2, 6))(tx))
}

// lobbyCensus lists what is left of a lobby of lobbyWorld.
func lobbyCensus(t *testing.T, s store.Store, id snowflake.Lobby, app snowflake.Application) []string {
	t.Helper()
	var c counter
	check.View(t, s, func(r store.Reader) error {
		found, err := one(r.Lobby(id))
		add(&c, found, err, func(l store.Lobby) string { return "lobby" })
		secret, err := one(r.LobbySecret(app, store.SecretHash{1}))
		add(&c, secret, err, func(store.LobbySecret) string { return "secret" })
		invite, err := one(r.Invite(store.SecretHash{byte(id)}))
		add(&c, invite, err, func(store.Invite) string { return "invite" })
		messages, err := r.LobbyMessages(id, 0, 10)
		add(&c, messages, err, func(lobby.Message) string { return "message" })
		for _, user := range []snowflake.User{200, 201} {
			lobbies, err := r.LobbiesOf(app, user)
			add(&c, lobbies, err, func(snowflake.Lobby) string { return fmt.Sprintf("seat of %d", user) })
		}
		return errors.Join(c.errs...)
	})
	return c.lines
}

var (
	firstWhole  = []string{"lobby", "secret", "invite", "message", "seat of 200", "seat of 201"}
	secondWhole = []string{"lobby", "secret", "invite", "message", "seat of 201"}
)

func lobbyGone(t *testing.T, s store.Store) {
	check.Update(t, s, lobbyWorld)
	check.Same(t, "before", lobbyCensus(t, s, 1, 100), firstWhole)
	check.Update(t, s, check.Each(store.Tx.DeleteLobby, 1))
	check.Same(t, "after", lobbyCensus(t, s, 1, 100), []string(nil))
	check.Same(t, "the other", lobbyCensus(t, s, 2, 101), secondWhole)
	check.Update(t, s, check.Each(store.Tx.DeleteLobby, 1))
}

func lobbyUserGone(t *testing.T, s store.Store) {
	check.Update(t, s, lobbyWorld)
	check.Update(t, s, check.Each(store.Tx.DeleteUser, 200))
	check.Same(t, "after", lobbyCensus(t, s, 1, 100), []string{"lobby", "secret", "message", "seat of 201"})
	if got := check.Read(t, s, lobbyOf(1)).Revision; got == fullLobby(1).Revision {
		t.Error("the lobby has lost a member and not moved")
	}
	check.Same(t, "another lobby", check.Read(t, s, lobbyOf(2)).Revision, fullLobby(2).Revision)
}

func lobbyAppGone(t *testing.T, s store.Store) {
	check.Update(t, s, lobbyWorld)
	check.Update(t, s, check.Each(store.Tx.DeleteApplication, 100))
	check.Same(t, "after", lobbyCensus(t, s, 1, 100), []string(nil))
	check.Same(t, "the other", lobbyCensus(t, s, 2, 101), secondWhole)
}

func lobbyClear(t *testing.T, s store.Store) {
	check.Update(t, s, lobbyWorld)
	check.Update(t, s, store.Tx.Clear)
	check.Same(t, "after", lobbyCensus(t, s, 1, 100), []string(nil))
	check.Same(t, "after", lobbyCensus(t, s, 2, 101), []string(nil))
}
