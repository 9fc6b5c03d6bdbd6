package threads

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// addMembers adds members and their events to a change. A new member gets the thread before.
func (s *Threads) addMembers(ctx context.Context, c *store.Change, t *store.Channel, users []snowflake.User) error {
	if len(users) == 0 {
		return nil
	}
	before, err := s.Directory.Channels.ThreadMembers(ctx, t.ID)
	if err != nil {
		return err
	}
	shown, err := s.Directory.Channels.Thread(ctx, t)
	if err != nil {
		return err
	}
	shown.MemberCount = min(len(before)+len(users), maxShownMembers)
	var added []store.ThreadMember
	for _, id := range users {
		m := store.ThreadMember{Thread: t.ID, User: id, Joined: s.now()}
		added = append(added, m)
		c.Put = append(c.Put, m)
		to, err := s.toUser(ctx, t.Guild, id)
		if err != nil {
			return err
		}
		shown.Member = new(convert.WireThreadMember(m))
		e, err := event(store.ThreadMembersSubject(t.ID), "THREAD_CREATE", wire.NewThread{Thread: shown}, to)
		if err != nil {
			return err
		}
		c.Events = append(c.Events, e)
	}
	list, err := s.membersEvents(ctx, t, len(before)+len(users), added, nil)
	c.Events = append(c.Events, list...)
	return err
}

// Add adds a user to a thread. The viewer can join so. A user whom another user adds is announced in the thread.
func (s *Threads) Add(ctx context.Context, viewer directory.Viewer, id snowflake.Channel, user snowflake.User) error {
	var made *started
	err := s.Cache.Decide(context.WithoutCancel(ctx), s.decider(&made, func(ctx context.Context, c *store.Change) (*started, error) {
		place, err := s.enterThread(ctx, viewer, id)
		if err != nil {
			return nil, err
		}
		if err := allowAdd(place, user); err != nil {
			return nil, err
		}
		members, err := s.Directory.Channels.ThreadMembers(ctx, id)
		if err != nil || members.Has(user) {
			return &started{}, err
		}
		if len(members) >= MaxMembers {
			return nil, apierror.TooManyInThread
		}
		if user != viewer.User {
			if err := s.checkTarget(ctx, place, user); err != nil {
				return nil, err
			}
		}
		if err := s.addMembers(ctx, c, place.Channel, []snowflake.User{user}); err != nil || user == viewer.User {
			return &started{}, err
		}
		return s.notice(ctx, c, place, message.RecipientAdd, user)
	}))
	_, err = s.finish(ctx, made, err)
	return err
}

// allowAdd checks whether the viewer may add a user to a thread.
func allowAdd(place *directory.Place, user snowflake.User) error {
	op, t := permission.OpAddThreadMember, place.Channel
	private := channel.Type(t.Type) == channel.PrivateThread
	switch {
	case user == place.Viewer.User:
		op = permission.OpJoinThread
	case private && t.Thread != nil && !t.Thread.Invitable:
		op = permission.OpAddUninvitedMember
	}
	if err := place.Allow(op, true); err != nil {
		return err
	}
	return place.AllowState(channel.ThreadJoin)
}

// checkTarget checks that a user whom another user adds sees the channel of the thread.
func (s *Threads) checkTarget(ctx context.Context, place *directory.Place, user snowflake.User) error {
	if _, err := s.Directory.Users.User(ctx, user); err != nil {
		return err
	}
	sees, err := s.Directory.Guilds.Sees(ctx, place.Channel.Guild, place.Channel.Parent, directory.Viewer{User: user})
	if err == nil && !sees {
		err = apierror.MissingAccess
	}
	return err
}

// notice adds a system message about a user to a change.
func (s *Threads) notice(
	ctx context.Context, c *store.Change, place *directory.Place, kind message.Type, user snowflake.User,
) (*started, error) {
	m := messages.SystemMessage(place.Channel, place.Viewer, kind)
	m.Mentions = []snowflake.User{user}
	made, err := s.Messages.PutSystem(ctx, c, m, "")
	return &started{done: []messages.Announcement{made}}, err
}

