package channelhook

import (
	"cmp"
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// withWebhooks are the types of channels that have webhooks.
var withWebhooks = []int{
	world.TextChannel, world.VoiceChannel, world.AnnouncementChannel, world.StageChannel, world.ForumChannel, world.MediaChannel,
}

// enter returns a channel that may have webhooks, if the viewer may perform an operation there.
func (s *Webhooks) enter(
	ctx context.Context, viewer directory.Viewer, id snowflake.Channel, op permission.Operation,
) (*directory.Place, error) {
	place, err := s.Directory.Channels.Enter(ctx, id, viewer)
	if err != nil {
		return nil, err
	}
	if place.Guild != nil && place.Decide(permission.OpViewChannel, false).Allowed && !slices.Contains(withWebhooks, place.Channel.Type) {
		return nil, apierror.WrongChannelType
	}
	return place, place.Allow(op, false)
}

// Create creates a webhook of a channel.
func (s *Webhooks) Create(
	ctx context.Context, viewer directory.Viewer, id snowflake.Channel, body jsonbody.Value,
) (shown wire.Webhook, err error) {
	h := store.Webhook{ID: snowflake.Webhook(s.IDs.Next()), Type: Incoming, Channel: id, User: viewer.User, Salt: newSalt()}
	if viewer.Bot {
		h.Application = snowflake.Application(viewer.User)
	}
	draft := s.Images.Draft()
	err = s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		place, err := s.enter(ctx, viewer, id, permission.OpCreateWebhook)
		if err != nil {
			return c, err
		}
		in, err := channel.ReadWebhook(body)
		if err != nil {
			return c, err
		}
		h.Guild, h.Name = place.Channel.Guild, in.Name.Or("")
		if h.Avatar, err = draft.Set(ctx, images.Into(&c), images.WebhookAvatar(h.ID), in.Avatar, ""); err != nil {
			return c, err
		}
		if err := s.add(ctx, &c, h); err != nil {
			return c, err
		}
		if err := s.record(ctx, &c, permission.OpCreateWebhook, viewer.User, nil, &h); err != nil {
			return c, err
		}
		shown, err = s.shown(ctx, &h, Caller{Viewer: viewer})
		return c, err
	})
	return shown, draft.End(ctx, err)
}

// add adds a webhook to a change, with its event. It checks the limits of the channel and the guild.
func (s *Webhooks) add(ctx context.Context, c *store.Change, h store.Webhook) error {
	list, err := s.lists.Load(ctx, h.Channel)
	if err != nil {
		return err
	}
	if len(*list) >= channel.MaxWebhooks {
		return apierror.TooManyWebhooks
	}
	var all []store.Webhook
	err = s.Cache.Store().Read(ctx, func(r store.Reader) (err error) {
		all, err = r.Webhooks.OfGuild(h.Guild)
		return err
	})
	if err != nil {
		return err
	}
	if len(all) >= channel.MaxGuildWebhooks {
		return apierror.TooManyInGuild
	}
	s.put(c, h, append(slices.Clone(*list), h))
	return nil
}

// put adds a webhook to a change, with its event. list is the next list of the webhooks of its channel.
func (s *Webhooks) put(c *store.Change, h store.Webhook, list []store.Webhook) {
	c.Put = append(c.Put, h)
	s.hooks.Next(c, h.ID, &h)
	s.lists.Next(c, h.Channel, &list)
	c.Events = append(c.Events, updated(h.Guild, h.Channel))
}

// updated returns the event about the webhooks of a channel.
func updated(guild snowflake.Guild, id snowflake.Channel) store.Event {
	var p wire.Printer
	p.ID(`{"guild_id":`, uint64(guild))
	p.ID(`,"channel_id":`, uint64(id))
	p.Raw(`}`)
	return store.Event{Subject: store.WebhooksSubject(id), Event: events.Event{
		Name: "WEBHOOKS_UPDATE", Data: p.Out, To: events.Audience{Guild: guild, Channel: id, Intents: events.GuildWebhooks},
	}}
}

// Get returns a webhook.
func (s *Webhooks) Get(ctx context.Context, by Caller, id snowflake.Webhook) (wire.Webhook, error) {
	h, err := s.open(ctx, by, id, permission.OpListWebhooks)
	if err != nil {
		return wire.Webhook{}, err
	}
	return s.shown(ctx, h, by)
}

// OfChannel returns the webhooks of a channel.
func (s *Webhooks) OfChannel(ctx context.Context, viewer directory.Viewer, id snowflake.Channel) ([]wire.Webhook, error) {
	if _, err := s.enter(ctx, viewer, id, permission.OpListWebhooks); err != nil {
		return nil, err
	}
	list, err := s.lists.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.list(ctx, *list, viewer)
}

