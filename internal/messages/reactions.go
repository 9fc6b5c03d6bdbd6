package messages

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Names of the events about reactions.
const (
	reactionAdded    = "MESSAGE_REACTION_ADD"
	reactionRemoved  = "MESSAGE_REACTION_REMOVE"
	reactionsCleared = "MESSAGE_REACTION_REMOVE_ALL"
	emojiCleared     = "MESSAGE_REACTION_REMOVE_EMOJI"
)

// Sizes of a page of users who reacted.
const (
	DefaultReactors = 25
	MaxReactors     = 100
)

// ReactorsPage selects users who reacted to a message with an emoji.
type ReactorsPage struct {
	After snowflake.User
	Limit int // 1 to MaxReactors
}

// ReactionPath names the reactions to a message with one emoji.
type ReactionPath struct {
	Channel snowflake.Channel
	Message snowflake.Message
	Emoji   string // as in the path of the request, decoded
	Burst   bool   // a burst reaction, which Bellhop does not have
}

// reacting is a decision about the reactions to a message with one emoji.
type reacting struct {
	place *directory.Place
	m     *store.Message
	emoji message.Emoji
	index int // of the emoji in the reactions of the message; -1: there is none
}

// key returns the key of the emoji in the store.
func (r *reacting) key() string { return r.emoji.Key() }

// openReactions returns a message and the emoji of a request. It is part of a decision.
func (s *Messages) openReactions(ctx context.Context, viewer directory.Viewer, at ReactionPath) (*reacting, error) {
	place, m, err := s.Open(ctx, viewer, at.Channel, at.Message)
	if err != nil {
		return nil, err
	}
	r := &reacting{place: place, m: m}
	if r.emoji, err = message.ParseEmoji(at.Emoji); err != nil {
		return nil, err
	}
	key := r.key()
	r.index = slices.IndexFunc(m.Reactions, func(c store.ReactionCount) bool { return message.Emoji(c.Emoji).Key() == key })
	if r.index >= 0 {
		r.emoji = message.Emoji(m.Reactions[r.index].Emoji) // the name in the path may be an old one
	}
	return r, nil
}

// React adds the reaction of a viewer to a message. It changes nothing if the viewer reacted with the emoji before.
func (s *Messages) React(ctx context.Context, viewer directory.Viewer, at ReactionPath) error {
	return s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		r, err := s.openReactions(ctx, viewer, at)
		if err != nil {
			return c, err
		}
		if err := s.allowAdd(ctx, r); err != nil {
			return c, err
		}
		if at.Burst {
			return c, apierror.BurstDenied
		}
		reacted, err := s.reacted(ctx, r, viewer.User)
		if err != nil || reacted {
			return c, err
		}
		if r.index >= 0 {
			r.m.Reactions[r.index].Count++
		} else {
			if len(r.m.Reactions) >= message.MaxReactions {
				return c, apierror.TooManyReactions
			}
			r.m.Reactions = append(r.m.Reactions, store.ReactionCount{Emoji: store.Emoji(r.emoji), Count: 1})
		}
		c.Put = append(c.Put, store.Reaction{Channel: r.m.Channel, Message: r.m.ID, Emoji: r.key(), User: viewer.User})
		data, err := s.addedData(ctx, r)
		if err != nil {
			return c, err
		}
		return c, s.putReactions(ctx, &c, r.m, reactionAdded, data)
	})
}

// allowAdd checks whether the viewer may react. A custom emoji that the service does not know counts as one of another guild.
func (s *Messages) allowAdd(ctx context.Context, r *reacting) error {
	op := permission.OpAddFirstReaction
	timedOut := r.place.Member.TimedOut && !r.place.Member.Administrator()
	if r.index >= 0 && !timedOut { // the permission to join a reaction would remain during a timeout
		op = permission.OpJoinReaction
	}
	if err := r.place.Allow(op, true); err != nil {
		return err
	}
	if err := r.place.AllowState(channel.ThreadReact); err != nil || r.index >= 0 || r.emoji.ID == 0 {
		return err
	}
	known, err := s.emoji(ctx, r.emoji.ID)
	if err != nil {
		return err
	}
	if known.ID != 0 {
		r.emoji.Name, r.emoji.Animated = known.Name, known.Animated
	}
	if r.emoji.Name == "" {
		return apierror.UnknownReaction
	}
	if belongsHere(r.place, &known) {
		return nil
	}
	return r.place.Allow(permission.OpUseExternalReaction, true)
}

// belongsHere reports whether an emoji is one of the viewer's own application or of the guild of a place.
func belongsHere(p *directory.Place, e *store.CustomEmoji) bool {
	own := e.Application != 0 && p.Viewer.Bot && snowflake.Application(p.Viewer.User) == e.Application
	return own || e.Guild != 0 && e.Guild == p.Channel.Guild
}

