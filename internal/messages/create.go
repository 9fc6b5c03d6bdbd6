package messages

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Request is a request of a user or a bot to create or edit a message.
type Request struct {
	Body  jsonbody.Value
	Files []attachments.Upload
}

// SlowModeError says that a user has to wait before the next message.
type SlowModeError struct{ Wait time.Duration }

// Error says how long to wait.
func (e *SlowModeError) Error() string { return "slow mode: wait " + e.Wait.String() }

// Unwrap returns the error of the API.
func (e *SlowModeError) Unwrap() error { return apierror.Slowmode }

// draft is a message that a decision creates.
type draft struct {
	place    *directory.Place
	in       message.Create
	record   store.Message
	repeated *store.Message // the message that was created with the same nonce; nil: none
	post     *WebhookPost   // the post to create for the message; nil: none
}

// Create creates a message of a user or a bot in a channel. It returns the message as JSON.
func (s *Messages) Create(
	ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, r Request,
) (text []byte, err error) {
	about := hooks.MessageData{Channel: channel, User: viewer.User, Bot: viewer.Bot, Content: r.Body.Get("content").Text()}
	changed, err := s.Hooks.Before(ctx, hooks.Message, about)
	if err != nil {
		return nil, err
	}
	r.Body = changed.Apply(r.Body, "content", "content")
	return s.create(ctx, r, func(ctx context.Context, files *Uploads, id snowflake.Message) (*draft, error) {
		return s.draft(ctx, viewer, channel, r, files, id)
	})
}

// create stores the files of a request and commits the message that compose returns. It returns the message as JSON.
func (s *Messages) create(
	ctx context.Context, r Request, compose func(context.Context, *Uploads, snowflake.Message) (*draft, error),
) (text []byte, err error) {
	files := s.Receive(ctx, r.Files, false)
	id := snowflake.Message(s.IDs.Next())
	var d *draft
	var done Announcement
	err = s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		if d, err = compose(ctx, files, id); err != nil {
			return c, err
		}
		if d.repeated != nil {
			done = Announcement{}
			post, err := s.Post(ctx, d.repeated)
			if err != nil {
				return c, err
			}
			err = s.markOwn(ctx, post, d.place.Viewer.User)
			post.Nonce = d.in.Nonce
			text = post.AppendJSON(nil)
			return c, err
		}
		s.addNonce(&c, d)
		if err := s.SlowDown(ctx, &c, d.place); err != nil {
			return c, err
		}
		if ctx, err = s.prepareThread(ctx, &c, d); err != nil {
			return c, err
		}
		of := Owner{Application: snowflake.Application(d.place.Viewer.User), Guild: d.record.Guild}
		if err := files.AddTo(ctx, &c, of, d.in.Content.Attachments); err != nil {
			return c, err
		}
		if done, err = s.Put(ctx, &c, Created, &d.record, d.in.Content, d.in.Nonce); err != nil {
			return c, err
		}
		err = s.Hooks.After(&c, hooks.Message, store.MessagesSubject(d.record.Channel), hooks.MessageData{
			ID: d.record.ID, Channel: d.record.Channel, User: d.place.Viewer.User, Bot: d.place.Viewer.Bot, Content: d.in.Content.Text,
		})
		if err != nil {
			return c, err
		}
		ShareCommit(&c, d.record.Channel)
		done.Post.Nonce = d.in.Nonce
		text = done.Post.AppendJSON(nil)
		return c, done.Err
	})
	if err != nil || done.Message == nil {
		files.Discard(ctx)
		return text, err
	}
	files.Keep(ctx, d.in.Content.Attachments)
	s.Announced(ctx, &done)
	return text, nil
}

// draft checks a request for a new message and returns the message.
func (s *Messages) draft(
	ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, r Request, files *Uploads, id snowflake.Message,
) (*draft, error) {
	place, err := s.enter(ctx, viewer, channel)
	if err != nil {
		return nil, err
	}
	if err := s.checkSend(ctx, place); err != nil {
		return nil, err
	}
	if files.TooLarge() {
		return nil, attachments.ErrFileTooLarge
	}
	in, err := message.ReadCreate(r.Body, files.Files, !viewer.Bot)
	if err != nil {
		return nil, err
	}
	if err := s.checkParts(ctx, place, &in.Content); err != nil {
		return nil, err
	}
	if id, err = s.nextID(ctx, channel, id); err != nil {
		return nil, err
	}
	d := &draft{place: place, in: in}
	if d.repeated, err = s.repeated(ctx, d); err != nil || d.repeated != nil {
		return d, err
	}
	s.SetFiles(channel, &d.in.Content)
	d.record = authored(place, id)
	if err := s.refer(ctx, d); err != nil {
		return nil, err
	}
	d.record.SetContent(d.in.Content)
	return d, s.setMentions(ctx, d)
}

