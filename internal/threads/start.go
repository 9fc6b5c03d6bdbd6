package threads

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// started is a thread that a decision creates.
type started struct {
	place  *directory.Place // the parent
	record store.Channel
	done   []messages.Announcement
	text   []byte // the answer
}

// StartFromMessage creates a thread from a message of a channel. It returns the thread as JSON.
func (s *Threads) StartFromMessage(
	ctx context.Context, viewer directory.Viewer, id snowflake.Channel, source snowflake.Message, body jsonbody.Value,
) ([]byte, error) {
	var made *started
	err := s.Cache.Decide(context.WithoutCancel(ctx), s.decider(&made, func(ctx context.Context, c *store.Change) (*started, error) {
		place, err := s.enter(ctx, viewer, id)
		if err != nil {
			return nil, err
		}
		if t := channel.Type(place.Channel.Type); t != channel.Text && t != channel.Announcement {
			return nil, apierror.WrongChannelType
		}
		m, err := s.Messages.Load(ctx, id, source)
		switch {
		case err != nil:
			return nil, err
		case m == nil || m.Ephemeral:
			return nil, apierror.UnknownMessage
		}
		if err := place.Allow(permission.OpCreateThread, true); err != nil {
			return nil, err
		}
		in, err := channel.ReadThreadFromMessage(body, parentOf(place.Channel))
		if err != nil {
			return nil, err
		}
		_, err = s.Directory.Channels.Channel(ctx, snowflake.Channel(source))
		switch {
		case !m.Type.Written():
			return nil, apierror.SystemMessage
		case err == nil || messages.HasThread(m):
			return nil, apierror.ThreadExists
		case !errors.Is(err, directory.ErrUnknownChannel):
			return nil, err
		}
		return s.fromMessage(ctx, c, place, in, m)
	}))
	return s.finish(ctx, made, err)
}

// fromMessage adds a thread that is created from a message to a change.
func (s *Threads) fromMessage(
	ctx context.Context, c *store.Change, place *directory.Place, in channel.NewThread, m *store.Message,
) (*started, error) {
	ctx, d, err := s.add(ctx, c, place, in, snowflake.Channel(m.ID), true)
	if err != nil {
		return nil, err
	}
	marked, err := s.Messages.MarkThread(ctx, c, *m)
	if err != nil {
		return nil, err
	}
	starter := systemMessage(&d.record, place.Viewer, message.ThreadStarter)
	starter.Source = &store.Reference{Message: m.ID, Channel: m.Channel, Guild: m.Guild}
	first, err := s.Messages.PutSystem(ctx, c, starter, "")
	d.done = []messages.Announcement{marked, first}
	return d, err
}

// Start creates a thread without a message, or a post of a forum with its first message. It returns the thread as JSON.
func (s *Threads) Start(
	ctx context.Context, viewer directory.Viewer, id snowflake.Channel, r messages.Request,
) ([]byte, error) {
	files := s.Messages.Receive(ctx, r.Files, false)
	next := snowflake.Channel(s.IDs.Next())
	var content message.Content
	var made *started
	err := s.Cache.Decide(context.WithoutCancel(ctx), s.decider(&made, func(ctx context.Context, c *store.Change) (d *started, err error) {
		place, err := s.enter(ctx, viewer, id)
		if err != nil {
			return nil, err
		}
		if channel.Type(place.Channel.Type).Posts() {
			d, content, err = s.post(ctx, c, place, r.Body, files, next)
			return d, err
		}
		return s.withoutMessage(ctx, c, place, r.Body, next)
	}))
	if err != nil {
		files.Discard(ctx)
		return nil, err
	}
	files.Keep(ctx, content.Attachments)
	return s.finish(ctx, made, nil)
}

// withoutMessage adds a thread that is created without a message to a change. A public one is announced in its channel.
func (s *Threads) withoutMessage(
	ctx context.Context, c *store.Change, place *directory.Place, body jsonbody.Value, id snowflake.Channel,
) (*started, error) {
	if t := channel.Type(place.Channel.Type); t != channel.Text && t != channel.Announcement {
		return nil, apierror.WrongChannelType
	}
	in, err := channel.ReadThread(body, parentOf(place.Channel))
	if err != nil {
		return nil, err
	}
	if err := place.Allow(in.Operation(channel.Type(place.Channel.Type)), true); err != nil {
		return nil, err
	}
	ctx, d, err := s.add(ctx, c, place, in, id, false)
	if err != nil || in.Type == channel.PrivateThread {
		return d, err
	}
	notice := systemMessage(place.Channel, place.Viewer, message.ThreadCreated)
	notice.Source = &store.Reference{Channel: id, Guild: notice.Guild}
	announced, err := s.Messages.PutSystem(ctx, c, notice, in.Name)
	d.done = []messages.Announcement{announced}
	return d, err
}

