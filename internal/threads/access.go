package threads

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// MaxSynced is the number of members up to which a change of roles or channels sends THREAD_LIST_SYNC to the members of a
// guild. In a larger guild only the members whose own roles change get it.
const MaxSynced = 1000

// Follow adds to a transaction of the directory what its changes mean for threads: a member who leaves a guild leaves its
// threads, and a member who gains access to channels gets their active threads in THREAD_LIST_SYNC.
func Follow(tx *directory.Tx) error {
	for before, after := range directory.ChangesOf[store.Member](tx) {
		if after == nil && before != nil {
			if err := leaveAll(tx, before.Guild, before.User); err != nil {
				return err
			}
		}
	}
	for _, c := range accessChanges(tx) {
		if err := c.sync(tx); err != nil {
			return err
		}
	}
	return nil
}

// accessChanges returns the guilds in which members may have gained access to channels.
func accessChanges(tx *directory.Tx) map[snowflake.Guild]*accessChange {
	changed := map[snowflake.Guild]*accessChange{}
	at := func(id snowflake.Guild) *accessChange {
		if changed[id] == nil {
			changed[id] = &accessChange{guild: id}
		}
		return changed[id]
	}
	for before, after := range directory.ChangesOf[store.Member](tx) {
		if before != nil && after != nil && !slices.Equal(before.Roles, after.Roles) {
			at(after.Guild).members = append(at(after.Guild).members, *after)
		}
	}
	for before, after := range directory.ChangesOf[store.Channel](tx) {
		if before != nil && after != nil && after.Guild != 0 && !slices.Equal(before.Overwrites, after.Overwrites) {
			at(after.Guild).everyone = true
		}
	}
	for before, after := range directory.ChangesOf[store.Role](tx) {
		if before != nil && after != nil && before.Permissions != after.Permissions {
			at(after.Guild).everyone = true
		}
	}
	for before, after := range directory.ChangesOf[store.Guild](tx) {
		if before != nil && after != nil && (before.Everyone != after.Everyone || before.Owner != after.Owner) {
			at(after.ID).everyone = true
		}
	}
	return changed
}

// leaveAll removes a user from the threads of a guild. The other members learn of those that are active.
func leaveAll(tx *directory.Tx, guild snowflake.Guild, user snowflake.User) error {
	joined, err := tx.Threads.Joined(user)
	if err != nil {
		return err
	}
	for _, m := range joined {
		t, err := tx.Directory.Channel(m.Thread)
		if errors.Is(err, store.ErrNotFound) || err == nil && t.Guild != guild {
			continue
		}
		if err != nil {
			return err
		}
		tx.Delete(store.ThreadMemberKey(t.ID, user))
		if t.Archived {
			continue
		}
		rest, err := tx.Threads.Members(t.ID)
		if err != nil {
			return err
		}
		update := membersUpdate{ID: t.ID, Guild: guild, Count: min(len(rest), maxShownMembers), Removed: []snowflake.User{user}}
		e, err := event(store.ThreadMembersSubject(t.ID), "THREAD_MEMBERS_UPDATE", update, events.Audience{
			Guild: guild, Channel: t.ID, Intents: events.GuildMembers, Except: update.Removed,
		})
		if err != nil {
			return err
		}
		tx.Announce(e)
	}
	return nil
}

// accessChange is a change of who sees the channels of a guild.
type accessChange struct {
	guild    snowflake.Guild
	everyone bool           // all members may see other channels
	members  []store.Member // whose roles have changed
}

// listSync is the data of THREAD_LIST_SYNC.
type listSync struct {
	Guild    snowflake.Guild     `json:"guild_id"`
	Channels []snowflake.Channel `json:"channel_ids"`
	Threads  []wire.Thread       `json:"threads"`
	Members  []wire.ThreadMember `json:"members"`
}

