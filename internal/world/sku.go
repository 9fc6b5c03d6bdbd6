package world

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/premium"
	"github.com/bellhop/bellhop/snowflake"
)

// SKU is an offer of an application.
type SKU struct {
	ID    snowflake.SKU `json:"id"`
	Type  int           `json:"type"`
	Name  string        `json:"name"`
	Flags int           `json:"flags"` // default: for sale, and a subscription is for users
}

func (s *SKU) read(o *object) {
	s.ID = id[snowflake.SKU](o, "id")
	s.Type = o.int("type", int(premium.Durable), int(premium.SubscriptionGroup))
	s.Name = o.text("name")
	s.Flags = o.int("flags", 0, premium.Available|premium.GuildSubscription|premium.UserSubscription)
}

// skuTypes are the types of SKUs.
func skuTypes() []premium.SKUType {
	return []premium.SKUType{premium.Durable, premium.Consumable, premium.Subscription, premium.SubscriptionGroup}
}

func (s *SKU) complete(t *jsonbody.Tree) {
	required(t, "id", s.ID != 0)
	name(t, "name", s.Name, 1, premium.MaxSKUName)
	required(t, "type", s.Type != 0)
	kind := premium.SKUType(s.Type)
	if s.Type != 0 && !slices.Contains(skuTypes(), kind) {
		find(t, "type", func(at *jsonbody.Tree) { jsonbody.NotOneOfInts(at, skuTypes()...) })
		return
	}
	subscribed := kind == premium.Subscription || kind == premium.SubscriptionGroup
	if s.Flags == 0 {
		s.Flags = premium.Available
	}
	const who = premium.GuildSubscription | premium.UserSubscription
	if s.Flags&who == 0 && subscribed {
		s.Flags |= premium.UserSubscription
	}
	switch {
	case s.Flags&^(premium.Available|who) != 0:
		find(t, "flags", func(at *jsonbody.Tree) {
			at.Add(BadText, fmt.Sprintf("Must be a sum of %d, %d and %d.", premium.Available, premium.GuildSubscription, premium.UserSubscription))
		})
	case s.Flags&who == who:
		find(t, "flags", func(at *jsonbody.Tree) {
			at.Add(Misplaced, "A subscription is for a guild or for a user, not for both.")
		})
	case s.Flags&who != 0 && !subscribed:
		find(t, "flags", func(at *jsonbody.Tree) { at.Add(Misplaced, "Only a subscription is for a guild or for a user.") })
	}
}

// completeSKUs completes the SKUs of an application, sorts them and reports ids that occur twice.
func (a *Application) completeSKUs(t *jsonbody.Tree) {
	if a.SKUs == nil {
		return
	}
	given := a.SKUs
	completeAll(t, &a.SKUs, premium.MaxSKUs)
	for i, s := range given {
		if j := slices.IndexFunc(given, func(o SKU) bool { return o.ID == s.ID }); j < i && s.ID != 0 {
			find(t.Index(i), "id", func(at *jsonbody.Tree) { at.Add(Duplicate, fmt.Sprintf("Duplicate of skus.%d.", j)) })
		}
	}
	slices.SortFunc(a.SKUs, func(x, y SKU) int { return cmp.Compare(x.ID, y.ID) })
	if a.SKUs == nil {
		a.SKUs = []SKU{} // none, unlike a file without the key
	}
}
