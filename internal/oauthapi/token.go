// Package oauthapi serves OAuth2 and OpenID Connect over HTTP: the endpoints that clients call, and the pages on which
// people sign in, consent, and enter the code of a device. The pages need no scripts and cannot be framed or submitted
// from other sites. The rules are in packages oauthserver and signin.
package oauthapi

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/oauthserver"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/wire"
)

// API serves clients that want tokens, and the people they ask. All fields are required.
type API struct {
	Grants    *oauthserver.Grants
	Pages     *Pages
	Directory *directory.Directory
}

// Routes lists every endpoint.
func (a *API) Routes() []httpapi.Route {
	at := func(path, name, doc, body, answer string, handle func(*httpapi.Call) error) httpapi.Route {
		return httpapi.Route{
			Method: http.MethodPost, Path: path, Name: "oauth2." + name, Doc: doc, Allow: httpapi.Clients, Group: ratelimit.OAuth2Token,
			Body: body, Form: true, Answer: map[int]string{200: answer}, Fault: "OAuthFault", Handle: handle,
		}
	}
	list := []httpapi.Route{
		at("/oauth2/token", "token", "Trade a code, a refresh token, a device code or the client's secret for an access token.",
			"TokenRequest", "Token", a.token),
		at("/oauth2/token/revoke", "revoke", "End everything that the application holds of whoever a token acts for.",
			"RevokeRequest", "Empty", a.revokeToken),
		at("/oauth2/device/authorize", "device", "Let a device wait for a person to type a code elsewhere.",
			"DeviceRequest", "Device", a.authorizeDevice),
	}
	list = append(list, a.authorizeRoutes()...)
	list = append(list, a.pageRoutes()...)
	return append(list, a.identityRoutes()...)
}

const (
	formType = "application/x-www-form-urlencoded"
	// maxForm is how large the form of a client may be.
	maxForm = 64 << 10
)

// clientForm is a form that a client has sent.
type clientForm struct {
	url.Values

	client oauthserver.Client
}

// readForm reads a form. One that is sent as something else says nothing: then no grant type is known.
func readForm(c *httpapi.Call) (clientForm, error) {
	data, err := c.ReadBody(maxForm)
	if err != nil {
		return clientForm{}, err
	}
	kind, _, err := mime.ParseMediaType(c.RequestHeader("Content-Type"))
	if err != nil || kind != formType {
		return clientForm{}, &oauthserver.Error{
			Code: oauthserver.UnsupportedGrantType, Description: "Expected the content type " + formType + ".",
		}
	}
	values, err := url.ParseQuery(string(data))
	if err != nil {
		return clientForm{}, &oauthserver.Error{Code: oauthserver.InvalidRequest, Description: "The form is malformed."}
	}
	for name, all := range values {
		if len(all) > 1 {
			return clientForm{}, &oauthserver.Error{Code: oauthserver.InvalidRequest, Description: `Repeated "` + name + `" in request.`}
		}
	}
	client, err := clientOf(c, values)
	return clientForm{values, client}, err
}

// clientOf returns who a client says that it is: in its header, in its form, or the same in both.
func clientOf(c *httpapi.Call, form url.Values) (oauthserver.Client, error) {
	who := oauthserver.Client{ID: form.Get("client_id")}
	if secret := form.Get("client_secret"); secret != "" {
		who.Secrets = []string{secret}
	}
	id, secret, ok := c.Request.BasicAuth()
	if !ok {
		if c.RequestHeader("Authorization") != "" {
			return oauthserver.Client{}, &oauthserver.Error{Code: oauthserver.InvalidClient}
		}
		return who, nil
	}
	// RFC 6749 wants both encoded like a form; not everyone does that.
	ids, secrets := readings(id), readings(secret)
	if who.ID != "" && !slices.Contains(ids, who.ID) || who.Secrets != nil && !slices.Contains(secrets, who.Secrets[0]) {
		return oauthserver.Client{}, &oauthserver.Error{Code: oauthserver.InvalidClient}
	}
	if secret == "" {
		secrets = nil // how a public client says by HTTP Basic that it has none
	}
	return oauthserver.Client{ID: ids[0], Secrets: secrets}, nil
}

// readings returns a text as it stands, and decoded when that is something else.
func readings(text string) []string {
	if decoded, err := url.QueryUnescape(text); err == nil && decoded != text {
		return []string{text, decoded}
	}
	return []string{text}
}

// secretly answers with something that nobody may keep.
func secretly(c *httpapi.Call, v any) error {
	c.Header().Set("Cache-Control", "no-store")
	return c.Value(http.StatusOK, v)
}

// tokenAnswer is an access token with what comes with it.
type tokenAnswer struct {
	TokenType    string      `json:"token_type"`
	AccessToken  string      `json:"access_token"`
	ExpiresIn    int         `json:"expires_in"` // seconds
	RefreshToken string      `json:"refresh_token,omitzero"`
	Scope        string      `json:"scope"`
	IDToken      string      `json:"id_token,omitzero"`
	Guild        *wire.Guild `json:"guild,omitzero"`
}

func (a *API) token(c *httpapi.Call) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	token, err := a.Grants.Token(c.Context(), oauthserver.TokenRequest{
		Client: form.client, GrantType: form.Get("grant_type"), Code: form.Get("code"), RedirectURI: form.Get("redirect_uri"),
		Verifier: form.Get("code_verifier"), RefreshToken: form.Get("refresh_token"), DeviceCode: form.Get("device_code"),
		Scope: form.Get("scope"),
	})
	if err != nil {
		return err
	}
	answer := tokenAnswer{
		TokenType: "Bearer", AccessToken: token.AccessToken.Reveal(), ExpiresIn: int(auth.AccessTokenLife.Seconds()),
		RefreshToken: token.RefreshToken.Reveal(), Scope: strings.Join(token.Scopes, " "), IDToken: token.IDToken.Reveal(),
	}
	if token.Guild != 0 {
		guild, err := a.Directory.Guild(c.Context(), token.Guild)
		if err != nil {
			return err
		}
		shown := wire.GuildOf(guild, nil)
		answer.Guild = &shown
	}
	return secretly(c, answer)
}

func (a *API) revokeToken(c *httpapi.Call) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	if form.Get("token") == "" {
		return &oauthserver.Error{Code: oauthserver.InvalidRequest, Description: `Invalid "token" in request.`}
	}
	if err := a.Grants.Revoke(c.Context(), form.client, form.Get("token")); err != nil {
		return err
	}
	return secretly(c, struct{}{})
}

func (a *API) authorizeDevice(c *httpapi.Call) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	d, err := a.Grants.AuthorizeDevice(c.Context(), form.client, form.Get("scope"))
	if err != nil {
		return err
	}
	page := a.Grants.Issuer + oauthserver.DevicePage
	return secretly(c, struct {
		DeviceCode string `json:"device_code"`
		UserCode   string `json:"user_code"`
		Page       string `json:"verification_uri"`
		Complete   string `json:"verification_uri_complete"`
		ExpiresIn  int    `json:"expires_in"` // seconds
		Interval   int    `json:"interval"`   // seconds
	}{
		d.DeviceCode.Reveal(), d.UserCode, page, page + "?user_code=" + d.UserCode,
		int(oauthserver.DeviceLife.Seconds()), oauthserver.DeviceInterval,
	})
}
