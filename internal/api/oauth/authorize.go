package oauth

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// authorizeRoutes serve the authorization request without pages, for clients with a user token.
func (a *API) authorizeRoutes() []api.Route {
	query := []api.Parameter{
		{Name: "client_id", Kind: "string", Doc: "The application."},
		{Name: "response_type", Kind: "string", Doc: "code or token; left out when the scopes only install."},
		{Name: "scope", Kind: "string", Doc: "Scopes, separated by spaces."},
		{Name: "redirect_uri", Kind: "string", Doc: "URI that receives the answer."},
		{Name: "state", Kind: "string", Doc: "Returned unchanged."},
		{Name: "nonce", Kind: "string", Doc: "Copied to the ID token."},
		{Name: "max_age", Kind: "integer", Doc: "How many seconds ago the user may have signed in."},
		{Name: "prompt", Kind: "string", Doc: "none: do not ask a user who has consented before."},
		{Name: "code_challenge", Kind: "string", Doc: "Code challenge of RFC 7636."},
		{Name: "code_challenge_method", Kind: "string", Doc: "S256."},
		{Name: "integration_type", Kind: "string", Doc: "0 for a guild, 1 for the user's account."},
		{Name: "permissions", Kind: "string", Doc: "Permissions of the bot."},
		{Name: "guild_id", Kind: "string", Doc: "The guild that is selected first."},
		{Name: "disable_guild_select", Kind: "string", Doc: "true: the user cannot select another guild."},
	}
	return []api.Route{
		{
			Method: http.MethodGet, Path: "/oauth2/authorize", Name: "oauth2.preview",
			Doc:   "Read what an application asks for. Without a token the browser is redirected to the consent page.",
			Allow: api.MaybePeople, Group: ratelimit.OAuth2Authorize, Query: query,
			Answer: map[int]string{200: "AuthorizePreview", 302: ""}, ErrorSchema: "OAuthFault", Handle: a.previewAuthorize,
		},
		{
			Method: http.MethodPost, Path: "/oauth2/authorize", Name: "oauth2.authorize", Doc: "Allow or decline what an application asks for.",
			Allow: api.People, Group: ratelimit.OAuth2Authorize, Query: query, Body: "AuthorizeChoice",
			Answer: map[int]string{200: "AuthorizeOutcome"}, ErrorSchema: "OAuthFault", Handle: a.authorize,
		},
	}
}

// previewGuild is a guild in which an application can be installed.
type previewGuild struct {
	ID          snowflake.Guild `json:"id"`
	Name        string          `json:"name"`
	Icon        *string         `json:"icon"`
	MFALevel    int             `json:"mfa_level"`
	Permissions permission.Bits `json:"permissions"`
}

func (a *API) previewAuthorize(c *api.Call) error {
	if c.Principal.User == 0 {
		c.Header().Set("Location", a.Sessions.at(oauth.AuthorizePage)+"?"+c.Request.URL.RawQuery)
		c.WriteHeader(http.StatusFound)
		return nil
	}
	ctx := c.Context()
	ask, err := a.ask(c.Request)
	if err != nil {
		return err
	}
	app, err := a.authorizedApplication(c, ask.App.ID)
	if err != nil {
		return err
	}
	user, err := a.Directory.Users.User(ctx, c.Principal.User)
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
	}{Application: app, User: convert.WireUser(user), Scopes: ask.Scopes, IntegrationType: ask.Type, RedirectURI: ask.RedirectURI}
	if preview.Authorized, err = a.OAuth.Consented(ctx, ask, user.ID); err != nil {
		return err
	}
	if ask.Bot() {
		bot, err := a.Directory.Users.User(ctx, snowflake.User(ask.App.ID))
		if err != nil {
			return err
		}
		shown := convert.WireUser(bot)
		preview.Bot = &shown
	}
	if ask.InGuild() {
		if preview.Guilds, err = a.previewGuilds(c); err != nil {
			return err
		}
	}
	return c.Value(http.StatusOK, preview)
}

func (a *API) previewGuilds(c *api.Call) ([]previewGuild, error) {
	stays, err := a.OAuth.Guilds(c.Context(), c.Principal.User)
	if err != nil {
		return nil, err
	}
	list := make([]previewGuild, len(stays))
	for i, s := range stays {
		list[i] = previewGuild{ID: s.Guild.ID, Name: s.Guild.Name, Permissions: s.Member.Permissions()}
	}
	return list, nil
}

// ask reads the authorization request in a query.
func (a *API) ask(r *http.Request) (*oauth.AuthorizationRequest, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, &oauth.Error{Code: oauth.InvalidRequest, Description: "The query is malformed."}
	}
	return a.OAuth.ParseAuthorization(r.Context(), q)
}

func (a *API) authorize(c *api.Call) error {
	ask, err := a.ask(c.Request)
	if err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	if ask.MaxAge != nil { // a token does not say when its user signed in
		return &oauth.Error{Code: oauth.LoginRequired, Description: "max_age needs a user who signs in at a browser."}
	}
	choice, err := readChoice(body, ask)
	if err != nil {
		return err
	}
	choice.User = c.Principal.User
	out, err := a.OAuth.Decide(c.Context(), ask, choice)
	if refused, ok := errors.AsType[*oauth.Error](err); ok && refused.Redirect != "" {
		out.Redirect, err = refused.Redirect, nil
	}
	if errors.Is(err, oauth.ErrNoGuild) {
		var t jsonbody.Tree
		t.At("guild_id").Required()
		return t.Err()
	}
	if err != nil {
		return err
	}
	return api.AnswerSecret(c, http.StatusOK, struct {
		URL      string `json:"url"`
		Location string `json:"location"`
	}{out.Redirect, out.Redirect})
}

// readChoice reads the decision of the user.
func readChoice(body jsonbody.Value, ask *oauth.AuthorizationRequest) (oauth.Choice, error) {
	var t jsonbody.Tree
	var choice oauth.Choice
	if v := body.Get("authorize"); v.IsSet() {
		choice.Accept, _ = jsonbody.AsBool(t.At("authorize"), v)
	} else {
		t.At("authorize").Required()
	}
	if v := body.Get("guild_id"); v.IsSet() {
		choice.Guild, _ = jsonbody.AsID[snowflake.Guild](t.At("guild_id"), v)
	}
	if v := body.Get("permissions"); v.IsSet() {
		text, ok := jsonbody.AsString(t.At("permissions"), v)
		bits, err := permission.ParseBits(text)
		if ok && err != nil {
			t.At("permissions").Add("NUMBER_TYPE_COERCE", "Expected a set of permissions as a decimal text.")
		}
		choice.Permissions = &bits
	}
	if v := body.Get("integration_type"); v.IsSet() {
		if n, ok := jsonbody.AsInt(t.At("integration_type"), v, 0, 1); ok && !ask.Choose(uint8(n)) {
			t.At("integration_type").Add(jsonbody.Choices, "The application cannot be installed so.")
		}
	}
	return choice, t.Err()
}
