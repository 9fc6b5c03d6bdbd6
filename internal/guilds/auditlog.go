package guilds

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// MaxAuditPage is the largest number of entries in a page of the audit log of a guild.
const MaxAuditPage = 100

// AuditLog returns up to limit entries of the audit log of a guild that a filter selects, with the objects that they refer
// to.
func (s *Guilds) AuditLog(
	ctx context.Context, by directory.Viewer, guild snowflake.Guild, f store.GuildAuditFilter, limit int,
) (log wire.AuditLog, err error) {
	if err := s.Directory.Guilds.Allow(ctx, guild, by, permission.OpReadAuditLog); err != nil {
		return log, err
	}
	entries, err := s.Audit.OfGuild(ctx, guild, f, limit)
	if err != nil {
		return log, err
	}
	refs := references{}
	for _, e := range entries {
		log.Entries = append(log.Entries, audit.ShowGuildEntry(e))
		refs.add(e)
	}
	err = s.Directory.Read(ctx, func(r store.Reader) (err error) {
		if log.Users, err = found(refs.users, func(id snowflake.User) (wire.User, error) { return readUser(r, id) }); err != nil {
			return err
		}
		log.Events, err = found(refs.events, func(id snowflake.Event) (wire.ScheduledEvent, error) {
			e, err := r.Directory.ScheduledEvent(id)
			return convert.WireScheduledEvent(e), err
		})
		if err != nil {
			return err
		}
		log.Webhooks, err = found(refs.webhooks, func(id snowflake.Webhook) (wire.Webhook, error) { return readWebhook(r, id) })
		return err
	})
	if err != nil {
		return log, err
	}
	log.Threads, err = found(refs.threads, func(id snowflake.Channel) (wire.Thread, error) { return s.readThread(ctx, id) })
	return log, err
}

// references are the objects that entries refer to.
type references struct {
	users    []snowflake.User
	webhooks []snowflake.Webhook
	threads  []snowflake.Channel
	events   []snowflake.Event
}

// add adds the objects of an entry. The number of an action says what its target is.
func (r *references) add(e store.GuildEntry) {
	r.users = append(r.users, e.User)
	switch {
	case e.Action >= 20 && e.Action < 30, e.Action == messageDeleted, e.Action == messagePinned, e.Action == messageUnpinned:
		r.users = append(r.users, snowflake.User(e.Target))
	case e.Action >= 50 && e.Action < 60:
		r.webhooks = append(r.webhooks, snowflake.Webhook(e.Target))
	case e.Action >= 100 && e.Action < 110:
		r.events = append(r.events, snowflake.Event(e.Target))
	case e.Action >= 110 && e.Action < 120:
		r.threads = append(r.threads, snowflake.Channel(e.Target))
	}
}

// Actions whose target is a user, although they are about messages.
const (
	messageDeleted  = 72
	messagePinned   = 74
	messageUnpinned = 75
)

// found returns the objects with the ids that still exist, each once.
func found[ID ~uint64, T any](ids []ID, read func(ID) (T, error)) (list []T, err error) {
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		object, err := read(id)
		switch {
		case err == nil:
			list = append(list, object)
		case !errors.Is(err, store.ErrNotFound) && !errors.Is(err, directory.ErrUnknownChannel):
			return nil, err
		}
	}
	return list, nil
}

// readUser returns the API object of a user or bot.
func readUser(r store.Reader, id snowflake.User) (wire.User, error) {
	u, err := directory.ReadUser(r, id)
	if err != nil {
		return wire.User{}, err
	}
	return convert.WireUser(u), nil
}

// readWebhook returns the API object of a webhook without its token.
func readWebhook(r store.Reader, id snowflake.Webhook) (wire.Webhook, error) {
	h, err := r.Webhooks.Webhook(id)
	if err != nil {
		return wire.Webhook{}, err
	}
	shown := wire.Webhook{ID: h.ID, Type: h.Type, GuildID: h.Guild, ChannelID: h.Channel, Name: h.Name}
	if h.Application != 0 {
		shown.ApplicationID = &h.Application
	}
	return shown, nil
}

// readThread returns the API object of a thread.
func (s *Guilds) readThread(ctx context.Context, id snowflake.Channel) (wire.Thread, error) {
	c, err := s.Directory.Channels.Channel(ctx, id)
	if err != nil {
		return wire.Thread{}, err
	}
	return s.Directory.Channels.Thread(ctx, c)
}