// emoji returns a custom emoji, or one without an id if the service does not know it.
func (s *Messages) emoji(ctx context.Context, id snowflake.Emoji) (e store.CustomEmoji, err error) {
	err = s.Cache.Store().Read(ctx, func(r store.Reader) error {
		if e, err = r.Directory.Emoji(id); errors.Is(err, store.ErrNotFound) {
			err = nil
		}
		return err
	})
	return e, err
}

// reacted reports whether a user reacted to a message.
func (s *Messages) reacted(ctx context.Context, r *reacting, user snowflake.User) (found bool, err error) {
	if r.index < 0 {
		return false, nil
	}
	err = s.Cache.Store().Read(ctx, func(q store.Reader) error {
		found, err = q.Messages.Reacted(r.m.ID, r.key(), user)
		return err
	})
	return found, err
}

// Unreact removes the reaction of a user from a message. It changes nothing if the user did not react with the emoji.
func (s *Messages) Unreact(ctx context.Context, viewer directory.Viewer, at ReactionPath, user snowflake.User) error {
	return s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		r, err := s.openReactions(ctx, viewer, at)
		if err != nil {
			return c, err
		}
		if err := r.allowRemove(permission.OpRemoveReaction, user == viewer.User); err != nil {
			return c, err
		}
		reacted, err := s.reacted(ctx, r, user)
		if err != nil || !reacted {
			return c, err
		}
		if r.m.Reactions[r.index].Count--; r.m.Reactions[r.index].Count <= 0 {
			r.m.Reactions = slices.Delete(r.m.Reactions, r.index, r.index+1)
		}
		c.Delete = append(c.Delete, store.ReactionKey(store.Reaction{Channel: r.m.Channel, Message: r.m.ID, Emoji: r.key(), User: user}))
		var p wire.Printer
		p.ID(`{"user_id":`, uint64(user))
		p.Raw(`,`)
		printReacted(&p, r.m)
		r.emoji.PrintEmoji(&p, `,"emoji":`)
		p.Raw(`,"burst":false,"type":0}`)
		return c, s.putReactions(ctx, &c, r.m, reactionRemoved, p.Out)
	})
}

// allowRemove checks whether the viewer may remove reactions.
func (r *reacting) allowRemove(op permission.Operation, own bool) error {
	if err := r.place.Allow(op, own); err != nil {
		return err
	}
	return r.place.AllowState(channel.ThreadReact)
}

// ClearEmoji removes all reactions to a message with one emoji.
func (s *Messages) ClearEmoji(ctx context.Context, viewer directory.Viewer, at ReactionPath) error {
	return s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		r, err := s.openReactions(ctx, viewer, at)
		if err != nil {
			return c, err
		}
		if err := r.allowRemove(permission.OpClearReactions, false); err != nil || r.index < 0 {
			return c, err
		}
		r.m.Reactions = slices.Delete(r.m.Reactions, r.index, r.index+1)
		c.Delete = append(c.Delete, store.ReactionsKey(r.m.Channel, r.m.ID, r.key()))
		var p wire.Printer
		p.Raw(`{`)
		printReacted(&p, r.m)
		r.emoji.PrintEmoji(&p, `,"emoji":`)
		p.Raw(`}`)
		return c, s.putReactions(ctx, &c, r.m, emojiCleared, p.Out)
	})
}

// ClearReactions removes all reactions to a message.
func (s *Messages) ClearReactions(
	ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, id snowflake.Message,
) error {
	return s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		r := reacting{}
		if r.place, r.m, err = s.Open(ctx, viewer, channel, id); err != nil {
			return c, err
		}
		if err := r.allowRemove(permission.OpClearReactions, false); err != nil || len(r.m.Reactions) == 0 {
			return c, err
		}
		r.m.Reactions = nil
		c.Delete = append(c.Delete, store.ReactionsKey(r.m.Channel, r.m.ID, ""))
		var p wire.Printer
		p.Raw(`{`)
		printReacted(&p, r.m)
		p.Raw(`}`)
		return c, s.putReactions(ctx, &c, r.m, reactionsCleared, p.Out)
	})
}

// putReactions adds a message with other reactions to a change, and the event about them.
func (s *Messages) putReactions(ctx context.Context, c *store.Change, m *store.Message, name string, data []byte) error {
	return s.PutState(ctx, c, m, []events.Event{{Name: name, Data: data}}, events.GuildReactions, events.DirectReactions)
}