// post adds a post of a forum to a change.
func (s *Threads) post(
	ctx context.Context, c *store.Change, place *directory.Place, body jsonbody.Value, files *messages.Uploads, id snowflake.Channel,
) (d *started, content message.Content, err error) {
	if err := place.Allow(permission.OpCreatePost, true); err != nil {
		return nil, content, err
	}
	if files.TooLarge() {
		return nil, content, messages.ErrFileTooLarge
	}
	manages := place.Bits().Has(permission.ManageThreads)
	in, err := channel.ReadPost(body, files.Files, parentOf(place.Channel), manages)
	if err != nil {
		return nil, content, err
	}
	content = in.Message
	ctx, d, err = s.add(ctx, c, place, in, id, true)
	if err != nil {
		return nil, content, err
	}
	first, err := s.Messages.PutFirst(ctx, c, place, snowflake.Message(id), &content, files)
	if err != nil {
		return nil, content, err
	}
	d.done = []messages.Announcement{first}
	d.text, err = s.answer(ctx, d, first.Post.AppendJSON(nil))
	return d, content, err
}

// add adds a thread with its creator as its member, and their events, to a change. The returned context sees the thread. starter
// says that the thread has a message before those that it counts.
func (s *Threads) add(
	ctx context.Context, c *store.Change, place *directory.Place, in channel.NewThread, id snowflake.Channel, starter bool,
) (context.Context, *started, error) {
	parent, viewer, now := place.Channel, place.Viewer, s.now()
	if err := s.checkActive(ctx, parent.Guild, in.Type); err != nil {
		return nil, nil, err
	}
	if err := s.Messages.SlowDown(ctx, c, place); err != nil {
		return nil, nil, err
	}
	t := store.Channel{
		ID: id, Guild: parent.Guild, Type: int(in.Type), Name: in.Name, Parent: parent.ID, Owner: viewer.User, SlowMode: in.Slowmode,
		Thread: &store.Thread{Since: now, AutoArchive: in.ArchiveDuration, Invitable: in.Invitable, Tags: in.Tags, Starter: starter},
	}
	schedule(&t)
	if err := s.putRecord(ctx, c, t); err != nil {
		return nil, nil, err
	}
	if _, err := s.Directory.Channels.ThreadMembers(ctx, id); err != nil {
		return nil, nil, err
	}
	first := store.ThreadMember{Thread: id, User: viewer.User, Joined: now}
	c.Put = append(c.Put, first)
	ctx = directory.WithThread(ctx, &t, store.ThreadMembers{first})
	created, err := s.threadEvent(ctx, "THREAD_CREATE", &t, true)
	if err != nil {
		return nil, nil, err
	}
	joined, err := s.membersEvents(ctx, &t, 1, []store.ThreadMember{first}, nil)
	if err != nil {
		return nil, nil, err
	}
	c.Events = append(append(c.Events, created), joined...)
	d := &started{place: place, record: t}
	d.text, err = s.answer(ctx, d, nil)
	return ctx, d, err
}

// answer returns a new thread as its creator sees it. first is the JSON of the first message of a post, nil for other threads.
func (s *Threads) answer(ctx context.Context, d *started, first []byte) ([]byte, error) {
	shown, err := s.Directory.Channels.ThreadFor(ctx, &d.record, d.place.Viewer.User)
	if err != nil {
		return nil, err
	}
	if first != nil {
		shown.LastMessageID = new(snowflake.Message(d.record.ID))
	}
	return json.Marshal(struct {
		wire.Thread

		Message jsontext.Value `json:"message,omitzero"`
	}{shown, first})
}

// systemMessage returns a system message in a channel without its id and content.
func systemMessage(in *store.Channel, by directory.Viewer, kind message.Type) store.Message {
	m := store.Message{Channel: in.ID, Guild: in.Guild, User: by.User, Type: kind}
	if by.Bot {
		m.Application = snowflake.Application(by.User)
		m.Metadata.Owners = store.Owners{ByGuild: true, Guild: in.Guild}
	}
	return m
}

// decider returns a decision that sets made to the result of decide.
func (s *Threads) decider(
	made **started, decide func(ctx context.Context, c *store.Change) (*started, error),
) func(context.Context) (store.Change, error) {
	return func(ctx context.Context) (c store.Change, err error) {
		d, err := decide(ctx, &c)
		if err != nil {
			return c, err
		}
		for i := range d.done {
			err = errors.Join(err, d.done[i].Err)
		}
		*made = d
		return c, err
	}
}

// finish announces the messages of a decision after its commit, and returns the answer.
func (s *Threads) finish(ctx context.Context, made *started, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	for i := range made.done {
		s.Messages.Announced(ctx, &made.done[i])
	}
	return made.text, nil
}
