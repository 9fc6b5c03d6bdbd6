package records

import (
	"errors"
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

var placeRules = []check.Rule{
	{Name: "roles are kept, replaced and deleted, and come in the order of ids", Run: roles},
	{Name: "a channel is kept, replaced and deleted", Run: channelRecord},
	{Name: "channels of a guild come in the order of ids", Run: channels},
	{Name: "a direct-message channel is found by exactly its users", Run: directChannel},
	{Name: "direct-message channels of a user come in the order of ids", Run: directChannels},
}

func roles(t *testing.T, s store.Store) {
	full := store.Role{
		ID: 20, Guild: 300, Name: "mods", Permissions: permission.MaxBits, Position: 3, Color: 0xffffff, Hoist: true,
		Mentionable: true, Managed: 100,
	}
	bare := store.Role{ID: 7, Guild: 300}
	elsewhere := store.Role{ID: 20, Guild: 301, Name: "same number"}
	check.Update(t, s, func(tx store.Tx) error { return errors.Join(tx.PutRole(full), tx.PutRole(bare), tx.PutRole(elsewhere)) })
	has := func(guild snowflake.Guild, want ...store.Role) {
		t.Helper()
		check.Shows(t, s, "Roles()", check.By(store.Reader.Roles, guild), want)
	}
	has(300, bare, full)
	has(301, elsewhere)
	has(302)

	renamed := full
	renamed.Name = "staff"
	check.Update(t, s, check.Each(store.Tx.PutRole, renamed))
	has(300, bare, renamed)
	check.Update(t, s, func(tx store.Tx) error { return errors.Join(tx.DeleteRole(300, 20), tx.DeleteRole(300, 99)) })
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
		get:    check.By(store.Reader.Channel, 310),
		delete: check.Each(store.Tx.DeleteChannel, 310),
	}.check(t, s)
}

func channels(t *testing.T, s store.Store) {
	want := []store.Channel{{ID: 9, Guild: 300}, {ID: 310, Guild: 300}, {ID: 4000, Guild: 300}}
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.PutChannel(want[1]), tx.PutChannel(want[2]), tx.PutChannel(want[0]),
			tx.PutChannel(store.Channel{ID: 5, Guild: 301}), tx.PutChannel(direct(6, 200, 201)))
	})
	list := func(guild snowflake.Guild) []store.Channel {
		return check.Read(t, s, check.By(store.Reader.Channels, guild))
	}
	check.Same(t, "Channels()", list(300), want)
	check.Same(t, "Channels() of no guild", list(0), []store.Channel(nil))
	check.Update(t, s, func(tx store.Tx) error { return tx.PutChannel(store.Channel{ID: 310, Guild: 301}) })
	check.Same(t, "Channels() after one moved", list(300), []store.Channel{want[0], want[2]})
}

// direct returns a direct-message channel.
func direct(id snowflake.Channel, users ...snowflake.User) store.Channel {
	return store.Channel{ID: id, Type: 1, Recipients: users}
}

func directChannel(t *testing.T, s store.Store) {
	between := func(users ...snowflake.User) func(store.Reader) (store.Channel, error) {
		return check.By(store.Reader.DirectChannel, users)
	}
	check.Missing(t, s, between(200, 201))
	pair, trio := direct(500, 200, 201), direct(501, 200, 201, 202)
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.PutChannel(pair), tx.PutChannel(trio),
			tx.PutChannel(store.Channel{ID: 310, Guild: 300, Recipients: []snowflake.User{200, 202}}))
	})
	check.Shows(t, s, "DirectChannel()", between(200, 201), pair)
	check.Shows(t, s, "DirectChannel()", between(200, 201, 202), trio)
	check.Missing(t, s, between(200))
	check.Missing(t, s, between(200, 202))
	check.Missing(t, s, between(20, 201))
	check.Missing(t, s, between())

	grown := direct(500, 200, 201, 203)
	check.Update(t, s, check.Each(store.Tx.PutChannel, grown))
	check.Missing(t, s, between(200, 201))
	check.Shows(t, s, "DirectChannel()", between(200, 201, 203), grown)
	check.Update(t, s, check.Each(store.Tx.DeleteChannel, 500))
	check.Missing(t, s, between(200, 201, 203))
}

func directChannels(t *testing.T, s store.Store) {
	list := func(user snowflake.User) []snowflake.Channel {
		var ids []snowflake.Channel
		for _, c := range check.Read(t, s, check.By(store.Reader.DirectChannels, user)) {
			if !slices.Contains(c.Recipients, user) {
				t.Errorf("DirectChannels(%v) returned %+v", user, c)
			}
			ids = append(ids, c.ID)
		}
		return ids
	}
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.PutChannel(direct(502, 200, 202)), tx.PutChannel(direct(501, 200, 201)),
			tx.PutChannel(direct(40, 200, 201, 202)), tx.PutChannel(store.Channel{ID: 310, Guild: 300}))
	})
	check.Same(t, "DirectChannels()", list(200), []snowflake.Channel{40, 501, 502})
	check.Same(t, "DirectChannels()", list(202), []snowflake.Channel{40, 502})
	check.Same(t, "DirectChannels()", list(203), []snowflake.Channel(nil))
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.PutChannel(direct(40, 201, 202)), tx.DeleteChannel(501))
	})
	check.Same(t, "DirectChannels()", list(200), []snowflake.Channel{502})
	check.Same(t, "DirectChannels()", list(201), []snowflake.Channel{40})
}
