// Package premium keeps what applications sell: SKUs, the entitlements of users and guilds to them, and subscriptions. Nothing costs
// money: an app grants test entitlements, and the dev controls let people buy. The package does not know HTTP.
package premium

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/premium"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// Config has the dependencies of Premium. Fields are required unless they say otherwise.
type Config struct {
	Store     store.Store
	Cache     *cache.Cache // of Store
	Directory *directory.Directory
	Clock     clock.Clock
	IDs       interface{ Next() uint64 }
	Log       *slog.Logger
	// EventRecords returns the records that send an event webhook to an application. An empty url is that of the application. It
	// may be nil.
	EventRecords func(app *store.Application, event, url string, data any) ([]store.Record, error)
}

// Premium keeps entitlements and subscriptions. Its sweeper renews and ends subscriptions. It is safe for concurrent use.
type Premium struct {
	*clock.Sweeper
	Config

	owned cache.Kind[store.Owner, []store.Entitlement] // those that were not deleted
}

// New returns the service. It must be called before the first commit.
func New(cfg Config) *Premium {
	p := &Premium{Config: cfg, owned: cache.Kind[store.Owner, []store.Entitlement]{
		Cache: cfg.Cache, Subject: store.EntitlementsSubject, Read: readOwned,
		Size: func(list *[]store.Entitlement) int { return 24 + 160*len(*list) },
	}}
	due := &store.Sweep[snowflake.Subscription]{
		Store: cfg.Store, Work: store.SubscriptionWork, Now: cfg.Clock.Now, Log: cfg.Log, Handle: p.advance, Concurrency: sweepConcurrency,
		List: func(r store.Reader, limit int) ([]store.DueRecord[snowflake.Subscription], error) {
			return r.Directory.DueSubscriptions(limit)
		},
	}
	p.Sweeper = clock.NewSweeper(cfg.Clock, cfg.Log, "subscriptions", due.Run)
	cfg.Store.Subscribe(p.committed)
	return p
}

func readOwned(r store.Reader, o store.Owner) (*[]store.Entitlement, error) {
	list, err := r.Directory.EntitlementsOf(o)
	list = slices.DeleteFunc(list, func(e store.Entitlement) bool { return e.Deleted })
	return &list, err
}

// now returns the present time as records store it.
func (p *Premium) now() time.Time { return p.Clock.Now().UTC().Truncate(time.Millisecond) }

// entitlementKind describes entitlements. The record of a deleted one stays, for lists that ask for it.
var entitlementKind = directory.Kind[store.Entitlement]{
	Name: "entitlement",
	Target: func(e store.Entitlement) string {
		return "application/" + e.Application.String() + "/entitlement/" + e.ID.String()
	},
	Key: store.EntitlementKey,
	Read: func(q store.DirectoryQueries, e store.Entitlement) (store.Entitlement, error) {
		return q.Entitlement(e.ID)
	},
	Show: func(e store.Entitlement) any { return convert.WireEntitlement(e) },
	Events: func(e *directory.Events, before, after *store.Entitlement) error {
		if after == nil {
			return nil
		}
		to := events.Audience{Application: after.Application}
		return e.Add(store.EntitlementsSubject(after.Owner()), eventOf(before == nil, after), convert.WireEntitlement(*after), to, nil)
	},
}

// eventOf returns the name of the event about an entitlement after a change.
func eventOf(created bool, e *store.Entitlement) string {
	switch {
	case created:
		return "ENTITLEMENT_CREATE"
	case e.Deleted:
		return "ENTITLEMENT_DELETE"
	}
	return "ENTITLEMENT_UPDATE"
}

// put stores an entitlement, with its events for the gateway and for the event webhooks of the application.
func (p *Premium) put(tx *directory.Tx, e store.Entitlement) error {
	_, err := tx.Directory.Entitlement(e.ID)
	created := errors.Is(err, store.ErrNotFound)
	if err != nil && !created {
		return err
	}
	if err := entitlementKind.Put(tx, e); err != nil || p.EventRecords == nil {
		return err
	}
	a, err := tx.Directory.Application(e.Application)
	if errors.Is(err, store.ErrNotFound) {
		return nil // it is being deleted
	}
	if err != nil {
		return err
	}
	deliveries, err := p.EventRecords(&a, eventOf(created, &e), "", convert.WireEntitlement(e))
	if err != nil {
		return err
	}
	return tx.Put(deliveries...)
}

