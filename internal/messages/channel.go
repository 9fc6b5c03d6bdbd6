package messages

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
)

// Load returns a message of a channel that a decision changes, or nil if it does not exist. The decision depends on it from
// then on. Of an ephemeral message the caller has loaded the interaction.
func (s *Messages) Load(ctx context.Context, channel snowflake.Channel, id snowflake.Message) (*store.Message, error) {
	if _, err := s.channels.Load(ctx, channel); err != nil {
		return nil, err
	}
	m, err := s.Find(ctx, id)
	if err != nil || m == nil || m.Channel != channel {
		return nil, err
	}
	return m, nil
}

// addCreated adds a new message to the messages of its channel.
func (s *Messages) addCreated(ctx context.Context, c *store.Change, m *store.Message) error {
	next, err := s.upcoming(ctx, c, m.Channel)
	if err != nil {
		return err
	}
	next.Guild, next.Last, next.Count, next.Sent = m.Guild, max(next.Last, m.ID), next.Count+1, next.Sent+1
	s.setChannel(c, next)
	return nil
}

// ShareCommit lets the next decisions on the messages of a channel build on a change that creates a message there, if it writes
// nothing else that they read. They do not read the new message, whose id no caller knows before the commit, nor interactions.
func ShareCommit(c *store.Change, channel snowflake.Channel) {
	for _, r := range c.Put {
		switch r.(type) {
		case store.Message, store.ChannelMessages, store.Interaction:
		default:
			return
		}
	}
	if len(c.Delete) == 0 {
		c.Extendable = []store.Subject{store.MessagesSubject(channel)}
	}
}

// upcoming returns the state of the messages of a channel after the change that a decision composes.
func (s *Messages) upcoming(ctx context.Context, c *store.Change, channel snowflake.Channel) (store.ChannelMessages, error) {
	if i := channelIn(c, channel); i >= 0 {
		return c.Put[i].(store.ChannelMessages), nil
	}
	before, err := s.channels.Load(ctx, channel)
	if err != nil {
		return store.ChannelMessages{}, err
	}
	return before.ChannelMessages, nil
}

// channelIn returns the index of the state of a channel's messages in the records of a change, or -1.
func channelIn(c *store.Change, channel snowflake.Channel) int {
	return slices.IndexFunc(c.Put, func(r store.Record) bool {
		known, ok := r.(store.ChannelMessages)
		return ok && known.Channel == channel
	})
}

// setChannel adds the next state of the messages of a channel to a change. It replaces an earlier one in the change.
func (s *Messages) setChannel(c *store.Change, next store.ChannelMessages) {
	if i := channelIn(c, next.Channel); i >= 0 {
		c.Put[i] = next
	} else {
		c.Put = append(c.Put, next)
	}
	s.channels.Next(c, next.Channel, &cache.ChannelMessages{ChannelMessages: next})
}

// touch gives the messages of a channel a new revision.
func (s *Messages) touch(ctx context.Context, c *store.Change, channel snowflake.Channel) error {
	same, err := s.upcoming(ctx, c, channel)
	if err == nil {
		s.channels.Next(c, channel, &cache.ChannelMessages{ChannelMessages: same})
	}
	return err
}