// OfGuild returns the webhooks of a guild.
func (s *Webhooks) OfGuild(ctx context.Context, viewer directory.Viewer, guild snowflake.Guild) ([]wire.Webhook, error) {
	if err := s.Directory.Guilds.Allow(ctx, guild, viewer, permission.OpListGuildWebhooks); err != nil {
		return nil, err
	}
	var all []store.Webhook
	err := s.Cache.Store().Read(ctx, func(r store.Reader) (err error) {
		all, err = r.Webhooks.OfGuild(guild)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.list(ctx, all, viewer)
}

func (s *Webhooks) list(ctx context.Context, list []store.Webhook, viewer directory.Viewer) (shown []wire.Webhook, err error) {
	shown = make([]wire.Webhook, len(list))
	for i := range list {
		if shown[i], err = s.shown(ctx, &list[i], Caller{Viewer: viewer}); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

// Edit edits a webhook. The holder of its token cannot move it.
func (s *Webhooks) Edit(ctx context.Context, by Caller, id snowflake.Webhook, body jsonbody.Value) (shown wire.Webhook, err error) {
	draft := s.Images.Draft()
	err = s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		h, err := s.open(ctx, by, id, permission.OpEditWebhook)
		if err != nil {
			return c, err
		}
		in, err := channel.ReadWebhookPatch(body)
		if err != nil {
			return c, err
		}
		next := *h
		next.Name = in.Name.Or(next.Name)
		if next.Avatar, err = draft.Set(ctx, images.Into(&c), images.WebhookAvatar(id), in.Avatar, h.Avatar); err != nil {
			return c, err
		}
		if by.Token == "" {
			next.Channel = in.Channel.Or(next.Channel)
		}
		if err := s.replace(ctx, &c, by.Viewer, *h, next); err != nil {
			return c, err
		}
		if err := s.record(ctx, &c, permission.OpEditWebhook, by.Viewer.User, h, &next); err != nil {
			return c, err
		}
		shown, err = s.shown(ctx, &next, by)
		return c, err
	})
	return shown, draft.End(ctx, err)
}

// replace adds an edited webhook to a change. before is the webhook before the edit.
func (s *Webhooks) replace(ctx context.Context, c *store.Change, viewer directory.Viewer, before, next store.Webhook) error {
	list, err := s.lists.Load(ctx, before.Channel)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(*list), func(h store.Webhook) bool { return h.ID == before.ID })
	if next.Channel == before.Channel {
		s.put(c, next, sorted(append(others, next)))
		return nil
	}
	if before.Type == Follower {
		return apierror.SystemWebhook
	}
	target, err := s.enter(ctx, viewer, next.Channel, permission.OpEditWebhook)
	if err != nil {
		return err
	}
	if target.Channel.Guild != before.Guild {
		return apierror.UnknownChannel
	}
	list, err = s.lists.Load(ctx, next.Channel)
	if err != nil {
		return err
	}
	if len(*list) >= channel.MaxWebhooks {
		return apierror.TooManyWebhooks
	}
	s.lists.Next(c, before.Channel, &others)
	c.Events = append(c.Events, updated(before.Guild, before.Channel))
	s.put(c, next, sorted(append(slices.Clone(*list), next)))
	return nil
}

// sorted returns webhooks ordered by id, as the store lists them.
func sorted(list []store.Webhook) []store.Webhook {
	slices.SortFunc(list, func(a, b store.Webhook) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// Delete deletes a webhook. Its messages stay.
func (s *Webhooks) Delete(ctx context.Context, by Caller, id snowflake.Webhook) error {
	return s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		h, err := s.open(ctx, by, id, permission.OpDeleteWebhook)
		if err != nil {
			return c, err
		}
		list, err := s.lists.Load(ctx, h.Channel)
		if err != nil {
			return c, err
		}
		others := slices.DeleteFunc(slices.Clone(*list), func(o store.Webhook) bool { return o.ID == id })
		s.lists.Next(&c, h.Channel, &others)
		c.Delete = append(c.Delete, store.WebhookKey(*h))
		c.Events = append(c.Events, updated(h.Guild, h.Channel))
		err = s.record(ctx, &c, permission.OpDeleteWebhook, by.Viewer.User, h, nil)
		return c, err
	})
}

// record adds an entry about a webhook to the audit log of its guild, unless the holder of its token does it. before or after is
// nil if there is none.
func (s *Webhooks) record(
	ctx context.Context, c *store.Change, op permission.Operation, by snowflake.User, before, after *store.Webhook,
) error {
	if by == 0 {
		return nil
	}
	h := cmp.Or(after, before)
	return s.Audit.AddToGuild(ctx, c, audit.GuildEntry{
		Guild: h.Guild, By: by, Operation: op, Target: snowflake.Target(h.ID), Subject: store.WebhooksSubject(h.Channel),
		Changes: guild.Changes(auditFields, before, after),
	})
}

// auditFields are the members of a webhook that the audit log shows.
var auditFields = []guild.Field[store.Webhook]{
	{Key: "type", Value: func(h *store.Webhook) any { return h.Type }},
	{Key: "name", Value: func(h *store.Webhook) any { return h.Name }},
	{Key: "channel_id", Value: func(h *store.Webhook) any { return h.Channel }},
	{Key: "avatar_hash", Value: func(h *store.Webhook) any {
		if h.Avatar == "" {
			return nil
		}
		return h.Avatar
	}},
	{Key: "application_id", Value: func(h *store.Webhook) any {
		if h.Application == 0 {
			return nil
		}
		return h.Application
	}},
}
