package dev

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/premium"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
)

func (a *API) purchaseRoutes() []api.Route {
	return []api.Route{
		route(http.MethodPost, "/purchases", "purchases", "Buy what an app sells as a person, without a payment, or cancel or resume a subscription to it.",
			"DevPurchase", map[int]string{200: "DevPurchased"}, a.purchase),
	}
}

// purchaseErrors says which member of the request an error of an order is about.
var purchaseErrors = []struct {
	err         error
	field, text string
}{
	{premium.ErrNotForSale, "sku", "the SKU is not for sale: its flags lack 4"},
	{premium.ErrOwned, "sku", "the person or the guild has it already"},
	{premium.ErrNeedsGuild, "guild", "the SKU is a subscription for a guild: name one"},
	{premium.ErrNoGuild, "guild", "the SKU is not a subscription for a guild"},
	{premium.ErrNoSubscription, "sku", "there is no subscription to it that has not ended"},
	{apierror.UnknownSKU, "sku", "nobody can buy a subscription group"},
}

// purchase does what a person does with an offer of an app.
func (a *API) purchase(c *api.Call) error {
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	body, _ = jsonbody.AsObject(&t, body)
	as, app, sku := readText(&t, body, "as", true), readText(&t, body, "application", true), readText(&t, body, "sku", true)
	guild := readText(&t, body, "guild", false)
	cancel, resume := jsonbody.IsTrue(body, "cancel"), jsonbody.IsTrue(body, "resume")
	if cancel && resume {
		t.At("resume").Add(notUnderstood, "a subscription is canceled or resumed, not both")
	}
	if t.Failed() {
		return t.Err()
	}
	done, err := a.order(c.Context(), as, app, sku, guild, cancel, resume)
	for _, e := range purchaseErrors {
		if errors.Is(err, e.err) {
			err = &InvocationError{e.field, e.text}
		}
	}
	if err != nil {
		return atField(err)
	}
	return c.Value(http.StatusOK, done)
}

// order finds what the names mean, and buys, cancels or resumes.
func (a *API) order(ctx context.Context, as, app, sku, guild string, cancel, resume bool) (done premium.Purchase, err error) {
	viewer, err := a.findUser(ctx, as)
	if err != nil {
		return done, err
	}
	o := premium.Order{User: viewer.User}
	if guild != "" {
		o.Guild, err = (&manage.Finder{Directory: a.Directory}).Guild(ctx, guild)
		if errors.Is(err, directory.ErrUnknownGuild) {
			err = a.unknownGuild(ctx, guild)
		}
		if err != nil {
			return done, err
		}
	}
	seller, err := a.findSeller(ctx, app)
	if err != nil {
		return done, err
	}
	o.Application = seller.ID
	var names []string
	for _, s := range seller.SKUs {
		if names = append(names, s.Name); s.Name == sku || s.ID.String() == sku {
			o.SKU = s.ID
		}
	}
	if o.SKU == 0 {
		return done, &InvocationError{"sku", fmt.Sprintf("%s sells nothing called %q%s", seller.Name, sku, suggestion(sku, names))}
	}
	if cancel || resume {
		return a.Premium.Cancel(ctx, o, resume)
	}
	return a.Premium.Buy(ctx, o)
}

// findSeller returns the application with an id or a name.
func (a *API) findSeller(ctx context.Context, name string) (*store.Application, error) {
	list, err := a.Directory.Applications.List(ctx, 0, maxNames)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(list))
	for i := range list {
		if list[i].Name == name || list[i].ID.String() == name {
			return &list[i], nil
		}
		names[i] = list[i].Name
	}
	return nil, &InvocationError{"application", fmt.Sprintf("no application is called %q%s", name, suggestion(name, names))}
}
