package v10

import (
	"net/http"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/premium"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	rules "github.com/bellhop/bellhop/internal/rules/premium"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// premiumHandlers serve what applications sell.
type premiumHandlers struct{ premium *premium.Premium }

// beforeAfter are the query parameters of a page.
func beforeAfter(what, limit string) []api.Parameter {
	return []api.Parameter{
		{Name: "before", Kind: "string", Doc: "Only " + what + " with smaller ids: the last of them."},
		{Name: "after", Kind: "string", Doc: "Only " + what + " with larger ids."},
		{Name: "limit", Kind: "integer", Doc: "Maximum number of " + what + ", 1 to 100; default " + limit + "."},
	}
}

func (h *premiumHandlers) routes() []api.Route {
	const list, one = "/applications/{application_id}/entitlements", "/applications/{application_id}/entitlements/{entitlement_id}"
	const subscriptions = "/skus/{sku_id}/subscriptions"
	route := func(method, path, name, doc string, allow api.Access, answer map[int]string, handle func(*api.Call) error) api.Route {
		return api.Route{Method: method, Path: path, Name: name, Doc: doc, Allow: allow, Group: ratelimit.Other, Answer: answer, Handle: handle}
	}
	skus := api.Parameter{Name: "sku_ids", Kind: "string", Doc: "Only entitlements to these SKUs: ids with commas between."}
	find := route(http.MethodGet, list, "entitlements.list", "List the entitlements of an application. A bearer token sees those of its user.",
		api.OwnEntitlements, map[int]string{200: "Entitlements"}, h.listEntitlements)
	find.Query = append(
		[]api.Parameter{
			{Name: "user_id", Kind: "string", Doc: "Only entitlements of this user."},
			skus,
			{Name: "guild_id", Kind: "string", Doc: "Only entitlements of this guild."},
			{Name: "exclude_ended", Kind: "boolean", Doc: "Leave out entitlements that have ended; default false."},
			{Name: "exclude_deleted", Kind: "boolean", Doc: "Leave out deleted entitlements; default true."},
		}, beforeAfter("entitlements", "100")...,
	)
	grant := route(http.MethodPost, list, "entitlements.create", "Create a test entitlement for a user or a guild.",
		api.OwnBot, map[int]string{200: "TestEntitlement"}, h.grant)
	grant.Body = "NewEntitlement"
	mine := route(http.MethodGet, "/users/@me"+list, "users.entitlements", "List the entitlements of the caller that can be used.",
		api.Customers, map[int]string{200: "Entitlements"}, h.listMine)
	mine.Query = []api.Parameter{skus, {Name: "exclude_consumed", Kind: "boolean", Doc: "Leave out entitlements that were consumed; default false."}}
	ofSKU := route(http.MethodGet, subscriptions, "subscriptions.list", "List the subscriptions of a user to a SKU.",
		api.Apps, map[int]string{200: "Subscriptions"}, h.listSubscriptions)
	ofSKU.Query = append(
		[]api.Parameter{{Name: "user_id", Kind: "string", Doc: "The user. A bearer token needs none: it stands for its user."}},
		beforeAfter("subscriptions", "50")...,
	)
	return []api.Route{
		route(http.MethodGet, "/applications/{application_id}/skus", "skus.list", "List what an application sells.",
			api.Storefront, map[int]string{200: "SKUs"}, h.listSKUs),
		find, grant,
		route(http.MethodGet, one, "entitlements.get", "Read an entitlement.", api.OwnEntitlements, map[int]string{200: "Entitlement"}, h.getEntitlement),
		route(http.MethodDelete, one, "entitlements.delete", "Delete a test entitlement.", api.OwnEntitlements, noContent, h.deleteEntitlement),
		route(http.MethodPost, one+"/consume", "entitlements.consume", "Mark an entitlement to a consumable SKU as used up.",
			api.OwnEntitlements, noContent, h.consumeEntitlement),
		mine, ofSKU,
		route(http.MethodGet, subscriptions+"/{subscription_id}", "subscriptions.get", "Read a subscription to a SKU.",
			api.Apps, map[int]string{200: "Subscription"}, h.getSubscription),
	}
}

// premiumViewer returns the caller: an application, or with the bearer token of a user only that user.
func premiumViewer(c *api.Call) premium.Viewer {
	v := premium.Viewer{Application: c.Principal.Application}
	if c.Principal.Kind == store.BearerToken {
		v.User = c.Principal.User
	}
	return v
}

// readSKUIDs reads ids with commas between, or in several parameters.
func readSKUIDs(q *api.Query) []snowflake.SKU {
	var list []snowflake.SKU
	for _, text := range q.Values["sku_ids"] {
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
			if len(list) == store.MaxEntitlementSKUs {
				q.At("sku_ids").Length(-1, store.MaxEntitlementSKUs)
				return nil
			}
			id, _ := jsonbody.ParseID[snowflake.SKU](q.At("sku_ids").Index(len(list)), part)
			list = append(list, id)
		}
	}
	return list
}

