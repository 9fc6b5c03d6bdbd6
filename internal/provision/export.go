package provision

import (
	"context"
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of an exported world.
const (
	// MaxExported is the number of messages that an exported channel or thread has at most: the newest ones.
	MaxExported = 100
	// maxExportedInGuild is the number of messages that an exported guild has at most.
	maxExportedInGuild = 10_000
)

// Export returns the directory as a world, with the webhooks, threads and newest messages of channels. It leaves out tokens,
// secrets, files, polls, forwards, system messages and ephemeral messages.
func Export(ctx context.Context, d *directory.Directory) (world.World, error) {
	w, err := d.Export(ctx)
	if err != nil {
		return w, err
	}
	for i := range w.Guilds {
		err := d.Read(ctx, func(r store.Reader) error {
			e := exporter{r, maxExportedInGuild}
			return e.guild(&w.Guilds[i])
		})
		if err != nil {
			return w, err
		}
	}
	return w, nil
}

// exporter reads the contents of the channels of a guild.
type exporter struct {
	store.Reader

	left int // messages
}

func (e *exporter) guild(g *world.Guild) error {
	// A thread with its state is below its channel.
	var rest []world.Channel
	for _, c := range g.Channels {
		if world.IsThread(c.Type) {
			t, err := e.Directory.Channel(c.ID)
			if err != nil || t.Thread != nil {
				continue
			}
		}
		rest = append(rest, c)
	}
	g.Channels = rest
	for i := range g.Channels {
		if err := e.channel(&g.Channels[i]); err != nil {
			return fmt.Errorf("channel %s: %w", g.Channels[i].ID, err)
		}
	}
	return nil
}

func (e *exporter) channel(c *world.Channel) (err error) {
	const incoming = 1
	hooks, err := e.Webhooks.OfChannel(c.ID)
	if err != nil {
		return err
	}
	for _, h := range hooks {
		if h.Type == incoming {
			c.Webhooks = append(c.Webhooks, world.Webhook{ID: h.ID, Name: h.Name, Creator: h.User})
		}
	}
	if c.Messages, err = e.messages(c.ID, c.Webhooks); err != nil {
		return err
	}
	threads, err := e.Threads.Of(c.ID, world.MaxThreads)
	if err != nil {
		return err
	}
	for _, t := range threads {
		h := world.Thread{ID: t.ID, Name: t.Name, Type: t.Type, Owner: t.Owner, Archived: t.Archived, Locked: t.Thread.Locked}
		members, err := e.Threads.Members(t.ID)
		if err != nil {
			return err
		}
		for _, m := range members {
			if m.User != t.Owner {
				h.Members = append(h.Members, m.User)
			}
		}
		if h.Messages, err = e.messages(t.ID, c.Webhooks); err != nil {
			return err
		}
		c.Threads = append(c.Threads, h)
	}
	return nil
}

// messages returns the newest messages of a channel that a world can have, the oldest first.
func (e *exporter) messages(channel snowflake.Channel, hooks []world.Webhook) ([]world.Message, error) {
	const newest = 1<<63 - 1
	records, err := e.Messages.Before(channel, newest, min(MaxExported, e.left))
	if err != nil {
		return nil, err
	}
	var list []world.Message
	for i := range records {
		m, ok, err := exported(&records[i])
		if err != nil {
			return nil, err
		}
		if ok && (m.Webhook == 0 || slices.ContainsFunc(hooks, func(h world.Webhook) bool { return h.ID == m.Webhook })) {
			list = append(list, m)
		}
	}
	e.left -= len(list)
	slices.SortFunc(list, func(a, b world.Message) int { return int(min(max(int64(a.ID-b.ID), -1), 1)) })
	return list, nil
}

// exported returns a message as a world record. It reports false for a message that a world cannot have.
func exported(r *store.Message) (world.Message, bool, error) {
	if r.Ephemeral || r.Poll != nil || r.Snapshot != nil || !r.Type.Written() {
		return world.Message{}, false, nil
	}
	c, err := message.ParseContent(r.Content)
	if err != nil {
		return world.Message{}, false, err
	}
	m := world.Message{ID: r.ID, Author: r.Author(), Content: c.Text, ReplyTo: r.Reference, Flags: int(c.Flags & settable), Pinned: !r.Pinned.IsZero()}
	if r.Webhook != nil {
		m.Author, m.Webhook = 0, r.Webhook.ID
	}
	v, err := jsonbody.Parse(r.Content)
	if err != nil {
		return world.Message{}, false, err
	}
	m.Embeds, m.Components = world.Definitions(v.Get("embeds")), world.Definitions(v.Get("components"))
	_, err = m.Parse()
	return m, err == nil, nil // a message with only files is empty without them
}

// settable are the flags that a request can set.
const settable = message.SuppressEmbeds | message.SuppressNotifications | message.IsComponentsV2
