// Package premium has the rules for what applications sell: SKUs, entitlements and subscriptions. It performs no I/O and knows
// no clock.
package premium

import (
	"strings"
	"time"
	"unicode"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// SKUType is the type of a SKU, by its number in the API.
type SKUType int

// The types of SKUs.
const (
	Durable           SKUType = 2
	Consumable        SKUType = 3
	Subscription      SKUType = 5
	SubscriptionGroup SKUType = 6
)

// Sold reports whether users can get entitlements to SKUs of the type.
func (t SKUType) Sold() bool { return t != SubscriptionGroup }

// Flags of SKUs.
const (
	Available         = 1 << 2
	GuildSubscription = 1 << 7
	UserSubscription  = 1 << 8
)

// The types of entitlements that the service creates.
const (
	TestModePurchase        = 4 // a one-time purchase, which nobody pays
	ApplicationSubscription = 8 // a subscription, or a test entitlement
)

// Limits of what applications sell.
const (
	MaxSKUs    = 50 // of an application
	MaxSKUName = 80
	// MaxActive and MaxPast bound the entitlements of a user or a guild in an application: those that can be used, and those
	// that have ended, were consumed or were deleted.
	MaxActive = 100
	MaxPast   = 100
)

// TooMany is the code of one entitlement more than MaxActive.
const TooMany jsonbody.Code = "ENTITLEMENT_OWNER_MAX"

// Slug returns the name of a SKU as a part of a URL, such as "test-premium".
func Slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, "-")
}

// The types of owners of an entitlement in a request.
const (
	guildOwner = 1
	userOwner  = 2
)

// Grant is a request for a test entitlement. One of User and Guild is set.
type Grant struct {
	SKU   snowflake.SKU
	User  snowflake.User
	Guild snowflake.Guild
}

// ReadGrant reads a request for a test entitlement. The error is a *jsonbody.Tree.
func ReadGrant(body jsonbody.Value) (Grant, error) {
	var t jsonbody.Tree
	body, ok := jsonbody.AsObject(&t, body)
	if !ok {
		return Grant{}, t.Err()
	}
	g := Grant{SKU: jsonbody.ReadID[snowflake.SKU](&t, body, "sku_id", true)}
	owner := jsonbody.ReadID[snowflake.User](&t, body, "owner_id", true)
	if !body.Get("owner_type").IsSet() {
		t.At("owner_type").Required()
	}
	switch jsonbody.ReadGiven(&t, body, "owner_type", jsonbody.OneOf(guildOwner, userOwner)).Or(0) {
	case guildOwner:
		g.Guild = snowflake.Guild(owner)
	default:
		g.User = owner
	}
	return g, t.Err()
}

// Status is the state of a subscription, by its number in the API.
type Status int

// The states of subscriptions.
const (
	Active   Status = 0
	Inactive Status = 1
	Ending   Status = 2 // active, and not renewed
)

// Term is the state of a subscription: its current period and what follows.
type Term struct {
	Start, End time.Time
	Status     Status
	Canceled   time.Time // zero: not canceled
}

// NewTerm returns a subscription that begins now. A period is a month.
func NewTerm(now time.Time) Term { return Term{Start: now, End: now.AddDate(0, 1, 0)} }

// Cancel returns the term of a subscription that ends with its period. It changes nothing unless the subscription is active.
func (t Term) Cancel(now time.Time) Term {
	if t.Status == Active {
		t.Status, t.Canceled = Ending, now
	}
	return t
}

// Resume returns the term of a subscription whose cancellation is taken back. It changes nothing unless it was canceled and has
// not ended.
func (t Term) Resume() Term {
	if t.Status == Ending {
		t.Status, t.Canceled = Active, time.Time{}
	}
	return t
}

// Next returns the term after the end of the period: the next period, or the end of a subscription that was canceled.
func (t Term) Next() Term {
	switch t.Status {
	case Active:
		t.Start, t.End = t.End, t.End.AddDate(0, 1, 0)
	case Ending:
		t.Status = Inactive
	case Inactive:
	}
	return t
}

// Due returns when Next applies; zero: never.
func (t Term) Due() time.Time {
	if t.Status == Inactive {
		return time.Time{}
	}
	return t.End
}
