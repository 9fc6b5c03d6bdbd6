package premium

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/premium"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// Errors of purchases.
var (
	ErrNotForSale     = errors.New("the SKU is not for sale")
	ErrOwned          = errors.New("the SKU is owned already")
	ErrNeedsGuild     = errors.New("the SKU is a subscription for a guild")
	ErrNoGuild        = errors.New("the SKU is not a subscription for a guild")
	ErrNoSubscription = errors.New("there is no such subscription")
	// ErrUnknownSubscription says that a subscription does not exist.
	ErrUnknownSubscription = errors.New("unknown subscription")
)

// subscriptionKind describes subscriptions.
var subscriptionKind = directory.Kind[store.Subscription]{
	Name: "subscription",
	Target: func(s store.Subscription) string {
		return "application/" + s.Application.String() + "/subscription/" + s.ID.String()
	},
	Key: store.SubscriptionKey,
	Read: func(q store.DirectoryQueries, s store.Subscription) (store.Subscription, error) {
		return q.Subscription(s.ID)
	},
	Show: func(s store.Subscription) any { return convert.WireSubscription(s) },
	Events: func(e *directory.Events, before, after *store.Subscription) error {
		if after == nil {
			return nil
		}
		name := "SUBSCRIPTION_UPDATE"
		if before == nil {
			name = "SUBSCRIPTION_CREATE"
		}
		about := store.EntitlementsSubject(store.Entitlement{Application: after.Application, User: after.User, Guild: after.Guild}.Owner())
		return e.Add(about, name, convert.WireSubscription(*after), events.Audience{Application: after.Application}, nil)
	},
}

// Order says what a person buys or subscribes to.
type Order struct {
	Application snowflake.Application
	SKU         snowflake.SKU
	User        snowflake.User
	Guild       snowflake.Guild // that a subscription is for; 0: none
}

// Purchase has the entitlement and the subscription that a person bought.
type Purchase struct {
	Entitlement  wire.Entitlement   `json:"entitlement"`
	Subscription *wire.Subscription `json:"subscription"` // nil: a one-time purchase
}

// owner returns who gets the entitlement of an order.
func (o Order) owner() store.Owner {
	return store.Entitlement{Application: o.Application, User: o.User, Guild: o.Guild}.Owner()
}

// check returns the SKU of an order, or why nobody can order it so.
func (o Order) check(tx *directory.Tx) (store.SKU, error) {
	a, err := readApplication(tx, o.Application)
	if err != nil {
		return store.SKU{}, err
	}
	sku, err := findSKU(&a, o.SKU)
	switch forGuild := sku.Flags&premium.GuildSubscription != 0; {
	case err != nil:
		return sku, err
	case sku.Flags&premium.Available == 0:
		return sku, ErrNotForSale
	case forGuild && o.Guild == 0:
		return sku, ErrNeedsGuild
	case !forGuild && o.Guild != 0:
		return sku, ErrNoGuild
	case forGuild:
		_, err = tx.Member(o.Guild, o.User)
	default:
		_, err = tx.User(o.User)
	}
	return sku, err
}

// Buy gives a person what a SKU offers, without a payment: an entitlement, and for a subscription SKU a subscription.
func (p *Premium) Buy(ctx context.Context, o Order) (bought Purchase, err error) {
	e := store.Entitlement{
		ID: snowflake.Entitlement(p.IDs.Next()), Application: o.Application, SKU: o.SKU, User: o.User, Guild: o.Guild, Type: premium.TestModePurchase,
	}
	subscription := snowflake.Subscription(p.IDs.Next())
	err = p.Directory.Update(ctx, func(tx *directory.Tx) error {
		sku, err := o.check(tx)
		if err != nil {
			return err
		}
		all, err := tx.Directory.EntitlementsOf(o.owner())
		if err != nil {
			return err
		}
		for _, old := range all {
			if old.SKU == o.SKU && !isPast(old) {
				return ErrOwned
			}
		}
		e, made := e, Purchase{}
		if premium.SKUType(sku.Type) == premium.Subscription {
			now := p.now()
			s := convert.WithTerm(store.Subscription{
				ID: subscription, Application: o.Application, SKU: o.SKU, User: o.User, Guild: o.Guild, Entitlement: e.ID,
			}, premium.NewTerm(now))
			e.Type, e.Subscription, e.Starts = premium.ApplicationSubscription, s.ID, now
			if err := subscriptionKind.Put(tx, s); err != nil {
				return err
			}
			made.Subscription = new(convert.WireSubscription(s))
		}
		made.Entitlement = convert.WireEntitlement(e)
		bought = made
		return p.add(tx, e)
	})
	return bought, err
}