// nextID returns the id of a new message, which is larger than those of the other messages of the channel. id is the id to
// prefer.
func (s *Messages) nextID(ctx context.Context, channel snowflake.Channel, id snowflake.Message) (snowflake.Message, error) {
	before, err := s.channels.Load(ctx, channel)
	if err != nil || id > before.Last {
		return id, err
	}
	s.IDs.Observe(uint64(before.Last)) // the clock of another node is ahead
	return snowflake.Message(s.IDs.Next()), nil
}

// authored returns the record of a message that the viewer of a place writes, without content.
func authored(p *directory.Place, id snowflake.Message) store.Message {
	m := store.Message{ID: id, Channel: p.Channel.ID, Guild: p.Channel.Guild, User: p.Viewer.User}
	if p.Viewer.Bot {
		m.Application = snowflake.Application(p.Viewer.User)
		m.Metadata.Owners = store.Owners{ByGuild: true, Guild: p.Channel.Guild}
	}
	return m
}

// checkParts checks the permissions for the parts of a message, and that what it names exists. There are no stickers.
func (s *Messages) checkParts(ctx context.Context, p *directory.Place, c *message.Content) error {
	if len(c.Stickers) > 0 {
		return apierror.InvalidSticker
	}
	for _, part := range []struct {
		has bool
		op  permission.Operation
	}{
		{len(c.Embeds.Items()) > 0, permission.OpSendEmbeds},
		{len(c.Attachments) > 0, permission.OpSendFiles},
		{c.TTS, permission.OpSendTTS},
		{c.Poll.IsSet(), permission.OpSendPoll},
		{c.Flags.Has(message.IsVoiceMessage), permission.OpSendVoiceMessage},
	} {
		if part.has {
			if err := p.Allow(part.op, true); err != nil {
				return err
			}
		}
	}
	return s.checkPollEmoji(ctx, p, c)
}

// refer adds what the message replies to or forwards.
func (s *Messages) refer(ctx context.Context, d *draft) error {
	ref := d.in.Reference
	if ref.Message == 0 {
		return nil
	}
	target, err := s.Find(ctx, ref.Message)
	if err != nil {
		return err
	}
	if target != nil && target.Ephemeral {
		target = nil
	}
	if ref.Forward {
		return s.forward(ctx, d, target)
	}
	if err := d.place.Allow(permission.OpReply, true); err != nil {
		return err
	}
	found, err := ref.Reply(d.record.Channel, targetOf(target))
	if err != nil || !found {
		return err
	}
	d.record.Type, d.record.Reference = message.Reply, target.ID
	return nil
}

// targetOf returns a message as the target of a reference. It returns nil for nil.
func targetOf(m *store.Message) *message.Target {
	if m == nil {
		return nil
	}
	return &message.Target{Channel: m.Channel, Guild: m.Guild, Type: m.Type, Poll: m.Poll != nil}
}

// forward makes the message a copy of another one.
func (s *Messages) forward(ctx context.Context, d *draft, source *store.Message) error {
	ref := d.in.Reference
	place, err := s.enter(ctx, d.place.Viewer, ref.Channel)
	if err != nil {
		return err
	}
	readable := false
	if source != nil {
		if readable, err = s.readsContent(ctx, place, source); err != nil {
			return err
		}
	}
	if err := ref.CheckForward(targetOf(source), readable); err != nil {
		return err
	}
	post, err := s.Post(ctx, source)
	if err != nil {
		return err
	}
	content, snapshot := post.Forwarded()
	content.Text, content.Mentions = d.in.Content.Text, d.in.Content.Mentions
	d.in.Content, d.record.Snapshot = content, snapshot
	d.record.Source = &store.Reference{Type: 1, Message: source.ID, Channel: source.Channel, Guild: source.Guild}
	return nil
}

// setMentions keeps the mentions that the author may make, and adds the author of the message that a reply names.
func (s *Messages) setMentions(ctx context.Context, d *draft) error {
	m := d.in.Content.Mentioned().Permitted(d.place.Bits().Has(permission.MentionEveryone), func(id snowflake.Role) bool {
		return d.place.Guild != nil && d.place.Guild.Mentionable(id)
	})
	if d.record.Reference != 0 {
		target, err := s.Find(ctx, d.record.Reference)
		if err != nil {
			return err
		}
		if target != nil && target.Author() != 0 {
			m = m.WithReply(d.in.Content.Mentions, target.Author())
		}
	}
	d.record.Mentions, d.record.Roles, d.record.Everyone = m.Users, m.Roles, m.Everyone
	return nil
}

