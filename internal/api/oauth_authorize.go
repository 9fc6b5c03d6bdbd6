package api

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/grants"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

// authorizeRoutes are the authorization request without a page, for a person's own client.
func (a *API) authorizeRoutes() []route {
	query := []parameter{
		{"client_id", "string", "The application."},
		{"response_type", "string", "code or token; left out when the scopes only install."},
		{"scope", "string", "Scopes with spaces between."},
		{"redirect_uri", "string", "Where the answer goes."},
		{"state", "string", "Comes back as it was sent."},
		{"nonce", "string", "Stands in the ID token."},
		{"prompt", "string", "none: do not ask who has consented before."},
		{"code_challenge", "string", "Of RFC 7636."},
		{"code_challenge_method", "string", "S256."},
		{"integration_type", "string", "0 for a guild, 1 for the person's account."},
		{"permissions", "string", "Permissions of the bot."},
		{"guild_id", "string", "The guild that is chosen in advance."},
		{"disable_guild_select", "string", "true: no other guild can be chosen."},
	}
	return []route{
		{
			method: http.MethodGet, path: "/oauth2/authorize", name: "oauth2.preview",
			doc:   "Read what an application asks for. Without a token the browser is sent to the page for people.",
			allow: maybePeople, group: ratelimit.OAuth2Authorize, query: query,
			answer: map[int]string{200: "AuthorizePreview", 302: ""}, fault: "OAuthFault", handle: a.previewAuthorize,
		},
		{
			method: http.MethodPost, path: "/oauth2/authorize", name: "oauth2.authorize", doc: "Allow or decline what an application asks for.",
			allow: people, group: ratelimit.OAuth2Authorize, query: query, body: "AuthorizeChoice",
			answer: map[int]string{200: "AuthorizeOutcome"}, fault: "OAuthFault", handle: a.authorize,
		},
	}
}

// previewGuild is a guild that an application could be installed in.
type previewGuild struct {
	ID          snowflake.Guild `json:"id"`
	Name        string          `json:"name"`
	Icon        *string         `json:"icon"`
	MFALevel    int             `json:"mfa_level"`
	Permissions permission.Bits `json:"permissions"`
}

func (a *API) previewAuthorize(c *call) error {
	if c.principal.User == 0 {
		c.Header().Set("Location", grants.AuthorizePage+"?"+c.r.URL.RawQuery)
		c.WriteHeader(http.StatusFound)
		return nil
	}
	ctx := c.r.Context()
	ask, err := a.ask(c)
	if err != nil {
		return err
	}
	app, err := c.authorizedApplication(ask.App.ID)
	if err != nil {
		return err
	}
	user, err := a.Directory.User(ctx, c.principal.User)
	if err != nil {
		return err
	}
	preview := struct {
		Application     authorizedApplication `json:"application"`
		User            wire.User             `json:"user"`
		Authorized      bool                  `json:"authorized"`
		Scopes          []string              `json:"scopes"`
		IntegrationType uint8                 `json:"integration_type"`
		RedirectURI     string                `json:"redirect_uri,omitzero"`
		Bot             *wire.User            `json:"bot,omitzero"`
		Guilds          []previewGuild        `json:"guilds,omitzero"`
	}{Application: app, User: wire.UserOf(user), Scopes: ask.Scopes, IntegrationType: ask.Type, RedirectURI: ask.RedirectURI}
	if preview.Authorized, err = a.Grants.Consented(ctx, ask, user.ID); err != nil {
		return err
	}
	if ask.Bot() {
		bot, err := a.Directory.User(ctx, snowflake.User(ask.App.ID))
		if err != nil {
			return err
		}
		shown := wire.UserOf(bot)
		preview.Bot = &shown
	}
	if ask.InGuild() {
		if preview.Guilds, err = a.previewGuilds(c); err != nil {
			return err
		}
	}
	return c.value(http.StatusOK, preview)
}

func (a *API) previewGuilds(c *call) ([]previewGuild, error) {
	stays, err := a.Grants.Guilds(c.r.Context(), c.principal.User)
	if err != nil {
		return nil, err
	}
	list := make([]previewGuild, len(stays))
	for i, s := range stays {
		list[i] = previewGuild{ID: s.Place.ID, Name: s.Place.Name, Permissions: s.Member.Permissions()}
	}
	return list, nil
}

// ask reads what an application asks for. A query that cannot be read asks for nothing.
func (a *API) ask(c *call) (*grants.Ask, error) {
	q, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return nil, &grants.Error{Code: grants.InvalidRequest, Description: "The query is malformed."}
	}
	return a.Grants.Ask(c.r.Context(), q)
}

func (a *API) authorize(c *call) error {
	ask, err := a.ask(c)
	if err != nil {
		return err
	}
	body, err := c.readJSON()
	if err != nil {
		return err
	}
	choice, err := readChoice(body, ask)
	if err != nil {
		return err
	}
	choice.User = c.principal.User
	out, err := a.Grants.Decide(c.r.Context(), ask, choice)
	if refused, ok := errors.AsType[*grants.Error](err); ok && refused.Back != "" {
		out.Back, err = refused.Back, nil
	}
	if errors.Is(err, grants.ErrNoGuild) {
		var t problem.Tree
		t.At("guild_id").Required()
		return t.Err()
	}
	if err != nil {
		return err
	}
	return c.secretly(struct {
		URL      string `json:"url"`
		Location string `json:"location"`
	}{out.Back, out.Back})
}

// readChoice reads what a person says.
func readChoice(body form.Value, ask *grants.Ask) (grants.Choice, error) {
	var t problem.Tree
	var choice grants.Choice
	if v := body.Get("authorize"); v.IsSet() {
		choice.Accept, _ = form.AsBool(t.At("authorize"), v)
	} else {
		t.At("authorize").Required()
	}
	if v := body.Get("guild_id"); v.IsSet() {
		choice.Guild, _ = form.AsID[snowflake.Guild](t.At("guild_id"), v)
	}
	if v := body.Get("permissions"); v.IsSet() {
		text, ok := form.AsString(t.At("permissions"), v)
		bits, err := permission.ParseBits(text)
		if ok && err != nil {
			t.At("permissions").Add("NUMBER_TYPE_COERCE", "Expected a set of permissions as a decimal text.")
		}
		choice.Permissions = &bits
	}
	if v := body.Get("integration_type"); v.IsSet() {
		if n, ok := form.AsInt(t.At("integration_type"), v, 0, 1); ok && !ask.Choose(uint8(n)) {
			t.At("integration_type").Add(problem.Choices, "The application cannot be installed so.")
		}
	}
	return choice, t.Err()
}
