package store

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// SKU is an offer of an application.
type SKU struct {
	ID    snowflake.SKU `json:"id"`
	Type  int           `json:"type"`
	Name  string        `json:"name"`
	Flags int           `json:"flags"`
}

// Entitlement gives a user or a guild what a SKU of an application offers.
type Entitlement struct {
	ID          snowflake.Entitlement `json:"id"`
	Application snowflake.Application `json:"application"`
	SKU         snowflake.SKU         `json:"sku"`
	// Guild owns the entitlement. If it is 0, User does. With a guild, User is the buyer; 0: none.
	Guild        snowflake.Guild        `json:"guild,omitzero"`
	User         snowflake.User         `json:"user,omitzero"`
	Type         int                    `json:"type"`
	Subscription snowflake.Subscription `json:"subscription,omitzero"` // that it belongs to; 0: none
	Starts       time.Time              `json:"starts,omitzero"`       // zero: always valid
	Ends         time.Time              `json:"ends,omitzero"`         // zero: it has no end yet
	Deleted      bool                   `json:"deleted,omitzero"`
	Consumed     bool                   `json:"consumed,omitzero"`
}

// Owner is the user or the guild that has entitlements to SKUs of an application. One of User and Guild is set.
type Owner struct {
	Application snowflake.Application
	User        snowflake.User
	Guild       snowflake.Guild
}

// Owner returns the owner of the entitlement.
func (e Entitlement) Owner() Owner { return newOwner(e.Application, e.User, e.Guild) }

func newOwner(app snowflake.Application, user snowflake.User, guild snowflake.Guild) Owner {
	if guild != 0 {
		user = 0
	}
	return Owner{app, user, guild}
}

func (e Entitlement) subjects() []Subject { return []Subject{EntitlementsSubject(e.Owner())} }

func (e Entitlement) write(w *writes) {
	w.put(entitlementsTable, key(e.ID), key(e.Application), key(e.SKU), key(e.User), key(e.Guild), microsOrNull(e.Ends), flag(e.Deleted), w.doc(e))
}

// EntitlementKey names an entitlement. e has at least its id and its owner.
func EntitlementKey(e Entitlement) Key {
	return Key{subs: e.subjects(), rows: []rowKey{{entitlementsTable, []string{"id"}, []any{key(e.ID)}}}}
}

// Entitlement returns an entitlement. A decision depends on the entitlements of its owner.
func (q DirectoryQueries) Entitlement(id snowflake.Entitlement) (Entitlement, error) {
	e, err := find[Entitlement](q.reader, entitlementsTable, key(id))
	if err == nil {
		q.read(EntitlementsSubject(e.Owner()))
	}
	return e, err
}

// EntitlementsOf returns the entitlements of a user or a guild, with those that have ended or were deleted.
func (q DirectoryQueries) EntitlementsOf(o Owner) ([]Entitlement, error) {
	q.read(EntitlementsSubject(o))
	if o.Guild != 0 {
		return list[Entitlement](q.reader, entitlementsTable, page{}, []string{"guild_id", "application_id"}, key(o.Guild), key(o.Application))
	}
	return list[Entitlement](
		q.reader, entitlementsTable, page{}, []string{"user_id", "application_id", "guild_id"}, key(o.User), key(o.Application), int64(0),
	)
}

// MaxEntitlementSKUs bounds the SKUs of an EntitlementFilter.
const MaxEntitlementSKUs = 100

// EntitlementFilter selects entitlements of an application. Zero members select all.
type EntitlementFilter struct {
	User          snowflake.User
	Guild         snowflake.Guild
	SKUs          []snowflake.SKU // at most MaxEntitlementSKUs
	EndAfter      time.Time       // leaves out those that have ended by then
	NotDeleted    bool
	Before, After snowflake.Entitlement
	Limit         int
}

// Entitlements returns a page of the entitlements of an application: the last ones before Before, or the first ones after
// After. A decision does not see its own writes in the result.
func (q DirectoryQueries) Entitlements(app snowflake.Application, f EntitlementFilter) ([]Entitlement, error) {
	query := entitlementsTable.all + " WHERE application_id = ?"
	args := []any{key(app)}
	if f.User != 0 {
		query, args = query+" AND user_id = ?", append(args, key(f.User))
	}
	if f.Guild != 0 {
		query, args = query+" AND guild_id = ?", append(args, key(f.Guild))
	}
	if len(f.SKUs) > 0 { // always the same number, so that the query has few forms
		query += " AND sku_id IN (?" + strings.Repeat(", ?", MaxEntitlementSKUs-1) + ")"
		for i := range MaxEntitlementSKUs {
			args = append(args, key(f.SKUs[min(i, len(f.SKUs)-1)]))
		}
	}
	if !f.EndAfter.IsZero() {
		query, args = query+" AND (ends IS NULL OR ends > ?)", append(args, micros(f.EndAfter))
	}
	if f.NotDeleted {
		query += " AND deleted = 0"
	}
	rows, err := q.between(entitlementsTable, query, args, uint64(f.After), uint64(f.Before), f.Limit)
	if err != nil {
		return nil, err
	}
	return decodeAll[Entitlement](entitlementsTable, rows)
}