// nonceHash returns the hash of a nonce. Those of people count per channel.
func (d *draft) nonceHash() store.TokenHash {
	b := binary.BigEndian.AppendUint64([]byte("message"), uint64(d.place.Viewer.User))
	if !d.place.Viewer.Bot {
		b = binary.BigEndian.AppendUint64(b, uint64(d.place.Channel.ID))
	}
	return sha256.Sum256(append(b, d.in.Nonce...))
}

// repeated returns the message that was created with the nonce of a request, or nil.
func (s *Messages) repeated(ctx context.Context, d *draft) (*store.Message, error) {
	if !d.in.EnforceNonce || d.in.Nonce == "" {
		return nil, nil
	}
	known, err := s.nonces.Load(ctx, d.nonceHash())
	if err != nil {
		return nil, err
	}
	id := snowflake.Message(known.Interaction)
	if id == 0 || s.Clock.Now().Sub(id.Time()) >= message.NonceLife {
		return nil, nil
	}
	m, err := s.Find(ctx, id)
	if err == nil && m == nil {
		err = apierror.UnknownMessage
	}
	return m, err
}

// addNonce adds the nonce of a message to a change.
func (s *Messages) addNonce(c *store.Change, d *draft) {
	if !d.in.EnforceNonce || d.in.Nonce == "" {
		return
	}
	n := store.Nonce{Hash: d.nonceHash(), Interaction: snowflake.Interaction(d.record.ID)}
	c.Put = append(c.Put, n)
	s.nonces.Next(c, n.Hash, &n)
}

// SlowDown checks that a user waited long enough since the last message or the last thread, and adds when the user may
// write again. The error is a *SlowModeError.
func (s *Messages) SlowDown(ctx context.Context, c *store.Change, place *directory.Place) error {
	if !isSlow(place) {
		return nil
	}
	wait, err := s.slowFor(ctx, place)
	if err != nil {
		return err
	}
	if wait > 0 {
		return &SlowModeError{wait}
	}
	key := slowModeKey{place.Channel.ID, place.Viewer.User}
	until := s.Clock.Now().Add(time.Duration(place.Channel.SlowMode) * time.Second)
	next := store.SlowMode{Channel: key.channel, User: key.user, Until: until}
	c.Put = append(c.Put, next)
	s.slowModes.Next(c, key, &next)
	return nil
}

// isSlow reports whether the slow mode of a place applies to its viewer.
func isSlow(place *directory.Place) bool {
	return place.Channel.SlowMode > 0 && !place.Viewer.Bot && place.Allow(permission.OpIgnoreSlowmode, true) != nil
}

// slowFor returns how long the viewer of a place has to wait before the next message.
func (s *Messages) slowFor(ctx context.Context, place *directory.Place) (time.Duration, error) {
	if !isSlow(place) {
		return 0, nil
	}
	last, err := s.slowModes.Load(ctx, slowModeKey{place.Channel.ID, place.Viewer.User})
	if err != nil {
		return 0, err
	}
	return max(last.Until.Sub(s.Clock.Now()), 0), nil
}

// slowModeKey names the slow mode of a user in a channel.
type slowModeKey struct {
	channel snowflake.Channel
	user    snowflake.User
}

func newSlowModes(c *cache.Cache) cache.Kind[slowModeKey, store.SlowMode] {
	return cache.Kind[slowModeKey, store.SlowMode]{
		Cache: c, Subject: func(k slowModeKey) store.Subject { return store.SlowModeSubject(k.channel, k.user) },
		Read: func(r store.Reader, k slowModeKey) (*store.SlowMode, error) {
			m, err := r.Messages.SlowMode(k.channel, k.user)
			return &m, orNone(err)
		},
		Size: func(*store.SlowMode) int { return 64 },
	}
}

func newNonces(c *cache.Cache) cache.Kind[store.TokenHash, store.Nonce] {
	return cache.Kind[store.TokenHash, store.Nonce]{
		Cache: c, Subject: store.NonceSubject,
		Read: func(r store.Reader, hash store.TokenHash) (*store.Nonce, error) {
			n, err := r.Interactions.Nonce(hash)
			return &n, orNone(err)
		},
		Size: func(*store.Nonce) int { return 64 },
	}
}

// orNone replaces store.ErrNotFound with nil, for states that need no record.
func orNone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}
