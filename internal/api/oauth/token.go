package oauth

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/wire"
)

const (
	formType = "application/x-www-form-urlencoded"
	// maxForm bounds the forms of clients and of pages.
	maxForm = 64 << 10
)

// clientForm is the form of a client.
type clientForm struct {
	url.Values

	client oauth.Client
}

// readClientForm reads a form and the credentials of the client. Another content type gets unsupported_grant_type.
func readClientForm(c *api.Call) (clientForm, error) {
	data, err := c.ReadBody(maxForm)
	if err != nil {
		return clientForm{}, err
	}
	kind, _, err := mime.ParseMediaType(c.RequestHeader("Content-Type"))
	if err != nil || kind != formType {
		return clientForm{}, &oauth.Error{
			Code: oauth.UnsupportedGrantType, Description: "Expected the content type " + formType + ".",
		}
	}
	values, err := url.ParseQuery(string(data))
	if err != nil {
		return clientForm{}, &oauth.Error{Code: oauth.InvalidRequest, Description: "The form is malformed."}
	}
	for name, all := range values {
		if len(all) > 1 {
			return clientForm{}, &oauth.Error{Code: oauth.InvalidRequest, Description: `Repeated "` + name + `" in request.`}
		}
	}
	client, err := clientOf(c, values)
	return clientForm{values, client}, err
}

// clientOf returns the credentials of the client: an assertion, or a secret from the header, from the
// form, or the same from both.
func clientOf(c *api.Call, form url.Values) (oauth.Client, error) {
	client := oauth.Client{ID: form.Get("client_id")}
	if secret := form.Get("client_secret"); secret != "" {
		client.Secrets = []string{secret}
	}
	if assertion := form.Get("client_assertion"); assertion != "" {
		if form.Get("client_assertion_type") != oauth.AssertionType || c.RequestHeader("Authorization") != "" {
			return oauth.Client{}, &oauth.Error{Code: oauth.InvalidClient}
		}
		client.Assertion = assertion
		return client, nil
	}
	id, secret, ok := c.Request.BasicAuth()
	if !ok {
		if c.RequestHeader("Authorization") != "" {
			return oauth.Client{}, &oauth.Error{Code: oauth.InvalidClient}
		}
		return client, nil
	}
	// RFC 6749 requires both to be form-encoded, but some clients do not encode them.
	ids, secrets := readings(id), readings(secret)
	if client.ID != "" && !slices.Contains(ids, client.ID) || client.Secrets != nil && !slices.Contains(secrets, client.Secrets[0]) {
		return oauth.Client{}, &oauth.Error{Code: oauth.InvalidClient}
	}
	if secret == "" {
		secrets = nil // a public client has no secret
	}
	return oauth.Client{ID: ids[0], Secrets: secrets}, nil
}

// readings returns a text unchanged, and form-decoded if that differs.
func readings(text string) []string {
	if decoded, err := url.QueryUnescape(text); err == nil && decoded != text {
		return []string{text, decoded}
	}
	return []string{text}
}

// tokenAnswer is the response of the token endpoint.
type tokenAnswer struct {
	TokenType    string      `json:"token_type"`
	AccessToken  string      `json:"access_token"`
	ExpiresIn    int         `json:"expires_in"` // seconds
	RefreshToken string      `json:"refresh_token,omitzero"`
	Scope        string      `json:"scope"`
	IDToken      string      `json:"id_token,omitzero"`
	Guild        *wire.Guild `json:"guild,omitzero"`
}

func (a *API) token(c *api.Call) error {
	form, err := readClientForm(c)
	if err != nil {
		return err
	}
	q := oauth.TokenRequest{
		Client: form.client, GrantType: form.Get("grant_type"), Code: form.Get("code"), RedirectURI: form.Get("redirect_uri"),
		Verifier: form.Get("code_verifier"), RefreshToken: form.Get("refresh_token"), DeviceCode: form.Get("device_code"),
		Scope: form.Get("scope"),
	}
	if err := (playerHandlers{a}).prepareMerge(c, form, &q); err != nil {
		return err
	}
	token, err := a.OAuth.Token(c.Context(), q)
	if err != nil {
		return err
	}
	answer := tokenAnswer{
		TokenType: "Bearer", AccessToken: token.AccessToken.Reveal(), ExpiresIn: int(auth.AccessTokenLife.Seconds()),
		RefreshToken: token.RefreshToken.Reveal(), Scope: strings.Join(token.Scopes, " "), IDToken: token.IDToken.Reveal(),
	}
	if token.Guild != 0 {
		guild, err := a.Directory.Guilds.State(c.Context(), token.Guild)
		if err != nil {
			return err
		}
		shown := convert.WireGuild(guild.Guild, guild.Roles, guild.Emojis, nil)
		answer.Guild = &shown
	}
	return api.AnswerSecret(c, http.StatusOK, answer)
}

func (a *API) revokeToken(c *api.Call) error {
	form, err := readClientForm(c)
	if err != nil {
		return err
	}
	if form.Get("token") == "" {
		return &oauth.Error{Code: oauth.InvalidRequest, Description: `Invalid "token" in request.`}
	}
	if err := a.OAuth.Revoke(c.Context(), form.client, form.Get("token")); err != nil {
		return err
	}
	return api.AnswerSecret(c, http.StatusOK, struct{}{})
}

func (a *API) introspectToken(c *api.Call) error {
	form, err := readClientForm(c)
	if err != nil {
		return err
	}
	if form.Get("token") == "" {
		return &oauth.Error{Code: oauth.InvalidRequest, Description: `Invalid "token" in request.`}
	}
	found, err := a.OAuth.Introspect(c.Context(), form.client, form.Get("token"))
	if err != nil {
		return err
	}
	return api.AnswerSecret(c, http.StatusOK, found)
}

// countDevice returns an error if the address of a public client has got too many codes. So one address cannot use up the
// codes of an application. A client with a secret is a service, which may ask for many users.
func (a *API) countDevice(c *api.Call, client oauth.Client) error {
	if a.Limits == nil || len(client.Secrets) > 0 || client.Assertion != "" {
		return nil
	}
	verdict := a.Limits.CheckRoute(c.Context(), ratelimit.OAuth2DeviceCodes, &ratelimit.Caller{Address: c.Address()}, a.Sessions.Clock.Now())
	if verdict.Scope() == ratelimit.Allowed {
		return nil
	}
	ratelimit.SetBlockedHeaders(c.Header(), verdict.Result().ResetAfter)
	return oauth.TooManyDevices("this address")
}

func (a *API) authorizeDevice(c *api.Call) error {
	form, err := readClientForm(c)
	if err != nil {
		return err
	}
	if err := a.countDevice(c, form.client); err != nil {
		return err
	}
	d, err := a.OAuth.AuthorizeDevice(c.Context(), form.client, form.Get("scope"))
	if err != nil {
		return err
	}
	page := a.OAuth.Issuer + oauth.DevicePage
	return api.AnswerSecret(c, http.StatusOK, struct {
		DeviceCode string `json:"device_code"`
		UserCode   string `json:"user_code"`
		Page       string `json:"verification_uri"`
		Complete   string `json:"verification_uri_complete"`
		ExpiresIn  int    `json:"expires_in"` // seconds
		Interval   int    `json:"interval"`   // seconds
	}{
		d.DeviceCode.Reveal(), d.UserCode, page, page + "?user_code=" + d.UserCode,
		int(oauth.DeviceLife.Seconds()), oauth.DeviceInterval,
	})
}
