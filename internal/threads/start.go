package threads

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
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
		in, err := channel.ReadThreadFromMessage(body, convert.ChannelSettings(place.Channel))
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
	starter := messages.SystemMessage(&d.record, place.Viewer, message.ThreadStarter)
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
	in, err := channel.ReadThread(body, convert.ChannelSettings(place.Channel))
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
	notice := messages.SystemMessage(place.Channel, place.Viewer, message.ThreadCreated)
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
		return nil, content, attachments.ErrFileTooLarge
	}
	manages := place.Bits().Has(permission.ManageThreads)
	in, err := channel.ReadPost(body, files.Files, convert.ChannelSettings(place.Channel), manages)
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
	if err := s.Messages.SetLastPost(ctx, c, place.Channel, id); err != nil {
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
	if err := s.Messages.SlowDown(ctx, c, place); err != nil {
		return nil, nil, err
	}
	creator := place.Viewer.User
	first := store.ThreadMember{Thread: id, User: creator, Joined: s.now()}
	ctx, t, err := s.addRecord(ctx, c, place, in, store.Channel{ID: id, Owner: creator, Thread: &store.Thread{Starter: starter}}, first)
	if err != nil {
		return nil, nil, err
	}
	c.Put = append(c.Put, first)
	joined, err := s.membersEvents(ctx, &t, 1, []store.ThreadMember{first}, nil)
	if err != nil {
		return nil, nil, err
	}
	c.Events = append(c.Events, joined...)
	if err := s.record(ctx, c, permission.OpCreateThread, creator, nil, &t); err != nil {
		return nil, nil, err
	}
	d := &started{place: place, record: t}
	d.text, err = s.answer(ctx, d, nil)
	return ctx, d, err
}

// addRecord adds a thread and its event to a change. t has its id, its owner and its Starter, and members are its members. The
// returned context sees the thread.
func (s *Threads) addRecord(
	ctx context.Context, c *store.Change, place *directory.Place, in channel.NewThread, t store.Channel, members ...store.ThreadMember,
) (context.Context, store.Channel, error) {
	parent := place.Channel
	if err := s.checkActive(ctx, parent.Guild, in.Type); err != nil {
		return nil, t, err
	}
	t.Guild, t.Type, t.Name, t.Parent, t.SlowMode = parent.Guild, int(in.Type), in.Name, parent.ID, in.Slowmode
	t.Thread = &store.Thread{
		Since: s.now(), AutoArchive: in.ArchiveDuration, Invitable: in.Invitable, Tags: in.Tags, Starter: t.Thread.Starter,
	}
	schedule(&t)
	if err := s.putRecord(ctx, c, t); err != nil {
		return nil, t, err
	}
	if _, err := s.Directory.Channels.ThreadMembers(ctx, t.ID); err != nil {
		return nil, t, err
	}
	ctx = directory.WithThread(ctx, &t, members)
	created, err := s.threadEvent(ctx, "THREAD_CREATE", &t, true)
	c.Events = append(c.Events, created)
	return ctx, t, err
}

// AddPost adds a post of a webhook to a change. The webhook owns the post, and the post has no members. The returned context sees
// the post.
func (s *Threads) AddPost(
	ctx context.Context, c *store.Change, forum *directory.Place, p messages.WebhookPost,
) (context.Context, error) {
	in, err := convert.ChannelSettings(forum.Channel).NewPost(p.Name, p.Tags, forum.Bits().Has(permission.ManageThreads))
	if err != nil {
		return nil, err
	}
	t := store.Channel{ID: p.ID, Owner: snowflake.User(p.Webhook), Thread: &store.Thread{Starter: true}}
	ctx, _, err = s.addRecord(ctx, c, forum, in, t)
	return ctx, err
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