// SKUs returns what an application sells.
func (p *Premium) SKUs(ctx context.Context, app snowflake.Application) ([]wire.SKU, error) {
	a, err := p.Directory.Applications.Application(ctx, app)
	if err != nil {
		return nil, err
	}
	shown := make([]wire.SKU, len(a.SKUs))
	for i, s := range a.SKUs {
		shown[i] = convert.WireSKU(app, s)
	}
	return shown, nil
}

func readApplication(tx *directory.Tx, id snowflake.Application) (store.Application, error) {
	a, err := tx.Directory.Application(id)
	if errors.Is(err, store.ErrNotFound) {
		err = directory.ErrUnknownApplication
	}
	return a, err
}

// findSKU returns a SKU of an application that users can get. For another one the error is apierror.UnknownSKU.
func findSKU(a *store.Application, id snowflake.SKU) (store.SKU, error) {
	i := slices.IndexFunc(a.SKUs, func(s store.SKU) bool { return s.ID == id && premium.SKUType(s.Type).Sold() })
	if i < 0 {
		return store.SKU{}, apierror.UnknownSKU
	}
	return a.SKUs[i], nil
}

// Valid returns the entitlements to SKUs of an application that a user has, and that the guild has, if it is not 0: without
// those that have ended or were deleted.
func (p *Premium) Valid(ctx context.Context, a *store.Application, user snowflake.User, guild snowflake.Guild) ([]wire.Entitlement, error) {
	if len(a.SKUs) == 0 {
		return nil, nil
	}
	owners := []store.Owner{{Application: a.ID, User: user}}
	if guild != 0 {
		owners = append(owners, store.Owner{Application: a.ID, Guild: guild})
	}
	var valid []wire.Entitlement
	for _, o := range owners {
		list, err := p.owned.Load(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, e := range *list {
			_, err := findSKU(a, e.SKU)
			if err == nil && (e.Ends.IsZero() || e.Ends.After(p.Clock.Now())) {
				valid = append(valid, convert.WireEntitlement(e))
			}
		}
	}
	return valid, nil
}

// Viewer is a caller that reads and changes the entitlements of an application: the application itself, or on behalf of a user
// who sees only their own.
type Viewer struct {
	Application snowflake.Application
	User        snowflake.User // 0: the application
}

// List returns a page of the entitlements of an application. The viewer sees those of one user, or all.
func (p *Premium) List(ctx context.Context, by Viewer, f store.EntitlementFilter, ended bool) ([]wire.Entitlement, error) {
	if by.User != 0 {
		if f.User != 0 && f.User != by.User {
			return []wire.Entitlement{}, nil
		}
		f.User = by.User
	}
	if !ended {
		f.EndAfter = p.now()
	}
	var list []store.Entitlement
	err := p.Directory.Read(ctx, func(r store.Reader) (err error) {
		list, err = r.Directory.Entitlements(by.Application, f)
		return err
	})
	return convert.WireEntitlements(list), err
}

// Get returns an entitlement.
func (p *Premium) Get(ctx context.Context, by Viewer, id snowflake.Entitlement) (shown wire.Entitlement, err error) {
	err = p.Directory.Read(ctx, func(r store.Reader) error {
		e, err := by.find(r.Directory, id)
		shown = convert.WireEntitlement(e)
		return err
	})
	return shown, err
}

// find returns an entitlement that the viewer sees. For another one the error is apierror.UnknownEntitlement.
func (v Viewer) find(q store.DirectoryQueries, id snowflake.Entitlement) (store.Entitlement, error) {
	e, err := q.Entitlement(id)
	if errors.Is(err, store.ErrNotFound) || err == nil && (e.Application != v.Application || v.User != 0 && e.User != v.User) {
		return e, apierror.UnknownEntitlement
	}
	return e, err
}

// Grant creates a test entitlement of a user or a guild. It is valid until it is deleted. The answer does not have the times.
func (p *Premium) Grant(ctx context.Context, app snowflake.Application, body jsonbody.Value) (wire.Entitlement, error) {
	g, err := premium.ReadGrant(body)
	if err != nil {
		return wire.Entitlement{}, err
	}
	e := store.Entitlement{
		ID: snowflake.Entitlement(p.IDs.Next()), Application: app, SKU: g.SKU, User: g.User, Guild: g.Guild, Type: premium.ApplicationSubscription,
	}
	err = p.Directory.Update(ctx, func(tx *directory.Tx) error {
		a, err := readApplication(tx, app)
		if err != nil {
			return err
		}
		if _, err := findSKU(&a, g.SKU); err != nil {
			return err
		}
		if err := exists(tx, e.Owner()); err != nil {
			return err
		}
		return p.add(tx, e)
	})
	shown := convert.WireEntitlement(e)
	shown.Starts, shown.Ends = nil, nil
	return shown, err
}

// exists returns nil if the owner of an entitlement exists.
func exists(tx *directory.Tx, o store.Owner) error {
	if o.Guild == 0 {
		_, err := tx.User(o.User)
		return err
	}
	_, err := tx.Directory.Guild(o.Guild)
	if errors.Is(err, store.ErrNotFound) {
		return directory.ErrUnknownGuild
	}
	return err
}

// add stores a new entitlement. Of those that its owner can no longer use, it keeps the latest.
func (p *Premium) add(tx *directory.Tx, e store.Entitlement) error {
	all, err := tx.Directory.EntitlementsOf(e.Owner())
	if err != nil {
		return err
	}
	past := slices.DeleteFunc(slices.Clone(all), func(e store.Entitlement) bool { return !isPast(e) })
	if len(all)-len(past) >= premium.MaxActive {
		var t jsonbody.Tree
		t.At("owner_id").Add(premium.TooMany, "The owner has the maximum number of entitlements of this application.")
		return t.Err()
	}
	for _, old := range past[:max(len(past)-premium.MaxPast, 0)] {
		remove(tx.Tx, old)
	}
	return p.put(tx, e)
}

// isPast reports whether an entitlement can no longer be used.
func isPast(e store.Entitlement) bool { return e.Deleted || e.Consumed || !e.Ends.IsZero() }

// remove removes an entitlement with its subscription, without an event.
func remove(tx *store.Tx, e store.Entitlement) {
	tx.Delete(store.EntitlementKey(e))
	if e.Subscription != 0 {
		tx.Delete(store.SubscriptionKey(store.Subscription{
			ID: e.Subscription, Application: e.Application, User: e.User, Guild: e.Guild,
		}))
	}
}

// Delete deletes a test entitlement. Its record stays, marked as deleted.
func (p *Premium) Delete(ctx context.Context, by Viewer, id snowflake.Entitlement) error {
	return p.Directory.Update(ctx, func(tx *directory.Tx) error {
		e, err := by.find(tx.Directory, id)
		switch {
		case err != nil:
			return err
		case e.Deleted:
			return apierror.UnknownEntitlement
		case e.Subscription != 0:
			return apierror.NotATest
		}
		e.Deleted = true
		return p.put(tx, e)
	})
}

// Consume marks an entitlement to a consumable SKU as used up, once.
func (p *Premium) Consume(ctx context.Context, by Viewer, id snowflake.Entitlement) error {
	return p.Directory.Update(ctx, func(tx *directory.Tx) error {
		e, err := by.find(tx.Directory, id)
		if err == nil && e.Deleted {
			err = apierror.UnknownEntitlement
		}
		if err != nil {
			return err
		}
		a, err := readApplication(tx, e.Application)
		if err != nil {
			return err
		}
		sku, err := findSKU(&a, e.SKU)
		if err != nil || premium.SKUType(sku.Type) != premium.Consumable {
			return cmp.Or(err, error(apierror.NotConsumable))
		}
		if e.Consumed {
			return nil
		}
		e.Consumed = true
		return p.put(tx, e)
	})
}
