package storetest

import (
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// premiumQueries are the queries of entitlements, subscriptions and role connections.
func premiumQueries() queryCase {
	entitled := func(id snowflake.Entitlement, app snowflake.Application, user snowflake.User, guild snowflake.Guild) store.Entitlement {
		return store.Entitlement{ID: id, Application: app, SKU: 5, User: user, Guild: guild}
	}
	ended, deleted, other := entitled(3, 100, 200, 0), entitled(4, 100, 200, 0), entitled(5, 100, 200, 0)
	ended.Ends, deleted.Deleted, other.SKU = noon, true, 6
	subscribed := func(id snowflake.Subscription, user snowflake.User, due time.Time) store.Subscription {
		return store.Subscription{ID: id, Application: 100, SKU: 5, User: user, Due: due}
	}
	ids := func(list []store.Entitlement, err error) ([]snowflake.Entitlement, error) {
		var all []snowflake.Entitlement
		for _, e := range list {
			all = append(all, e.ID)
		}
		return all, err
	}
	page := func(name string, want []snowflake.Entitlement, f store.EntitlementFilter) query {
		if f.Limit == 0 {
			f.Limit = 9
		}
		return snapshotQuery(name, want, func(r store.Reader) ([]snowflake.Entitlement, error) { return ids(r.Directory.Entitlements(100, f)) })
	}
	subscriptions := func(list []store.Subscription, err error) ([]snowflake.Subscription, error) {
		var all []snowflake.Subscription
		for _, s := range list {
			all = append(all, s.ID)
		}
		return all, err
	}
	connections := func(list []store.RoleConnection, err error) ([]snowflake.User, error) {
		var all []snowflake.User
		for _, c := range list {
			all = append(all, c.User)
		}
		return all, err
	}
	return queryCase{
		name: "entitlements",
		put: []store.Record{
			entitled(1, 100, 200, 0), entitled(2, 100, 201, 300), ended, deleted, other, entitled(6, 101, 200, 0), entitled(7, 100, 200, 0),
			subscribed(1, 200, noon.Add(time.Hour)), subscribed(2, 200, noon), subscribed(3, 201, time.Time{}), subscribed(4, 200, noon),
			store.RoleConnection{Application: 100, User: 200},
			store.RoleConnection{Application: 100, User: 201},
			store.RoleConnection{Application: 101, User: 200},
			store.RoleConnection{Application: 100, User: 202},
		},
		delete: []store.Key{
			store.EntitlementKey(entitled(7, 100, 200, 0)), store.SubscriptionKey(subscribed(4, 200, noon)), store.RoleConnectionKey(100, 202),
		},
		queries: []query{
			page("all", []snowflake.Entitlement{1, 2, 3, 4, 5}, store.EntitlementFilter{}),
			page("of a user", []snowflake.Entitlement{1, 3, 4, 5}, store.EntitlementFilter{User: 200}),
			page("of a guild", []snowflake.Entitlement{2}, store.EntitlementFilter{Guild: 300}),
			page("to SKUs", []snowflake.Entitlement{5}, store.EntitlementFilter{SKUs: []snowflake.SKU{6, 7}}),
			page("not ended", []snowflake.Entitlement{1, 2, 4, 5}, store.EntitlementFilter{EndAfter: noon}),
			page("not deleted", []snowflake.Entitlement{1, 2, 3, 5}, store.EntitlementFilter{NotDeleted: true}),
			page("after", []snowflake.Entitlement{3, 4}, store.EntitlementFilter{After: 2, Limit: 2}),
			page("before", []snowflake.Entitlement{2, 3}, store.EntitlementFilter{Before: 4, Limit: 2}),
			q("of an owner", []snowflake.Entitlement{1, 3, 4, 5}, func(r store.Reader) ([]snowflake.Entitlement, error) {
				return ids(r.Directory.EntitlementsOf(store.Owner{Application: 100, User: 200}))
			}),
			snapshotQuery("that a user has", []snowflake.Entitlement{2}, func(r store.Reader) ([]snowflake.Entitlement, error) {
				return ids(r.Directory.EntitlementsOfUser(201, 5))
			}),
			snapshotQuery("that a guild has", []snowflake.Entitlement{2}, func(r store.Reader) ([]snowflake.Entitlement, error) {
				return ids(r.Directory.EntitlementsOfGuild(300, 5))
			}),
			snapshotQuery("subscriptions", []snowflake.Subscription{1, 2}, func(r store.Reader) ([]snowflake.Subscription, error) {
				return subscriptions(r.Directory.Subscriptions(100, store.SubscriptionFilter{SKU: 5, User: 200, Limit: 5}))
			}),
			snapshotQuery("due", []store.DueRecord[snowflake.Subscription]{{ID: 2, Due: noon}, {ID: 1, Due: noon.Add(time.Hour)}}, func(r store.Reader) ([]store.DueRecord[snowflake.Subscription], error) {
				return r.Directory.DueSubscriptions(5)
			}),
			q("connections", []snowflake.User{200, 201}, func(r store.Reader) ([]snowflake.User, error) {
				return connections(r.Directory.RoleConnections(100, 5))
			}),
			q("connections of a user", []snowflake.User{200, 200}, func(r store.Reader) ([]snowflake.User, error) {
				return connections(r.Directory.RoleConnectionsOf(200, 5))
			}),
		},
	}
}