// Remove removes a user from a thread. The viewer can leave so. A user whom another user removes is announced in the thread.
func (s *Threads) Remove(ctx context.Context, viewer directory.Viewer, id snowflake.Channel, user snowflake.User) error {
	var made *started
	err := s.Cache.Decide(context.WithoutCancel(ctx), s.decider(&made, func(ctx context.Context, c *store.Change) (*started, error) {
		place, err := s.enterThread(ctx, viewer, id)
		if err != nil {
			return nil, err
		}
		self := user == viewer.User
		own := self || channel.Type(place.Channel.Type) == channel.PrivateThread && owns(place, viewer.User)
		if err := place.Allow(permission.OpRemoveThreadMember, own); err != nil {
			return nil, err
		}
		if err := place.AllowState(channel.ThreadJoin); err != nil {
			return nil, err
		}
		members, err := s.Directory.Channels.ThreadMembers(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case !members.Has(user) && self:
			return &started{}, nil
		case !members.Has(user):
			return nil, apierror.UnknownMember
		}
		c.Delete = append(c.Delete, store.ThreadMemberKey(id, user))
		list, err := s.membersEvents(ctx, place.Channel, len(members)-1, nil, []snowflake.User{user})
		c.Events = append(c.Events, list...)
		if err != nil || self {
			return &started{}, err
		}
		return s.notice(ctx, c, place, message.RecipientRemove, user)
	}))
	_, err = s.finish(ctx, made, err)
	return err
}

// Member returns a member of a thread. withMember adds the user in the guild.
func (s *Threads) Member(
	ctx context.Context, viewer directory.Viewer, id snowflake.Channel, user snowflake.User, withMember bool,
) (wire.ThreadMember, error) {
	if _, err := s.enterThread(ctx, viewer, id); err != nil {
		return wire.ThreadMember{}, err
	}
	members, err := s.Directory.Channels.ThreadMembers(ctx, id)
	if err != nil {
		return wire.ThreadMember{}, err
	}
	m, found := members.Find(user)
	if !found {
		return wire.ThreadMember{}, apierror.UnknownMember
	}
	return s.shownMember(ctx, viewer, id, m, withMember)
}

// shownMember returns the API object of a member.
func (s *Threads) shownMember(
	ctx context.Context, viewer directory.Viewer, id snowflake.Channel, m store.ThreadMember, withMember bool,
) (wire.ThreadMember, error) {
	shown := convert.WireThreadMember(m)
	if !withMember {
		return shown, nil
	}
	place, err := s.Directory.Channels.Enter(ctx, id, viewer)
	if err != nil {
		return shown, err
	}
	member, err := s.Directory.Guilds.MemberWithUser(ctx, place.Channel.Guild, m.User)
	if errors.Is(err, directory.ErrUnknownMember) {
		return shown, nil
	}
	shown.Member = &member
	return shown, err
}

// MemberPage selects members of a thread. Only a page with guild members has bounds.
type MemberPage struct {
	WithMember bool
	After      snowflake.User
	Limit      int
}

// Members returns members of a thread, ordered by user. The app of the viewer needs the intent for members.
func (s *Threads) Members(
	ctx context.Context, viewer directory.Viewer, id snowflake.Channel, p MemberPage,
) ([]wire.ThreadMember, error) {
	place, err := s.enterThread(ctx, viewer, id)
	if err != nil {
		return nil, err
	}
	if err := place.Allow(permission.OpListThreadMembers, true); err != nil {
		return nil, err
	}
	switch allowed, err := s.Directory.Applications.HasIntent(ctx, viewer, world.GuildMembers); {
	case err != nil:
		return nil, err
	case !allowed:
		return nil, apierror.MissingAccess
	}
	members, err := s.Directory.Channels.ThreadMembers(ctx, id)
	if err != nil {
		return nil, err
	}
	if p.WithMember {
		first := slices.IndexFunc(members, func(m store.ThreadMember) bool { return m.User > p.After })
		if first < 0 {
			first = len(members)
		}
		members = members[first:min(len(members), first+p.Limit)]
	}
	list := make([]wire.ThreadMember, len(members))
	for i, m := range members {
		if list[i], err = s.shownMember(ctx, viewer, id, m, p.WithMember); err != nil {
			return nil, err
		}
	}
	return list, nil
}
