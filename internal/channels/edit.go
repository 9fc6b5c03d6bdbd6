package channels

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Edit edits a channel of a guild. The channels of a category that have its overwrites get the new ones.
func (s *Channels) Edit(
	ctx context.Context, viewer directory.Viewer, id snowflake.Channel, body jsonbody.Value,
) (edited wire.Channel, err error) {
	err = s.Directory.Update(ctx, func(tx *directory.Tx) error {
		p, err := s.enter(tx, viewer, id)
		if err != nil {
			return err
		}
		if err := p.Allow(permission.OpEditChannel, false); err != nil {
			return err
		}
		old := convert.ChannelSettings(p.Channel)
		_, next, err := channel.ReadEdit(body, old, limits)
		if err != nil {
			return err
		}
		if err := checkTags(old.Tags, next.Tags); err != nil {
			return err
		}
		if err := allowOverwrites(tx, p, old.Overwrites, next.Overwrites); err != nil {
			return err
		}
		channels, err := tx.Directory.Channels(p.Channel.Guild)
		if err != nil {
			return err
		}
		if next.Parent != old.Parent {
			if err := checkParent(channels, id, next.Parent); err != nil {
				return err
			}
		}
		record := convert.ApplySettings(*p.Channel, &next, s.newTag)
		if edited, err = s.shown(tx, record); err != nil {
			return err
		}
		return put(tx, channels, p, record)
	})
	return edited, err
}

// checkTags checks that the tags of a request that have an id exist.
func checkTags(old, next []channel.Tag) error {
	for _, t := range next {
		if t.ID != 0 && !slices.ContainsFunc(old, func(o channel.Tag) bool { return o.ID == t.ID }) {
			return apierror.UnknownTag
		}
	}
	return nil
}

// put stores an edited channel. If it is a category with other overwrites, the channels that are synced with it follow.
func put(tx *directory.Tx, channels []store.Channel, p *directory.Place, next store.Channel) error {
	old := *p.Channel
	recorder{tx, p.Guild, p.Viewer.User}.record(permission.OpEditChannel, &old, &next)
	if _, err := directory.ChannelKind.Replace(tx, old, nil, next); err != nil {
		return err
	}
	before, after := convert.ChannelSettings(&old).Overwrites, convert.ChannelSettings(&next).Overwrites
	if next.Type != world.Category || channel.Synced(before, after) {
		return nil
	}
	for _, c := range channels {
		if c.Parent != next.ID || world.IsThread(c.Type) || !channel.Synced(convert.ChannelSettings(&c).Overwrites, before) {
			continue
		}
		c.Overwrites = next.Overwrites
		if err := directory.ChannelKind.Put(tx, c); err != nil {
			return err
		}
	}
	return nil
}

// SetOverwrite sets the overwrite of a role or a member in a channel.
func (s *Channels) SetOverwrite(
	ctx context.Context, viewer directory.Viewer, id snowflake.Channel, target snowflake.Target, body jsonbody.Value,
) error {
	return s.Directory.Update(ctx, s.overwriter(viewer, id, func(p *directory.Place, list []permission.Overwrite) ([]permission.Overwrite, error) {
		if err := p.Allow(permission.OpEditOverwrite, false); err != nil {
			return nil, err
		}
		next, err := channel.ReadOverwrite(target, body)
		if err != nil {
			return nil, err
		}
		same := func(o permission.Overwrite) bool { return o.ID == next.ID && o.Member == next.Member }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i] = next
			return list, nil
		}
		if len(list) >= channel.MaxOverwrites {
			return nil, apierror.TooManyOverwrites
		}
		return append(list, next), nil
	}))
}

// DeleteOverwrite deletes the overwrite of a role or a member in a channel.
func (s *Channels) DeleteOverwrite(ctx context.Context, viewer directory.Viewer, id snowflake.Channel, target snowflake.Target) error {
	return s.Directory.Update(ctx, s.overwriter(viewer, id, func(p *directory.Place, list []permission.Overwrite) ([]permission.Overwrite, error) {
		if err := p.Allow(permission.OpDeleteOverwrite, false); err != nil {
			return nil, err
		}
		rest := slices.DeleteFunc(slices.Clone(list), func(o permission.Overwrite) bool { return o.ID == target })
		if len(rest) == len(list) {
			return nil, apierror.UnknownOverwrite
		}
		return rest, nil
	}))
}

// overwriter returns a decision that changes the overwrites of a channel. change gets a copy of them.
func (s *Channels) overwriter(
	viewer directory.Viewer, id snowflake.Channel,
	change func(*directory.Place, []permission.Overwrite) ([]permission.Overwrite, error),
) func(*directory.Tx) error {
	return func(tx *directory.Tx) error {
		p, err := s.enter(tx, viewer, id)
		if err != nil {
			return err
		}
		settings := convert.ChannelSettings(p.Channel)
		old := settings.Overwrites
		if settings.Overwrites, err = change(p, slices.Clone(old)); err != nil {
			return err
		}
		if err := allowOverwrites(tx, p, old, settings.Overwrites); err != nil {
			return err
		}
		channels, err := tx.Directory.Channels(p.Channel.Guild)
		if err != nil {
			return err
		}
		return put(tx, channels, p, convert.ApplySettings(*p.Channel, &settings, s.newTag))
	}
}

// allowOverwrites checks whether the viewer may change the overwrites of a channel from old to next.
func allowOverwrites(tx *directory.Tx, p *directory.Place, old, next []permission.Overwrite) error {
	for _, c := range channel.OverwriteChanges(old, next) {
		var changed permission.Bits
		if c.New != nil {
			before := permission.Overwrite{}
			if c.Old != nil {
				before = *c.Old
			}
			changed = before.Allow ^ c.New.Allow | before.Deny ^ c.New.Deny
		}
		if err := p.AllowOverwrite(c.Operation(), changed); err != nil {
			return err
		}
		if c.Old == nil {
			if err := checkTarget(tx, p.Guild, *c.New); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTarget checks that the role or the user of a new overwrite exists.
func checkTarget(tx *directory.Tx, state *directory.GuildState, o permission.Overwrite) error {
	if o.Member {
		_, err := tx.User(snowflake.User(o.ID))
		return err
	}
	if !slices.ContainsFunc(state.Roles, func(r store.Role) bool { return r.ID == snowflake.Role(o.ID) }) {
		return directory.ErrUnknownRole
	}
	return nil
}
