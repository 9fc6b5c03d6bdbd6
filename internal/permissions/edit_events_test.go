package permissions_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// recordedEvents records events in order.
type recordedEvents struct {
	mu   sync.Mutex
	list []wire.CommandPermissions
	// indexUpdates are the guilds of index updates.
	indexUpdates []snowflake.Guild
}

// committed records the events of a change. The change must write to the subject of each.
func (r *recordedEvents) committed(c *store.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range c.Events {
		if c.Expects(e.Subject) == nil {
			panic(fmt.Sprintf("the change does not write to %[2]v, the subject of %[1]s", e.Name, e.Subject))
		}
		r.record(e.Event)
	}
}

func (r *recordedEvents) record(e events.Event) {
	if e.Name == "GUILD_APPLICATION_COMMAND_INDEX_UPDATE" && e.To.Kinds == events.People && string(e.Data) == `{"guild_id":"`+e.To.Guild.String()+`"}` {
		r.indexUpdates = append(r.indexUpdates, e.To.Guild)
		return
	}
	var p wire.CommandPermissions
	if err := json.Unmarshal(e.Data, &p); err != nil || e.Name != "APPLICATION_COMMAND_PERMISSIONS_UPDATE" || e.To.Guild != p.GuildID || e.To.Kinds != events.Bots {
		panic(fmt.Sprintf("%s %s to %+v: %v", e.Name, e.Data, e.To, err))
	}
	r.list = append(r.list, p)
}

func TestPermissionEvents(t *testing.T) {
	t.Parallel()
	d := openEditor(t)
	c := d.create(t, globalScope, `{"name":"roll","description":"Roll dice"}`)
	d.mustPut(t, c.ID, forRole(low, true))
	d.mustPut(t, c.ID, forRole(low, true)) // unchanged: announced too
	d.mustPut(t, c.ID)
	if err := d.put(t, member, c.ID); err == nil {
		t.Fatal("an ordinary member may edit")
	}
	if err := d.Commands.Delete(t.Context(), globalScope, c.ID); err != nil { // this announces no deleted sets
		t.Fatal(err)
	}
	event := func(entries ...permission.Entry) wire.CommandPermissions {
		p := wire.CommandPermissions{ApplicationID: echo, GuildID: guild, ID: c.ID, Permissions: []wire.PermissionEntry{}}
		for _, e := range entries {
			p.Permissions = append(p.Permissions, wire.PermissionEntry{ID: e.ID, Type: uint8(e.Type), Permission: e.Allow})
		}
		return p
	}
	want := []wire.CommandPermissions{event(forRole(low, true)), event(forRole(low, true)), event()}
	if diff := cmp.Diff(want, d.events.list); diff != "" {
		t.Errorf("Gateway event (-want +got):\n%s", diff)
	}
}

// TestIndexUpdates checks that users of a guild get an index update when its commands or permissions change.
func TestIndexUpdateEvents(t *testing.T) {
	t.Parallel()
	d := openEditor(t)
	want := func(what string, times int) {
		t.Helper()
		if len(d.events.indexUpdates) != times {
			t.Errorf("%s: index updates %v, want %d", what, d.events.indexUpdates, times)
		}
		d.events.indexUpdates = nil
	}
	c := d.create(t, globalScope, `{"name":"roll","description":"Roll dice"}`)
	want("a global command", 0)
	d.create(t, guildScope, `{"name":"roll","description":"Roll dice"}`)
	want("a command of the guild", 1)
	d.create(t, guildScope, `{"name":"roll","description":"Roll dice"}`)
	want("the same command again", 0)
	d.mustPut(t, c.ID, forRole(low, true))
	want("a permission set", 1)
}
