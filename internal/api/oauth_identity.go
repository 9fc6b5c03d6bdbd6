package api

import (
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/locale"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// identityRoutes tell clients and verifiers who is who.
func (a *API) identityRoutes() []route {
	discovery := route{
		method: http.MethodGet, path: "/.well-known/openid-configuration", root: true, name: "oauth2.discovery",
		doc: "Tell OpenID clients where everything is.", answer: map[int]string{200: "Discovery"}, handle: a.discover,
	}
	again := discovery
	again.path, again.name = "/.well-known/oauth-authorization-server", "oauth2.metadata"
	return []route{
		{
			method: http.MethodGet, path: "/oauth2/@me", name: "oauth2.me", doc: "Read what an access token allows, and for whom.",
			allow: bearers, group: ratelimit.Other, answer: map[int]string{200: "Authorization"}, handle: a.getAuthorization,
		},
		{
			method: http.MethodGet, path: "/oauth2/userinfo", name: "oauth2.userinfo", doc: "Read the OpenID claims about the person an access token acts for.",
			allow: withOpenID, group: ratelimit.Other, answer: map[int]string{200: "UserInfo"}, handle: a.getUserInfo,
		},
		{
			method: http.MethodGet, path: "/oauth2/keys", name: "oauth2.keys", doc: "Read the keys that ID tokens are signed with.",
			allow: clients, group: ratelimit.Other, answer: map[int]string{200: "KeySet"}, handle: a.getKeys,
		},
		discovery, again,
	}
}

// publicly lets whoever keeps answers keep one for a while.
func (c *call) publicly(body []byte) error {
	c.Header().Set("Cache-Control", "public, max-age=300")
	c.Header().Set("Access-Control-Allow-Origin", "*")
	return c.json(http.StatusOK, body)
}

func (a *API) discover(c *call) error {
	body, err := json.Marshal(a.Grants.Discovery())
	if err != nil {
		return err
	}
	return c.publicly(body)
}

func (a *API) getKeys(c *call) error {
	set, err := a.Grants.KeySet(c.r.Context())
	if err != nil {
		return err
	}
	body, err := json.Marshal(set)
	if err != nil {
		return err
	}
	return c.publicly(body)
}

// authorizedApplication is an application as whoever holds one of its tokens sees it.
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

func (c *call) authorizedApplication(id snowflake.Application) (authorizedApplication, error) {
	app, err := c.api.Directory.Application(c.r.Context(), id)
	if err != nil {
		return authorizedApplication{}, err
	}
	shown := wire.ApplicationOf(app, false)
	return authorizedApplication{
		ID: shown.ID, Name: shown.Name, Description: shown.Description, Hook: shown.Hook, BotPublic: shown.BotPublic,
		BotRequireCodeGrant: shown.BotRequireCodeGrant, VerifyKey: shown.VerifyKey,
	}, nil
}

// expiryForm is how the wire writes when a token ends.
const expiryForm = "2006-01-02T15:04:05.000000-07:00"

func (a *API) getAuthorization(c *call) error {
	app, err := c.authorizedApplication(c.principal.Application)
	if err != nil {
		return err
	}
	var user *wire.User
	if c.principal.HasScope(oauth.ScopeIdentify) {
		u, err := a.Directory.User(c.r.Context(), c.principal.User)
		if err != nil {
			return err
		}
		shown := wire.UserOf(u)
		user = &shown
	}
	return c.value(http.StatusOK, struct {
		Application authorizedApplication `json:"application"`
		Scopes      []string              `json:"scopes"`
		Expires     string                `json:"expires"`
		User        *wire.User            `json:"user,omitzero"`
	}{app, c.principal.Scopes, c.principal.Expires.In(time.UTC).Format(expiryForm), user})
}

// userInfo are the claims about a person, as far as the scopes allow.
type userInfo struct {
	Subject snowflake.User `json:"sub"`
	*userProfile
	*userMail
}

type userProfile struct {
	Username string      `json:"preferred_username"`
	Nickname *string     `json:"nickname"`
	Picture  *string     `json:"picture"`
	Locale   locale.Code `json:"locale"`
}

type userMail struct {
	Email    *string `json:"email"`
	Verified bool    `json:"email_verified"`
}

func (a *API) getUserInfo(c *call) error {
	u, err := a.Directory.User(c.r.Context(), c.principal.User)
	if err != nil {
		return err
	}
	info := userInfo{Subject: u.ID}
	if c.principal.HasScope(oauth.ScopeIdentify) {
		info.userProfile = &userProfile{Username: u.Username, Locale: u.Locale}
		if u.GlobalName != "" {
			info.Nickname = &u.GlobalName
		}
	}
	if c.principal.HasScope(oauth.ScopeEmail) {
		info.userMail = &userMail{Verified: u.Email != ""}
		if u.Email != "" {
			info.Email = &u.Email
		}
	}
	return c.value(http.StatusOK, info)
}
