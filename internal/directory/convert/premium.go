package convert

import (
	"github.com/bellhop/bellhop/internal/rules/premium"
	"github.com/bellhop/bellhop/internal/rules/roleconnection"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// WireSKU returns the API object of a SKU of an application.
func WireSKU(app snowflake.Application, s store.SKU) wire.SKU {
	return wire.SKU{
		ID: s.ID, Type: s.Type, ApplicationID: app, Name: s.Name, Slug: premium.Slug(s.Name), Flags: s.Flags,
	}
}

// WireEntitlement returns the API object of an entitlement: in answers, in interactions and in events.
func WireEntitlement(e store.Entitlement) wire.Entitlement {
	starts, ends := wire.Time(e.Starts), wire.Time(e.Ends)
	return wire.Entitlement{
		ID: e.ID, SKUID: e.SKU, ApplicationID: e.Application, UserID: e.User, Type: e.Type, Deleted: e.Deleted, Consumed: e.Consumed,
		Starts: &starts, Ends: &ends, GuildID: e.Guild,
	}
}

// WireEntitlements returns the API objects of entitlements.
func WireEntitlements(list []store.Entitlement) []wire.Entitlement {
	shown := make([]wire.Entitlement, len(list))
	for i, e := range list {
		shown[i] = WireEntitlement(e)
	}
	return shown
}

// WireSubscription returns the API object of a subscription. It lists its entitlement until the subscription has ended.
func WireSubscription(s store.Subscription) wire.Subscription {
	shown := wire.Subscription{
		ID: s.ID, UserID: s.User, SKUIDs: []snowflake.SKU{s.SKU}, EntitlementIDs: []snowflake.Entitlement{}, Start: wire.Time(s.Start),
		End: wire.Time(s.End), Status: s.Status, Canceled: wire.Time(s.Canceled),
	}
	if premium.Status(s.Status) != premium.Inactive {
		shown.EntitlementIDs = append(shown.EntitlementIDs, s.Entitlement)
	}
	return shown
}

// Term returns the state of a subscription.
func Term(s store.Subscription) premium.Term {
	return premium.Term{Start: s.Start, End: s.End, Status: premium.Status(s.Status), Canceled: s.Canceled}
}

// WithTerm returns a subscription in another state.
func WithTerm(s store.Subscription, t premium.Term) store.Subscription {
	s.Start, s.End, s.Status, s.Canceled, s.Due = t.Start, t.End, int(t.Status), t.Canceled, t.Due()
	return s
}

// worldSKUs returns the SKUs of an application as world records.
func worldSKUs(list []store.SKU) []world.SKU {
	var all []world.SKU
	for _, s := range list {
		all = append(all, world.SKU(s))
	}
	return all
}

// skusOf returns the stored form of the SKUs of an application. Without a list the old ones stay.
func skusOf(list []world.SKU, old []store.SKU) []store.SKU {
	if list == nil {
		return old
	}
	var all []store.SKU
	for _, s := range list {
		all = append(all, store.SKU(s))
	}
	return all
}

// WireRoleMetadata returns the API objects of the records that describe role connections.
func WireRoleMetadata(list []store.RoleMetadata) []wire.RoleMetadata {
	shown := make([]wire.RoleMetadata, len(list))
	for i, r := range list {
		shown[i] = wire.RoleMetadata(r)
	}
	return shown
}

// RoleMetadataRecords returns the stored form of the records that describe role connections.
func RoleMetadataRecords(list []roleconnection.Record) []store.RoleMetadata {
	var all []store.RoleMetadata
	for _, r := range list {
		all = append(all, store.RoleMetadata(r))
	}
	return all
}

// WireRoleConnection returns the API object of a role connection.
func WireRoleConnection(c store.RoleConnection) wire.RoleConnection {
	shown := wire.RoleConnection{
		PlatformName: wire.NullString(c.PlatformName), PlatformUsername: wire.NullString(c.PlatformUsername), Metadata: c.Metadata,
	}
	if shown.Metadata == nil {
		shown.Metadata = map[string]string{}
	}
	return shown
}