// between returns up to limit rows of a query whose ids are above after and below before, in ascending order: the last of them
// if before is set, else the first.
func (q DirectoryQueries) between(t *table, query string, args []any, after, before uint64, limit int) ([]Row, error) {
	order, high := " ORDER BY id", int64(math.MaxInt64)
	if before != 0 {
		order, high = " ORDER BY id DESC", int64(before)
	}
	rows, err := q.limited(t, limit, query+" AND id > ? AND id < ?"+order, append(args, int64(after), high))
	if before != 0 {
		slices.Reverse(rows)
	}
	return rows, err
}

// EntitlementsOfUser returns up to limit entitlements that a user has or bought. As with EntitlementsOfGuild, a decision does not
// see its own writes in the result.
func (q DirectoryQueries) EntitlementsOfUser(user snowflake.User, limit int) ([]Entitlement, error) {
	return q.entitlementsOf("user_id", key(user), limit)
}

// EntitlementsOfGuild returns up to limit entitlements of a guild.
func (q DirectoryQueries) EntitlementsOfGuild(guild snowflake.Guild, limit int) ([]Entitlement, error) {
	return q.entitlementsOf("guild_id", key(guild), limit)
}

func (q DirectoryQueries) entitlementsOf(column string, id int64, limit int) ([]Entitlement, error) {
	query := entitlementsTable.all + " WHERE " + column + " = ? ORDER BY application_id, id"
	rows, err := q.limited(entitlementsTable, limit, query, []any{id})
	if err != nil {
		return nil, err
	}
	return decodeAll[Entitlement](entitlementsTable, rows)
}

// Subscription is a user who pays for a SKU every month. It belongs to the owner of its entitlement.
type Subscription struct {
	ID          snowflake.Subscription `json:"id"`
	Application snowflake.Application  `json:"application"`
	SKU         snowflake.SKU          `json:"sku"`
	User        snowflake.User         `json:"user"`
	Guild       snowflake.Guild        `json:"guild,omitzero"` // that has the entitlement; 0: the user has it
	Entitlement snowflake.Entitlement  `json:"entitlement"`
	Start       time.Time              `json:"start"` // of the current period, as End
	End         time.Time              `json:"end"`
	Status      int                    `json:"status"`
	Canceled    time.Time              `json:"canceled,omitzero"`
	Due         time.Time              `json:"due,omitzero"` // when it is renewed or ends; zero: never
}

func (s Subscription) subjects() []Subject {
	return []Subject{EntitlementsSubject(newOwner(s.Application, s.User, s.Guild))}
}

func (s Subscription) write(w *writes) {
	w.put(subscriptionsTable, key(s.ID), key(s.Application), key(s.SKU), key(s.User), microsOrNull(s.Due), w.doc(s))
}

// SubscriptionKey names a subscription. s has at least its id and its owner.
func SubscriptionKey(s Subscription) Key {
	return Key{subs: s.subjects(), rows: []rowKey{{subscriptionsTable, []string{"id"}, []any{key(s.ID)}}}}
}

// Subscription returns a subscription. A decision depends on the entitlements of the owner.
func (q DirectoryQueries) Subscription(id snowflake.Subscription) (Subscription, error) {
	s, err := find[Subscription](q.reader, subscriptionsTable, key(id))
	if err == nil {
		q.read(s.subjects()[0])
	}
	return s, err
}

// SubscriptionFilter selects subscriptions of a user. The bounds are those of EntitlementFilter.
type SubscriptionFilter struct {
	SKU           snowflake.SKU
	User          snowflake.User
	Before, After snowflake.Subscription
	Limit         int
}

// Subscriptions returns a page of the subscriptions of a user to a SKU. A decision does not see its own writes in the result.
func (q DirectoryQueries) Subscriptions(app snowflake.Application, f SubscriptionFilter) ([]Subscription, error) {
	query := subscriptionsTable.all + " WHERE application_id = ? AND user_id = ? AND sku_id = ?"
	args := []any{key(app), key(f.User), key(f.SKU)}
	rows, err := q.between(subscriptionsTable, query, args, uint64(f.After), uint64(f.Before), f.Limit)
	if err != nil {
		return nil, err
	}
	return decodeAll[Subscription](subscriptionsTable, rows)
}

// DueSubscriptions returns up to limit subscriptions that are renewed or end, ordered by Due.
func (q DirectoryQueries) DueSubscriptions(limit int) ([]DueRecord[snowflake.Subscription], error) {
	const query = "SELECT id, due FROM subscriptions WHERE due IS NOT NULL ORDER BY due LIMIT ?"
	return dueRecords[snowflake.Subscription](q.reader, query, limit)
}
