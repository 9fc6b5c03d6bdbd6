package oauth

import (
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// identityRoutes serve the OpenID endpoints.
func (a *API) identityRoutes() []api.Route {
	discovery := api.Route{
		Method: http.MethodGet, Path: "/.well-known/openid-configuration", Root: true, Name: "oauth2.discovery",
		Doc: "Read the OpenID discovery document.", Answer: map[int]string{200: "Discovery"}, Handle: a.discover,
	}
	alias := discovery
	alias.Path, alias.Name = "/.well-known/oauth-authorization-server", "oauth2.metadata"
	return []api.Route{
		{
			Method: http.MethodGet, Path: "/oauth2/@me", Name: "oauth2.me", Doc: "Read the application, the scopes and the user of an access token.",
			Allow: api.Bearers, Group: ratelimit.Other, Answer: map[int]string{200: "Authorization"}, Handle: a.getAuthorization,
		},
		{
			Method: http.MethodGet, Path: "/oauth2/userinfo", Name: "oauth2.userinfo", Doc: "Read the OpenID claims about the user of an access token.",
			Allow: api.WithOpenID, Group: ratelimit.Other, Answer: map[int]string{200: "UserInfo"}, Handle: a.getUserInfo,
		},
		{
			Method: http.MethodGet, Path: "/oauth2/keys", Name: "oauth2.keys", Doc: "Read the keys that ID tokens are signed with.",
			Allow: api.Clients, Group: ratelimit.Other, Answer: map[int]string{200: "KeySet"}, Handle: a.getKeys,
		},
		discovery, alias,
	}
}

// answerCached answers with JSON that caches may keep for five minutes.
func answerCached(c *api.Call, body []byte) error {
	c.Header().Set("Cache-Control", "public, max-age=300")
	c.Header().Set("Access-Control-Allow-Origin", "*")
	return c.JSON(http.StatusOK, body)
}

func (a *API) discover(c *api.Call) error {
	body, err := json.Marshal(a.OAuth.Discovery())
	if err != nil {
		return err
	}
	return answerCached(c, body)
}

func (a *API) getKeys(c *api.Call) error {
	set, err := a.OAuth.KeySet(c.Context())
	if err != nil {
		return err
	}
	body, err := json.Marshal(set)
	if err != nil {
		return err
	}
	return answerCached(c, body)
}

// authorizedApplication is the application of an access token.
type authorizedApplication struct {
	ID                  snowflake.Application `json:"id"`
	Name                string                `json:"name"`
	Icon                *string               `json:"icon"`
	Description         string                `json:"description"`
	Hook                bool                  `json:"hook"`
	BotPublic           bool                  `json:"bot_public"`
	BotRequireCodeGrant bool                  `json:"bot_require_code_grant"`
	VerifyKey           string                `json:"verify_key"`
}

func (a *API) authorizedApplication(c *api.Call, id snowflake.Application) (authorizedApplication, error) {
	app, err := a.Directory.Applications.Application(c.Context(), id)
	if err != nil {
		return authorizedApplication{}, err
	}
	shown := convert.WireApplication(app, false)
	return authorizedApplication{
		ID: shown.ID, Name: shown.Name, Description: shown.Description, Hook: true, BotPublic: shown.BotPublic,
		BotRequireCodeGrant: shown.BotRequireCodeGrant, VerifyKey: shown.VerifyKey,
	}, nil
}

// expiryFormat is the format of the expiry time of a token.
const expiryFormat = "2006-01-02T15:04:05.000000-07:00"

func (a *API) getAuthorization(c *api.Call) error {
	app, err := a.authorizedApplication(c, c.Principal.Application)
	if err != nil {
		return err
	}
	var user *wire.User
	if c.Principal.HasScope(auth.ScopeIdentify) {
		u, err := a.Directory.Users.User(c.Context(), c.Principal.User)
		if err != nil {
			return err
		}
		shown := convert.WireUser(u)
		user = &shown
	}
	return c.Value(http.StatusOK, struct {
		Application authorizedApplication `json:"application"`
		Scopes      []string              `json:"scopes"`
		Expires     string                `json:"expires"`
		User        *wire.User            `json:"user,omitzero"`
	}{app, c.Principal.Scopes, c.Principal.Expires.In(time.UTC).Format(expiryFormat), user})
}

// userInfo are the OpenID claims about a user. The scopes decide which are there.
type userInfo struct {
	Subject snowflake.User `json:"sub"`
	*userProfile
	*userMail
}

type userProfile struct {
	Username string      `json:"preferred_username"`
	Nickname *string     `json:"nickname"`
	Locale   locale.Code `json:"locale"`
}

type userMail struct {
	Email    *string `json:"email"`
	Verified bool    `json:"email_verified"`
}

func (a *API) getUserInfo(c *api.Call) error {
	u, err := a.Directory.Users.User(c.Context(), c.Principal.User)
	if err != nil {
		return err
	}
	info := userInfo{Subject: u.ID}
	if c.Principal.HasScope(auth.ScopeIdentify) {
		info.userProfile = &userProfile{Username: u.Username, Locale: u.Locale}
		if u.GlobalName != "" {
			info.Nickname = &u.GlobalName
		}
	}
	if c.Principal.HasScope(auth.ScopeEmail) {
		info.userMail = &userMail{Verified: u.Email != ""}
		if u.Email != "" {
			info.Email = &u.Email
		}
	}
	return c.Value(http.StatusOK, info)
}
