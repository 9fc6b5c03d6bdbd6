package storetest

import (
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

var placeChecks = []check{
	{"roles are kept, replaced and deleted, and come in the order of ids", roles},
	{"a channel is kept, replaced and deleted", channelRecord},
	{"channels of a guild come in the order of ids", channels},
	{"a direct-message channel is found by exactly its users", directChannel},
	{"direct-message channels of a user come in the order of ids", directChannels},
}

func roles(t *testing.T, s store.Store) {
	full := store.Role{
		ID: 20, Guild: 300, Name: "mods", Permissions: permission.MaxBits, Position: 3, Color: 0xffffff, Hoist: true,
		Mentionable: true, Managed: 100,
	}
	bare := store.Role{ID: 7, Guild: 300}
	elsewhere := store.Role{ID: 20, Guild: 301, Name: "same number"}
	update(t, s, func(tx store.Tx) error { return all(tx.PutRole(full), tx.PutRole(bare), tx.PutRole(elsewhere)) })
	has := func(guild snowflake.Guild, want ...store.Role) {
		t.Helper()
		same(t, "Roles()", read(t, s, func(r store.Reader) ([]store.Role, error) { return r.Roles(guild) }), want)
	}
	has(300, bare, full)
	has(301, elsewhere)
	has(302)

	renamed := full
	renamed.Name = "staff"
	update(t, s, func(tx store.Tx) error { return tx.PutRole(renamed) })
	has(300, bare, renamed)
	update(t, s, func(tx store.Tx) error { return all(tx.DeleteRole(300, 20), tx.DeleteRole(300, 99)) })
	has(300, bare)
	has(301, elsewhere)
}

func channelRecord(t *testing.T, s store.Store) {
	record[store.Channel]{
		full: store.Channel{
			ID: 310, Guild: 300, Type: 11, Name: "general", Topic: "all & sundry", Position: 2, NSFW: true, Parent: 309,
			Archived: true, Overwrites: []store.ChannelOverwrite{
				{ID: 301, Type: 0, Allow: permission.ViewChannel, Deny: 1 << 63}, {ID: 200, Type: 1},
			},
		},
		bare:   store.Channel{ID: 310},
		put:    store.Tx.PutChannel,
		get:    func(r store.Reader) (store.Channel, error) { return r.Channel(310) },
		delete: func(tx store.Tx) error { return tx.DeleteChannel(310) },
	}.check(t, s)
}

func channels(t *testing.T, s store.Store) {
	want := []store.Channel{{ID: 9, Guild: 300}, {ID: 310, Guild: 300}, {ID: 4000, Guild: 300}}
	update(t, s, func(tx store.Tx) error {
		return all(tx.PutChannel(want[1]), tx.PutChannel(want[2]), tx.PutChannel(want[0]),
			tx.PutChannel(store.Channel{ID: 5, Guild: 301}), tx.PutChannel(direct(6, 200, 201)))
	})
	list := func(guild snowflake.Guild) []store.Channel {
		return read(t, s, func(r store.Reader) ([]store.Channel, error) { return r.Channels(guild) })
	}
	same(t, "Channels()", list(300), want)
	same(t, "Channels() of no guild", list(0), []store.Channel(nil))
	update(t, s, func(tx store.Tx) error { return tx.PutChannel(store.Channel{ID: 310, Guild: 301}) })
	same(t, "Channels() after one moved", list(300), []store.Channel{want[0], want[2]})
}

// direct returns a direct-message channel.
func direct(id snowflake.Channel, users ...snowflake.User) store.Channel {
	return store.Channel{ID: id, Type: 1, Recipients: users}
}

func directChannel(t *testing.T, s store.Store) {
	between := func(users ...snowflake.User) func(store.Reader) (store.Channel, error) {
		return func(r store.Reader) (store.Channel, error) { return r.DirectChannel(users) }
	}
	missing(t, s, between(200, 201))
	pair, trio := direct(500, 200, 201), direct(501, 200, 201, 202)
	update(t, s, func(tx store.Tx) error {
		return all(tx.PutChannel(pair), tx.PutChannel(trio),
			tx.PutChannel(store.Channel{ID: 310, Guild: 300, Recipients: []snowflake.User{200, 202}}))
	})
	same(t, "DirectChannel()", read(t, s, between(200, 201)), pair)
	same(t, "DirectChannel()", read(t, s, between(200, 201, 202)), trio)
	missing(t, s, between(200))
	missing(t, s, between(200, 202))
	missing(t, s, between(20, 201))
	missing(t, s, between())

	grown := direct(500, 200, 201, 203)
	update(t, s, func(tx store.Tx) error { return tx.PutChannel(grown) })
	missing(t, s, between(200, 201))
	same(t, "DirectChannel()", read(t, s, between(200, 201, 203)), grown)
	update(t, s, func(tx store.Tx) error { return tx.DeleteChannel(500) })
	missing(t, s, between(200, 201, 203))
}

func directChannels(t *testing.T, s store.Store) {
	list := func(user snowflake.User) []snowflake.Channel {
		var ids []snowflake.Channel
		for _, c := range read(t, s, func(r store.Reader) ([]store.Channel, error) { return r.DirectChannels(user) }) {
			if !slices.Contains(c.Recipients, user) {
				t.Errorf("DirectChannels(%v) returned %+v", user, c)
			}
			ids = append(ids, c.ID)
		}
		return ids
	}
	update(t, s, func(tx store.Tx) error {
		return all(tx.PutChannel(direct(502, 200, 202)), tx.PutChannel(direct(501, 200, 201)),
			tx.PutChannel(direct(40, 200, 201, 202)), tx.PutChannel(store.Channel{ID: 310, Guild: 300}))
	})
	same(t, "DirectChannels()", list(200), []snowflake.Channel{40, 501, 502})
	same(t, "DirectChannels()", list(202), []snowflake.Channel{40, 502})
	same(t, "DirectChannels()", list(203), []snowflake.Channel(nil))
	update(t, s, func(tx store.Tx) error {
		return all(tx.PutChannel(direct(40, 201, 202)), tx.DeleteChannel(501))
	})
	same(t, "DirectChannels()", list(200), []snowflake.Channel{502})
	same(t, "DirectChannels()", list(201), []snowflake.Channel{40})
}