// sync adds THREAD_LIST_SYNC for the members who gain access to channels with active threads. Users who get the same list
// share an event.
func (c *accessChange) sync(tx *directory.Tx) error {
	before, err := directory.ReadGuildState(tx.Before, c.guild)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	after, err := directory.ReadGuildState(tx.Reader, c.guild)
	if err != nil {
		return err
	}
	r := syncer{tx: tx, before: before, after: after}
	if err := r.read(); err != nil || len(r.threads) == 0 {
		return err
	}
	if c.everyone {
		all, err := tx.Directory.Members(c.guild, 0, MaxSynced+1)
		if err != nil {
			return err
		}
		if len(all) <= MaxSynced {
			c.members = all
		}
	}
	shared := map[string]int{} // the lists that several users get: the indexes of their events
	var list []store.Event
	for _, m := range c.members {
		data, key, err := r.listFor(m)
		if err != nil {
			return err
		}
		if data == nil {
			continue
		}
		u, err := directory.ReadUser(tx.Reader, m.User)
		if err != nil {
			return err
		}
		to := directory.OwnSessions(u, c.guild)
		to.Intents = events.Guilds
		if i, found := shared[key]; found && !u.Bot {
			list[i].To.Users = append(list[i].To.Users, u.ID)
			continue
		}
		e, err := event(store.GuildSubject(c.guild), "THREAD_LIST_SYNC", data, to)
		if err != nil {
			return err
		}
		if !u.Bot {
			shared[key] = len(list)
		}
		list = append(list, e)
	}
	tx.Announce(list...)
	return nil
}

// syncer finds the threads that members of a guild gain access to.
type syncer struct {
	tx            *directory.Tx
	before, after *directory.GuildState
	threads       []activeThread
}

// activeThread is an active thread with its members.
type activeThread struct {
	shown   wire.Thread
	members store.ThreadMembers
}

// read reads the active threads of the guild.
func (r *syncer) read() error {
	for i := range r.after.Channels {
		c := &r.after.Channels[i]
		if !world.IsThread(c.Type) || c.Archived {
			continue
		}
		t, err := r.tx.Directory.Channel(c.ID)
		if err != nil {
			return err
		}
		members, err := r.tx.Threads.Members(c.ID)
		if err != nil {
			return err
		}
		has, err := r.tx.Messages.Channel(c.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		r.threads = append(r.threads, activeThread{convert.WireThread(t, r.after.Owner, len(members), has), members})
	}
	return nil
}

// listFor returns the data of the event for a member, nil if the member gains nothing, and a key that equal data have.
func (r *syncer) listFor(m store.Member) (*listSync, string, error) {
	old, err := r.tx.Before.Directory.Member(m.Guild, m.User)
	if errors.Is(err, store.ErrNotFound) {
		return nil, "", nil // a new member gets the threads in GUILD_CREATE
	}
	if err != nil {
		return nil, "", err
	}
	was, is := r.before.Member(old, time.Time{}), r.after.Member(m, time.Time{})
	data := &listSync{Guild: m.Guild, Threads: []wire.Thread{}, Members: []wire.ThreadMember{}}
	var key strings.Builder
	for i := range r.threads {
		t := &r.threads[i]
		from, to := r.before.Channel(t.shown.ParentID), r.after.Channel(t.shown.ParentID)
		if from == nil || to == nil || was.In(from.Channel).Has(permission.ViewChannel) || !is.In(to.Channel).Has(permission.ViewChannel) {
			continue
		}
		if !slices.Contains(data.Channels, to.ID) {
			data.Channels = append(data.Channels, to.ID)
			key.WriteString(to.ID.String() + ": ")
		}
		own, joined := t.members.Find(m.User)
		if !is.InThread(r.after.Channel(t.shown.ID).Channel, joined).Has(permission.ViewChannel) {
			continue
		}
		data.Threads = append(data.Threads, t.shown)
		if joined {
			data.Members = append(data.Members, convert.WireThreadMember(own))
		}
		fmt.Fprintf(&key, "%d %t ", t.shown.ID, joined)
	}
	if len(data.Channels) == 0 {
		return nil, "", nil
	}
	if len(data.Members) > 0 {
		key.WriteString(m.User.String())
	}
	return data, key.String(), nil
}
