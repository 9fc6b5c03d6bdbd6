package eventhook

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
)

// Failures returns the failures of the last event webhooks of an application. The Count is 0 if they did not fail, or if the
// service has switched them off after the failure At.
func (w *Webhooks) Failures(ctx context.Context, app snowflake.Application) (f store.EventFailures, err error) {
	err = w.Outbox.Store.Read(ctx, func(r store.Reader) (err error) {
		f, err = r.Outbox.EventFailures(app)
		return err
	})
	return f, ignoring(err, store.ErrNotFound)
}

// count counts the outcome of an event. A request that was not sent because the endpoint is paused, or because the service is
// busy, counts as nothing.
func (w *Webhooks) count(ctx context.Context, app snowflake.Application, outcome error) error {
	failed, ok := errors.AsType[*webhook.Error](outcome)
	switch {
	case outcome == nil:
		return w.succeeded(ctx, app)
	case !ok || failed.Kind == webhook.CircuitOpen || failed.Kind == webhook.Overloaded:
		return nil
	}
	return w.failed(ctx, app, failed.Explain())
}

// succeeded forgets the failures of an application.
func (w *Webhooks) succeeded(ctx context.Context, app snowflake.Application) error {
	f, err := w.Failures(ctx, app)
	if err != nil || f.At.IsZero() {
		return err
	}
	return store.Decide(ctx, w.Outbox.Store, func(tx *store.Tx) error {
		if _, err := tx.Outbox.EventFailures(app); err != nil {
			return ignoring(err, store.ErrNotFound)
		}
		tx.Delete(store.EventFailuresKey(app))
		return nil
	})
}

// failed counts a failure of an application. It switches the event webhooks off if there are too many in a row, with an entry of
// the audit log.
func (w *Webhooks) failed(ctx context.Context, id snowflake.Application, why string) error {
	off := false
	err := w.Directory.Update(ctx, func(tx *directory.Tx) error {
		off = false
		app, err := tx.Directory.Application(id)
		if err != nil {
			return ignoring(err, store.ErrNotFound)
		}
		f, err := tx.Outbox.EventFailures(id)
		if err = ignoring(err, store.ErrNotFound); err != nil {
			return err
		}
		f.Application, f.At, f.Why = id, w.Clock.Now().UTC(), why
		f.Count++
		if off = f.Count >= maxFailures && app.EventStatus == wire.EventWebhooksEnabled; off {
			f.Count, app.EventStatus = 0, wire.EventWebhooksSwitchedOff
			if err := directory.ApplicationKind.Put(tx, app); err != nil {
				return err
			}
		}
		return tx.Put(f)
	})
	if off && err == nil {
		w.Log.WarnContext(ctx, "event webhooks switched off", "application", id, "failures", maxFailures)
	}
	return err
}

var _ directory.Dependent = (*Webhooks)(nil)

// ApplicationDeleted implements directory.Dependent. It forgets the failures of a deleted application.
func (w *Webhooks) ApplicationDeleted(ctx context.Context, id snowflake.Application) error {
	return w.succeeded(ctx, id)
}

// UserDeleted implements directory.Dependent. It does nothing, as the methods below: there are no records of users, guilds and
// channels.
func (w *Webhooks) UserDeleted(context.Context, snowflake.User) error { return nil }

// GuildDeleted implements directory.Dependent.
func (w *Webhooks) GuildDeleted(context.Context, snowflake.Guild) error { return nil }

// ChannelDeleted implements directory.Dependent.
func (w *Webhooks) ChannelDeleted(context.Context, store.Channel) error { return nil }

// ignoring returns err, or nil if it is ignored.
func ignoring(err, ignored error) error {
	if errors.Is(err, ignored) {
		return nil
	}
	return err
}
