package oauth

import (
	"net/http"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/provisional"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// playerHandlers serve the provisional accounts of the players of applications.
type playerHandlers struct{ *API }

// Limits of the requests about players.
const (
	maxPlayer   = 1024
	maxSecret   = 1024
	maxExternal = 10240
)

// externalTypes are the kinds of proof that a player can have at other providers.
var externalTypes = []string{
	"OIDC", "EPIC_ONLINE_SERVICES_ACCESS_TOKEN", "EPIC_ONLINE_SERVICES_ID_TOKEN", "STEAM_SESSION_TICKET", "UNITY_SERVICES_ID_TOKEN",
	ownToken, "APPLE_ID_TOKEN", "PLAYSTATION_NETWORK_ID_TOKEN",
}

// ownToken is the access token of a provisional user, as proof that its player asks.
const ownToken = "DISCORD_BOT_ISSUED_ACCESS_TOKEN" //nolint:gosec // the name of a type

func (h playerHandlers) routes() []api.Route {
	const base, unmerge = "/partner-sdk/token", "/partner-sdk/provisional-accounts/unmerge"
	return []api.Route{
		{
			Method: http.MethodPost, Path: base + "/bot", Name: "players.token.bot", Doc: "Sign in a player whom the application names.", Allow: api.Bots,
			Group: ratelimit.Other, Body: "PlayerName", Answer: map[int]string{200: "PlayerToken"}, Handle: h.signInNamed,
		},
		{
			Method: http.MethodPost, Path: base, Name: "players.token", Doc: "Sign in a player with a token of another provider.", Allow: api.Clients,
			Group: ratelimit.OAuth2Token, Body: "PlayerProof", Answer: map[int]string{200: "PlayerToken"}, Handle: h.signIn,
		},
		{
			Method: http.MethodPost, Path: unmerge + "/bot", Name: "players.unmerge.bot", Doc: "Take the account of a player whom the application names apart from a user.",
			Allow: api.Bots, Group: ratelimit.Other, Body: "PlayerName", Answer: map[int]string{204: ""}, Handle: h.unmergeNamed,
		},
		{
			Method: http.MethodPost, Path: unmerge, Name: "players.unmerge", Doc: "Take the account of a player apart from a user.", Allow: api.Clients,
			Group: ratelimit.OAuth2Token, Body: "PlayerProof", Answer: map[int]string{204: ""}, Handle: h.unmerge,
		},
		{
			Method: http.MethodPatch, Path: "/users/@me/account", Name: "players.rename", Doc: "Set the display name of a provisional user.", Allow: api.WithGlobalName,
			Group: ratelimit.Other, Body: "PlayerRename", Answer: map[int]string{200: "User"}, Handle: h.rename,
		},
	}
}

// playerToken is the answer to a player who signs in.
type playerToken struct {
	AccessToken string   `json:"access_token"`
	IDToken     string   `json:"id_token"`
	TokenType   string   `json:"token_type"`
	ExpiresIn   int      `json:"expires_in"`   // seconds
	ExpiresAt   int64    `json:"expires_at_s"` // seconds since 1970
	Scope       string   `json:"scope"`
	Scopes      []string `json:"scopes"`
}

func (h playerHandlers) answer(c *api.Call, t provisional.Token, err error) error {
	if err != nil {
		return err
	}
	return api.AnswerSecret(c, http.StatusOK, playerToken{
		AccessToken: t.Access.Reveal(), IDToken: t.ID.Reveal(), TokenType: "Bearer", ExpiresIn: int(auth.AccessTokenLife.Seconds()),
		ExpiresAt: h.Sessions.Clock.Now().Add(auth.AccessTokenLife).Unix(), Scope: strings.Join(t.Scopes, " "), Scopes: t.Scopes,
	})
}

func (h playerHandlers) signInNamed(c *api.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	player := jsonbody.ReadText(&t, body, "external_user_id", true, 1, maxPlayer)
	name := jsonbody.ReadOptional(&t, body, "preferred_global_name", jsonbody.Text(1, maxName))
	if t.Failed() {
		return t.Err()
	}
	issued, err := h.Players.SignInNamed(c.Context(), c.Principal.Application, player, name)
	return h.answer(c, issued, err)
}

func (h playerHandlers) unmergeNamed(c *api.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	player := jsonbody.ReadText(&t, body, "external_user_id", true, 1, maxPlayer)
	if t.Failed() {
		return t.Err()
	}
	return c.NoContent(h.Players.UnmergeNamed(c.Context(), c.Principal.Application, player))
}

// readProof reads the client and the ID token of a request.
func readProof(c *api.Call) (client oauth.Client, token string, err error) {
	body, err := c.ReadObject()
	if err != nil {
		return client, "", err
	}
	var t jsonbody.Tree
	client.ID = jsonbody.ReadID[snowflake.Application](&t, body, "client_id", true).String()
	if secret := jsonbody.ReadText(&t, body, "client_secret", false, 0, maxSecret); secret != "" {
		client.Secrets = []string{secret}
	}
	kind := jsonbody.ReadText(&t, body, "external_auth_type", true, 0, -1)
	if at := t.At("external_auth_type"); !at.Failed() {
		checkExternalType(at, kind, "OIDC")
	}
	token = jsonbody.ReadText(&t, body, "external_auth_token", true, 1, maxExternal)
	return client, token, t.Err()
}

// ProviderMissing is the problem of a request with a provider that is not configured.
const ProviderMissing jsonbody.Code = "BELLHOP_PROVIDER_NOT_CONFIGURED"

// checkExternalType adds a problem to t if a proof is not one of those that are checked here.
func checkExternalType(t *jsonbody.Tree, kind string, checked ...string) {
	for _, known := range externalTypes {
		if kind != known {
			continue
		}
		if slices.Contains(checked, kind) {
			return
		}
		t.Add(ProviderMissing, "No identity provider of this type is configured.")
		return
	}
	t.NotOneOf(externalTypes...)
}

func (h playerHandlers) signIn(c *api.Call) error {
	client, token, err := readProof(c)
	if err != nil {
		return err
	}
	issued, err := h.Players.SignIn(c.Context(), client, token)
	return h.answer(c, issued, err)
}

func (h playerHandlers) unmerge(c *api.Call) error {
	client, token, err := readProof(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.Players.Unmerge(c.Context(), client, token))
}

func (h playerHandlers) rename(c *api.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	name := jsonbody.ReadOptional(&t, body, "global_name", jsonbody.Text(1, maxName))
	if t.Failed() {
		return t.Err()
	}
	if c.Principal.User == 0 {
		return apierror.MissingPermission // a token of the application itself
	}
	u, err := h.Players.Rename(c.Context(), c.Principal.User, name.Or(""))
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, convert.WireUser(u))
}

// prepareMerge sets how a token request merges a provisional user with the user of the token.
func (h playerHandlers) prepareMerge(c *api.Call, form clientForm, q *oauth.TokenRequest) error {
	if !form.Has("external_auth_type") && !form.Has("external_auth_token") {
		return nil
	}
	if q.GrantType != oauth.AuthorizationCode && q.GrantType != oauth.DeviceCode {
		return nil
	}
	var t jsonbody.Tree
	kind, token := form.Get("external_auth_type"), form.Get("external_auth_token")
	checkExternalType(t.At("external_auth_type"), kind, "OIDC", ownToken)
	jsonbody.CheckLength(t.At("external_auth_token"), jsonbody.Len(token), 1, maxExternal)
	if t.Failed() {
		return t.Err()
	}
	idToken, access := token, ""
	if kind == ownToken {
		idToken, access = "", token
	}
	var err error
	q.Merge, err = h.Players.Merge(c.Context(), form.client, idToken, access)
	return err
}
