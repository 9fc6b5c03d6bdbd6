package provision

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// contents writes the webhooks, messages and threads of the channels of a guild. They send no events: they are the state in
// which a channel starts.
func (w *batch) contents(t *jsonbody.Tree, g world.Guild) error {
	for i := range g.Channels {
		c, at := &g.Channels[i], t.At("channels").Index(i)
		for j, h := range c.Webhooks {
			if err := w.webhook(at.At("webhooks").Index(j), g.ID, c.ID, h); err != nil {
				return err
			}
		}
		if err := w.messages(at.At("messages"), g.ID, c.ID, c.Messages); err != nil {
			return err
		}
		for j := range c.Threads {
			if err := w.thread(at.At("threads").Index(j), g, c.ID, &c.Threads[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// webhook writes a webhook. One that exists keeps its token.
func (w *batch) webhook(t *jsonbody.Tree, guild snowflake.Guild, channel snowflake.Channel, h world.Webhook) error {
	const incoming = 1
	old, err := w.tx.Webhooks.Webhook(h.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	record := store.Webhook{ID: h.ID, Type: incoming, Guild: guild, Channel: channel, User: h.Creator, Name: h.Name}
	if _, err := w.tx.Directory.Application(snowflake.Application(h.Creator)); err == nil {
		record.Application = snowflake.Application(h.Creator)
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	switch {
	case err != nil:
		record.Salt = make([]byte, 16)
		_, _ = rand.Read(record.Salt) // it never returns an error
	case old.Guild != guild || old.Type != incoming:
		t.At("id").Add(Taken, "Is the id of a webhook elsewhere.")
		return nil
	case old.Channel == channel && old.Name == h.Name && old.User == h.Creator:
		return nil
	default:
		record.Salt, record.Avatar = old.Salt, old.Avatar
		w.tx.Delete(store.WebhookKey(old))
	}
	w.applied.Changed++
	return w.tx.Put(record)
}

// thread writes a thread with its members and messages. A thread that exists keeps what the world does not say.
func (w *batch) thread(t *jsonbody.Tree, g world.Guild, parent snowflake.Channel, h *world.Thread) error {
	old, err := w.tx.Directory.Channel(h.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil && old.Guild != g.ID {
		t.At("id").Add(Taken, "Is the id of a channel elsewhere.")
		return nil
	}
	record := convert.ThreadRecord(g, parent, h, old, w.now)
	if _, err := replace(w, &directory.ChannelKind, old, err, record); err != nil {
		return err
	}
	members, err := w.tx.Threads.Members(h.ID)
	if err != nil {
		return err
	}
	for _, user := range append([]snowflake.User{record.Owner}, h.Members...) {
		if slices.ContainsFunc(members, func(m store.ThreadMember) bool { return m.User == user }) {
			continue
		}
		m := store.ThreadMember{Thread: h.ID, User: user, Joined: w.now}
		members = append(members, m)
		w.applied.Changed++
		if err := w.tx.Put(m); err != nil {
			return err
		}
	}
	return w.messages(t.At("messages"), g.ID, h.ID, h.Messages)
}

// messages writes the messages of a channel or a thread.
func (w *batch) messages(t *jsonbody.Tree, guild snowflake.Guild, channel snowflake.Channel, list []world.Message) error {
	if len(list) == 0 {
		return nil
	}
	state, err := w.tx.Messages.Channel(channel)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	state.Channel, state.Guild = channel, guild
	before := w.applied.Changed
	for i := range list {
		if err := w.message(t.Index(i), &state, &list[i]); err != nil {
			return err
		}
	}
	if w.applied.Changed == before {
		return nil
	}
	return w.tx.Put(state)
}

// message writes a message, and adds it to the state of the messages of its channel.
func (w *batch) message(t *jsonbody.Tree, state *store.ChannelMessages, m *world.Message) error {
	content, err := m.Parse()
	if err != nil {
		return fmt.Errorf("message %s: %w", m.ID, err)
	}
	old, err := w.tx.Messages.Message(m.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	isNew := err != nil
	if !isNew && old.Channel != state.Channel {
		t.At("id").Add(Taken, "Is the id of a message elsewhere.")
		return nil
	}
	record, ok, err := w.author(t, store.Message{ID: m.ID, Channel: state.Channel, Guild: state.Guild}, m)
	if err != nil || !ok {
		return err
	}
	if m.ReplyTo != 0 {
		record.Type, record.Reference = message.Reply, m.ReplyTo
	}
	record.SetContent(content)
	if isNew {
		record.Position = state.Sent
		state.Last, state.Count, state.Sent = max(state.Last, m.ID), state.Count+1, state.Sent+1
	} else {
		same, err := sameMessage(&old, &record)
		if err != nil || same && (!m.Pinned || !old.Pinned.IsZero()) {
			return err
		}
		record.Reactions, record.Pinned, record.Position = old.Reactions, old.Pinned, old.Position
	}
	w.applied.Changed++
	if m.Pinned && record.Pinned.IsZero() {
		if record.Pinned = w.now; !w.now.After(state.LastPin) {
			record.Pinned = state.LastPin.Add(time.Microsecond)
		}
		state.Pins, state.LastPin = state.Pins+1, record.Pinned
		if err := w.tx.Put(store.Pin{Channel: state.Channel, Message: m.ID, At: record.Pinned}); err != nil {
			return err
		}
	}
	return w.tx.Put(record)
}

// author adds the author of a message. It reports false if the webhook that wrote it does not exist.
func (w *batch) author(t *jsonbody.Tree, record store.Message, m *world.Message) (store.Message, bool, error) {
	if m.Webhook != 0 {
		h, err := w.tx.Webhooks.Webhook(m.Webhook)
		if errors.Is(err, store.ErrNotFound) || err == nil && h.Guild != record.Guild {
			t.At("webhook").Add(UnknownReference, fmt.Sprintf("There is no webhook %s in guild %s.", m.Webhook, record.Guild))
			return record, false, nil
		}
		record.Webhook, record.Application = &store.WebhookAuthor{ID: h.ID, Name: h.Name, Avatar: h.Avatar}, h.Application
		return record, true, err
	}
	u, err := directory.ReadUser(w.tx.Reader, m.Author)
	if err != nil {
		return record, false, err
	}
	record.User = m.Author
	if u.Bot {
		record.Application = snowflake.Application(m.Author)
		record.Metadata.Owners = store.Owners{ByGuild: true, Guild: record.Guild}
	}
	return record, true, nil
}

// sameMessage reports whether a stored message has the author, the text and the reference of a message of a world.
func sameMessage(old, record *store.Message) (bool, error) {
	content, err := message.ParseContent(old.Content)
	if err != nil {
		return false, err
	}
	content.Attachments = nil // a world has no files
	if old.Webhook != nil && record.Webhook != nil {
		return old.Webhook.ID == record.Webhook.ID && bytes.Equal(content.Doc(), record.Content), nil
	}
	return old.Author() == record.Author() && old.Reference == record.Reference && bytes.Equal(content.Doc(), record.Content), nil
}
