package threads

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// threadEvent returns an event with a thread for all who see it.
func (s *Threads) threadEvent(ctx context.Context, name string, t *store.Channel, isNew bool) (store.Event, error) {
	shown, err := s.Directory.Channels.Thread(ctx, t)
	if err != nil {
		return store.Event{}, err
	}
	to := events.Audience{Guild: t.Guild, Channel: t.ID, Intents: events.Guilds}
	return event(store.GuildSubject(t.Guild), name, wire.NewThread{Thread: shown, New: isNew}, to)
}

// event returns an event about a subject.
func event(about store.Subject, name string, value any, to events.Audience) (store.Event, error) {
	data, err := json.Marshal(value)
	return store.Event{Subject: about, Event: events.Event{Name: name, Data: data, To: to}}, err
}

// membersUpdate is the data of THREAD_MEMBERS_UPDATE.
type membersUpdate struct {
	ID      snowflake.Channel `json:"id"`
	Guild   snowflake.Guild   `json:"guild_id"`
	Count   int               `json:"member_count"`
	Added   []addedMember     `json:"added_members,omitzero"`
	Removed []snowflake.User  `json:"removed_member_ids,omitzero"`
}

// addedMember is a new member of a thread. Bellhop knows no presence.
type addedMember struct {
	wire.ThreadMember

	Presence *struct{} `json:"presence"`
}

// maxShownMembers is the largest number of members that events show.
const maxShownMembers = 50

// membersEvents returns the events about new and removed members of a thread, which has count members now. Sessions with the
// intent GUILD_MEMBERS get all changes, the others those of their own user.
func (s *Threads) membersEvents(
	ctx context.Context, t *store.Channel, count int, added []store.ThreadMember, removed []snowflake.User,
) ([]store.Event, error) {
	update := membersUpdate{ID: t.ID, Guild: t.Guild, Count: min(count, maxShownMembers), Removed: removed}
	changed := removed
	for _, m := range added {
		shown := convert.WireThreadMember(m)
		member, err := s.Directory.Guilds.MemberWithUser(ctx, t.Guild, m.User)
		switch {
		case err == nil:
			shown.Member = &member
		case !errors.Is(err, directory.ErrUnknownMember):
			return nil, err
		}
		update.Added = append(update.Added, addedMember{ThreadMember: shown})
		changed = append(changed[:len(changed):len(changed)], m.User)
	}
	about := store.ThreadMembersSubject(t.ID)
	all, err := event(about, "THREAD_MEMBERS_UPDATE", update, events.Audience{
		Guild: t.Guild, Channel: t.ID, Intents: events.GuildMembers, Except: changed,
	})
	if err != nil {
		return nil, err
	}
	list := []store.Event{all}
	for _, id := range changed {
		to, err := s.toUser(ctx, t.Guild, id)
		if err != nil {
			return nil, err
		}
		list = append(list, store.Event{Subject: about, Event: events.Event{Name: all.Name, Data: all.Data, To: to}})
	}
	if t.Type == world.PrivateThread { // other users see the thread now
		list[0].Change = &events.Change{Guild: t.Guild}
	}
	return list, nil
}

// toUser returns the audience of an event for one member of a guild.
func (s *Threads) toUser(ctx context.Context, guild snowflake.Guild, id snowflake.User) (events.Audience, error) {
	u, err := s.Directory.Users.User(ctx, id)
	if errors.Is(err, directory.ErrUnknownUser) {
		return events.Audience{Users: []snowflake.User{id}}, nil
	}
	if err != nil {
		return events.Audience{}, err
	}
	to := directory.OwnSessions(u, guild)
	to.Intents = events.Guilds
	return to, nil
}

// memberUpdate is the data of THREAD_MEMBER_UPDATE.
type memberUpdate struct {
	wire.ThreadMember

	Guild snowflake.Guild `json:"guild_id"`
}

// reopenedEvents returns the event for each member of a thread that was unarchived: the member's own member.
func (s *Threads) reopenedEvents(ctx context.Context, t *store.Channel) ([]store.Event, error) {
	members, err := s.Directory.Channels.ThreadMembers(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	var list []store.Event
	for _, m := range members {
		to, err := s.toUser(ctx, t.Guild, m.User)
		if err != nil {
			return nil, err
		}
		e, err := event(store.GuildSubject(t.Guild), "THREAD_MEMBER_UPDATE", memberUpdate{convert.WireThreadMember(m), t.Guild}, to)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}