// PutState adds a message with other reactions or votes to a change, and the events about them. inGuild and direct are the
// intents that bots need in a guild and outside of guilds.
func (s *Messages) PutState(
	ctx context.Context, c *store.Change, m *store.Message, about []events.Event, inGuild, direct uint32,
) error {
	for _, e := range about {
		list, err := s.channelEvents(ctx, m.Channel, m.Guild, e, inGuild, direct)
		if err != nil {
			return err
		}
		c.Events = append(c.Events, withSubject(m, list...)...)
	}
	c.Put = append(c.Put, *m)
	return s.touch(ctx, c, m.Channel)
}

// addedData returns the data of the event about a new reaction of the viewer.
func (s *Messages) addedData(ctx context.Context, r *reacting) ([]byte, error) {
	var p wire.Printer
	p.ID(`{"user_id":`, uint64(r.place.Viewer.User))
	p.Raw(`,`)
	printReacted(&p, r.m)
	if r.m.Guild != 0 {
		if err := s.printMember(ctx, &p, r.m.Guild, r.place.Viewer.User); err != nil {
			return nil, err
		}
	}
	r.emoji.PrintEmoji(&p, `,"emoji":`)
	if author := r.m.Author(); author != 0 {
		p.ID(`,"message_author_id":`, uint64(author))
	}
	p.Raw(`,"burst":false,"burst_colors":[],"type":0}`)
	return p.Out, nil
}

// printMember writes the member of an event with its user.
func (s *Messages) printMember(ctx context.Context, p *wire.Printer, guild snowflake.Guild, id snowflake.User) error {
	u, err := s.user(ctx, id)
	if err != nil {
		return err
	}
	member, err := s.member(ctx, guild, u)
	if err == nil && member != nil {
		member.Print(p, `,"member":`, wire.FullMember)
	}
	return err
}

// printReacted writes the message of an event about reactions.
func printReacted(p *wire.Printer, m *store.Message) {
	p.ID(`"channel_id":`, uint64(m.Channel))
	p.ID(`,"message_id":`, uint64(m.ID))
	if m.Guild != 0 {
		p.ID(`,"guild_id":`, uint64(m.Guild))
	}
}

// Reactors returns the JSON of the users who reacted to a message with an emoji, by ascending id. It leaves out users that
// no longer exist.
func (s *Messages) Reactors(
	ctx context.Context, viewer directory.Viewer, at ReactionPath, page ReactorsPage,
) ([]byte, error) {
	r, err := s.openReactions(ctx, viewer, at)
	if err != nil {
		return nil, err
	}
	if err := r.place.Allow(permission.OpListReactions, false); err != nil {
		return nil, err
	}
	if at.Burst {
		return []byte(`[]`), nil
	}
	var ids []snowflake.User
	err = s.Cache.Store().Read(ctx, func(q store.Reader) (err error) {
		ids, err = q.Messages.Reactors(r.m.ID, r.key(), page.After, page.Limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Users(ctx, ids)
}

// Users returns the JSON of a list of users. It leaves out users that no longer exist.
func (s *Messages) Users(ctx context.Context, ids []snowflake.User) ([]byte, error) {
	p := wire.Printer{Out: []byte{'['}}
	for _, id := range ids {
		u, err := s.Directory.Users.User(ctx, id)
		if errors.Is(err, directory.ErrUnknownUser) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p.Comma(len(p.Out) > 1)
		shown := convert.WireUser(u)
		shown.Print(&p, "")
	}
	return append(p.Out, ']'), nil
}

// reactionsOf returns the reactions to a message as a reader sees them who reacted with none.
func reactionsOf(m *store.Message) []message.Reaction {
	if len(m.Reactions) == 0 {
		return nil
	}
	list := make([]message.Reaction, len(m.Reactions))
	for i, r := range m.Reactions {
		list[i] = message.Reaction{Emoji: message.Emoji(r.Emoji), Count: r.Count}
	}
	return list
}

// markOwn marks the reactions to a message that a user made, and the answers of its poll that the user voted for.
func (s *Messages) markOwn(ctx context.Context, p *message.Post, user snowflake.User) error {
	if len(p.Reactions)+len(p.Results.Counts) == 0 {
		return nil
	}
	return s.Cache.Store().Read(ctx, func(q store.Reader) (err error) {
		for i := range p.Reactions {
			r := &p.Reactions[i]
			if r.Me, err = q.Messages.Reacted(p.ID, r.Emoji.Key(), user); err != nil {
				return err
			}
		}
		for i := range p.Results.Counts {
			c := &p.Results.Counts[i]
			if c.Mine, err = q.Messages.Voted(p.ID, c.Answer, user); err != nil {
				return err
			}
		}
		return nil
	})
}