// Cancel cancels the subscription of a person to a SKU, which ends with its period, or with resume takes the cancellation back.
func (p *Premium) Cancel(ctx context.Context, o Order, resume bool) (changed Purchase, err error) {
	err = p.Directory.Update(ctx, func(tx *directory.Tx) error {
		all, err := tx.Directory.EntitlementsOf(o.owner())
		if err != nil {
			return err
		}
		for _, e := range all {
			if e.SKU != o.SKU || e.Subscription == 0 || e.User != o.User || isPast(e) {
				continue
			}
			s, err := tx.Directory.Subscription(e.Subscription)
			if err != nil {
				return err
			}
			next := convert.Term(s).Cancel(p.now())
			if resume {
				next = convert.Term(s).Resume()
			}
			changed = Purchase{convert.WireEntitlement(e), new(convert.WireSubscription(convert.WithTerm(s, next)))}
			if next == convert.Term(s) {
				return nil
			}
			return subscriptionKind.Put(tx, convert.WithTerm(s, next))
		}
		return ErrNoSubscription
	})
	return changed, err
}

// Subscriptions returns a page of the subscriptions of a user to a SKU of an application.
func (p *Premium) Subscriptions(ctx context.Context, app snowflake.Application, f store.SubscriptionFilter) ([]wire.Subscription, error) {
	if err := p.knows(ctx, app, f.SKU); err != nil {
		return nil, err
	}
	var list []store.Subscription
	err := p.Directory.Read(ctx, func(r store.Reader) (err error) {
		list, err = r.Directory.Subscriptions(app, f)
		return err
	})
	shown := make([]wire.Subscription, len(list))
	for i, s := range list {
		shown[i] = convert.WireSubscription(s)
	}
	return shown, err
}

// knows returns nil if an application has a SKU.
func (p *Premium) knows(ctx context.Context, app snowflake.Application, sku snowflake.SKU) error {
	a, err := p.Directory.Applications.Application(ctx, app)
	if err != nil {
		return err
	}
	_, err = findSKU(a, sku)
	return err
}

// Subscription returns a subscription to a SKU of an application. The viewer sees those of one user, or all.
func (p *Premium) Subscription(
	ctx context.Context, by Viewer, sku snowflake.SKU, id snowflake.Subscription,
) (shown wire.Subscription, err error) {
	if err := p.knows(ctx, by.Application, sku); err != nil {
		return shown, err
	}
	err = p.Directory.Read(ctx, func(r store.Reader) error {
		s, err := r.Directory.Subscription(id)
		gone := s.Application != by.Application || s.SKU != sku || by.User != 0 && s.User != by.User
		if errors.Is(err, store.ErrNotFound) || err == nil && gone {
			return ErrUnknownSubscription
		}
		shown = convert.WireSubscription(s)
		return err
	})
	return shown, err
}

// sweepConcurrency is the number of due subscriptions that are decided at the same time.
const sweepConcurrency = 8

// committed tells the sweeper of the subscriptions that a change writes.
func (p *Premium) committed(c *store.Change) {
	for _, r := range c.Put {
		if s, ok := r.(store.Subscription); ok && !s.Due.IsZero() {
			p.Due(s.Due)
		}
	}
}

// advance renews or ends a subscription that is due. When it ends, its entitlement ends too.
func (p *Premium) advance(ctx context.Context, id snowflake.Subscription) error {
	return p.Directory.Update(ctx, func(tx *directory.Tx) error {
		s, err := tx.Directory.Subscription(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		term := convert.Term(s)
		for due := term.Due(); !due.IsZero() && !due.After(p.Clock.Now()); due = term.Due() {
			sold, err := isSold(tx, s)
			if err != nil {
				return err
			}
			if !sold {
				term.Status = premium.Ending
			}
			term = term.Next()
		}
		if term == convert.Term(s) {
			return nil
		}
		if term.Status == premium.Inactive {
			e, err := tx.Directory.Entitlement(s.Entitlement)
			if err != nil {
				return err
			}
			e.Ends = term.End
			if err := p.put(tx, e); err != nil {
				return err
			}
		}
		return subscriptionKind.Put(tx, convert.WithTerm(s, term))
	})
}

// isSold reports whether an application still sells the SKU of a subscription.
func isSold(tx *directory.Tx, s store.Subscription) (bool, error) {
	a, err := tx.Directory.Application(s.Application)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil // it is being deleted
	}
	if err != nil {
		return false, err
	}
	sku, err := findSKU(&a, s.SKU)
	return err == nil && sku.Flags&premium.Available != 0, nil
}