func (h *premiumHandlers) listSKUs(c *api.Call) error {
	list, err := h.premium.SKUs(c.Context(), c.Scope.Application)
	if c.Principal.Kind == store.UserToken { // people do not learn of offers that are not for sale yet
		list = slices.DeleteFunc(list, func(s wire.SKU) bool { return s.Flags&rules.Available == 0 })
	}
	return c.OK(list, err)
}

// maxEntitlements and maxSubscriptions bound a page.
const maxEntitlements, maxSubscriptions, usualSubscriptions = 100, 100, 50

func (h *premiumHandlers) listEntitlements(c *api.Call) error {
	q := c.Query()
	f := store.EntitlementFilter{
		User: api.QueryID[snowflake.User](q, "user_id"), Guild: api.QueryID[snowflake.Guild](q, "guild_id"), SKUs: readSKUIDs(q),
		Before: api.QueryID[snowflake.Entitlement](q, "before"), After: api.QueryID[snowflake.Entitlement](q, "after"),
		Limit: q.Limit(maxEntitlements, maxEntitlements), NotDeleted: q.Values.Get("exclude_deleted") == "" || q.Bool("exclude_deleted"),
	}
	ended := !q.Bool("exclude_ended")
	if err := q.Err(); err != nil {
		return err
	}
	return c.OK(h.premium.List(c.Context(), premiumViewer(c), f, ended))
}

func (h *premiumHandlers) getEntitlement(c *api.Call) error {
	id, err := api.PathID[snowflake.Entitlement](c, "entitlement_id")
	if err != nil {
		return err
	}
	return c.OK(h.premium.Get(c.Context(), premiumViewer(c), id))
}

func (h *premiumHandlers) grant(c *api.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	return c.OK(h.premium.Grant(c.Context(), c.Scope.Application, body))
}

func (h *premiumHandlers) deleteEntitlement(c *api.Call) error {
	id, err := api.PathID[snowflake.Entitlement](c, "entitlement_id")
	if err != nil {
		return err
	}
	return c.NoContent(h.premium.Delete(c.Context(), premiumViewer(c), id))
}

func (h *premiumHandlers) consumeEntitlement(c *api.Call) error {
	id, err := api.PathID[snowflake.Entitlement](c, "entitlement_id")
	if err != nil {
		return err
	}
	return c.NoContent(h.premium.Consume(c.Context(), premiumViewer(c), id))
}

func (h *premiumHandlers) listMine(c *api.Call) error {
	q := c.Query()
	skus, unused := readSKUIDs(q), q.Bool("exclude_consumed")
	if err := q.Err(); err != nil {
		return err
	}
	all, err := h.premium.Valid(c.Context(), c.Application, c.Principal.User, 0)
	if err != nil {
		return err
	}
	list := []wire.Entitlement{}
	for _, e := range all {
		if wanted := len(skus) == 0 || slices.Contains(skus, e.SKUID); wanted && (!unused || !e.Consumed) {
			list = append(list, e)
		}
	}
	return c.Value(http.StatusOK, list)
}

func (h *premiumHandlers) listSubscriptions(c *api.Call) error {
	sku, err := api.PathID[snowflake.SKU](c, "sku_id")
	if err != nil {
		return err
	}
	q, by := c.Query(), premiumViewer(c)
	f := store.SubscriptionFilter{
		SKU: sku, User: api.QueryID[snowflake.User](q, "user_id"),
		Before: api.QueryID[snowflake.Subscription](q, "before"), After: api.QueryID[snowflake.Subscription](q, "after"),
		Limit: q.Limit(usualSubscriptions, maxSubscriptions),
	}
	if by.User != 0 {
		f.User = by.User
	}
	if f.User == 0 && !q.Failed() {
		q.At("user_id").Required()
	}
	if err := q.Err(); err != nil {
		return err
	}
	return c.OK(h.premium.Subscriptions(c.Context(), by.Application, f))
}

func (h *premiumHandlers) getSubscription(c *api.Call) error {
	sku, err := api.PathID[snowflake.SKU](c, "sku_id")
	if err != nil {
		return err
	}
	id, err := api.PathID[snowflake.Subscription](c, "subscription_id")
	if err != nil {
		return err
	}
	return c.OK(h.premium.Subscription(c.Context(), premiumViewer(c), sku, id))
}
