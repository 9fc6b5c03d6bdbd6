package threads

import (
	"context"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// Edit edits a thread. It returns the thread as JSON.
func (s *Threads) Edit(ctx context.Context, viewer directory.Viewer, id snowflake.Channel, body jsonbody.Value) ([]byte, error) {
	var made *started
	err := s.Cache.Decide(context.WithoutCancel(ctx), s.decider(&made, func(ctx context.Context, c *store.Change) (*started, error) {
		place, err := s.enterThread(ctx, viewer, id)
		if err != nil {
			return nil, err
		}
		forum, err := s.forumOf(ctx, place)
		if err != nil {
			return nil, err
		}
		private := channel.Type(place.Channel.Type) == channel.PrivateThread
		patch, err := channel.ReadThreadPatch(body, private, forum)
		if err != nil {
			return nil, err
		}
		if err := checkEdit(place, patch); err != nil {
			return nil, err
		}
		next := copyOf(place.Channel)
		if err := s.apply(ctx, place, &next, patch, forum); err != nil {
			return nil, err
		}
		return s.putEdited(ctx, c, place, &next)
	}))
	return s.finish(ctx, made, err)
}

// forumOf returns the settings of the forum of a post, or nil for another thread.
func (s *Threads) forumOf(ctx context.Context, place *directory.Place) (*channel.Settings, error) {
	parent := place.Guild.Channel(place.Channel.Parent)
	if parent == nil || !channel.Type(parent.Type).Posts() {
		return nil, nil
	}
	record, err := s.Directory.Channels.Channel(ctx, parent.ID)
	if err != nil {
		return nil, err
	}
	forum := convert.ChannelSettings(record)
	return &forum, nil
}

// checkEdit checks whether the viewer may edit a thread in its state.
func checkEdit(place *directory.Place, patch channel.ThreadPatch) error {
	own := owns(place, place.Viewer.User)
	locked := place.Channel.Thread != nil && place.Channel.Thread.Locked
	for _, op := range patch.Operations(locked) {
		if err := place.Allow(op, own); err != nil {
			return err
		}
	}
	act := channel.ThreadEdit
	if archived, given := patch.Archived.Get(); given && !archived {
		act = channel.ThreadUnarchive
	}
	return place.AllowState(act)
}

// apply sets the members of a thread that a request contains.
func (s *Threads) apply(
	ctx context.Context, place *directory.Place, t *store.Channel, patch channel.ThreadPatch, forum *channel.Settings,
) error {
	t.Name, t.Thread.Locked = patch.Name.Or(t.Name), patch.Locked.Or(t.Thread.Locked)
	t.Thread.Invitable = patch.Invitable.Or(t.Thread.Invitable)
	if !patch.Slowmode.IsZero() {
		t.SlowMode = patch.Slowmode.Or(0)
	}
	if !patch.Tags.IsZero() {
		tags := patch.Tags.Or(nil)
		if err := forum.CheckAppliedTags(tags, t.Thread.Tags, place.Bits().Has(permission.ManageThreads)); err != nil {
			return err
		}
		t.Thread.Tags = tags
	}
	if flags, given := patch.Flags.Get(); given {
		if err := s.checkPinned(ctx, t, flags); err != nil {
			return err
		}
		t.Flags = t.Flags&^int(channel.Pinned) | int(flags)
	}
	if minutes, given := patch.ArchiveDuration.Get(); given && minutes != t.Thread.AutoArchive {
		t.Thread.AutoArchive, t.Thread.Since = minutes, s.now()
	}
	archived := patch.Archived.Or(t.Archived)
	if archived == t.Archived {
		schedule(t)
		return nil
	}
	if !archived {
		if err := s.checkActive(ctx, t.Guild, channel.Type(t.Type)); err != nil {
			return err
		}
	}
	s.setArchived(t, archived)
	return nil
}

// checkPinned checks that a forum has no other pinned post.
func (s *Threads) checkPinned(ctx context.Context, t *store.Channel, flags channel.Flags) error {
	if !flags.Has(channel.Pinned) {
		return nil
	}
	channels, err := s.Directory.Guilds.Channels(ctx, t.Guild)
	if err != nil {
		return err
	}
	for i := range channels {
		if o := &channels[i]; o.Parent == t.Parent && o.ID != t.ID && channel.Flags(o.Flags).Has(channel.Pinned) {
			return apierror.TooManyPinnedPosts
		}
	}
	return nil
}

// putEdited adds an edited thread and its events to a change. A new name is announced in the thread.
func (s *Threads) putEdited(ctx context.Context, c *store.Change, place *directory.Place, next *store.Channel) (*started, error) {
	old := place.Channel
	if err := s.put(ctx, c, next, old.Archived && !next.Archived); err != nil {
		return nil, err
	}
	if err := s.record(ctx, c, permission.OpEditThread, place.Viewer.User, old, next); err != nil {
		return nil, err
	}
	shown, err := s.Directory.Channels.ThreadFor(ctx, next, place.Viewer.User)
	if err != nil {
		return nil, err
	}
	d := &started{place: place, record: *next}
	if d.text, err = json.Marshal(shown); err != nil || next.Name == old.Name {
		return d, err
	}
	renamed, err := s.Messages.PutSystem(ctx, c, messages.SystemMessage(next, place.Viewer, message.ChannelNameChange), next.Name)
	d.done = []messages.Announcement{renamed}
	return d, err
}

// put adds a changed thread and its events to a change. reopened says that it was archived before.
func (s *Threads) put(ctx context.Context, c *store.Change, next *store.Channel, reopened bool) error {
	if err := s.putRecord(ctx, c, *next); err != nil {
		return err
	}
	updated, err := s.threadEvent(ctx, "THREAD_UPDATE", next, false)
	if err != nil {
		return err
	}
	c.Events = append(c.Events, updated)
	if !reopened {
		return nil
	}
	members, err := s.reopenedEvents(ctx, next)
	c.Events = append(c.Events, members...)
	return err
}

// Delete deletes a thread with its messages and members. It returns the thread as JSON.
func (s *Threads) Delete(ctx context.Context, viewer directory.Viewer, id snowflake.Channel) (text []byte, err error) {
	place, err := s.enterThread(ctx, viewer, id)
	if err != nil {
		return nil, err
	}
	if err := place.Allow(permission.OpDeleteThread, owns(place, viewer.User)); err != nil {
		return nil, err
	}
	shown, err := s.Directory.Channels.ThreadFor(ctx, place.Channel, viewer.User)
	if err != nil {
		return nil, err
	}
	if text, err = json.Marshal(shown); err != nil {
		return nil, err
	}
	return text, s.Directory.Guilds.DeleteChannel(ctx, place.Channel.Guild, id, entry(permission.OpDeleteThread, viewer.User, place.Channel, nil))
}
