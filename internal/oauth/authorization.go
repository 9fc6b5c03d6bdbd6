package oauth

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// The integration types.
const (
	GuildInstall uint8 = 0
	UserInstall  uint8 = 1
)

// Response is the response type of an authorization request.
type Response string

// The response types.
const (
	NoResponse    Response = "" // consent only installs the application
	CodeResponse  Response = "code"
	TokenResponse Response = "token"
)

// AuthorizationRequest is a checked authorization request of an application.
type AuthorizationRequest struct {
	App         *store.Application
	Scopes      []string
	Response    Response
	RedirectURI string // empty: no redirect
	Type        uint8  // the integration type, when consent installs the application
	TypeOpen    bool   // the user may choose another integration type
	Permissions permission.Bits
	Guild       snowflake.Guild // the preselected guild; 0: none
	GuildFixed  bool            // the user cannot choose another guild
	Silent      bool            // a user who has consented before is not asked again
	MaxAge      *time.Duration  // how long ago the user may have signed in; nil: any time

	sent      string // the redirect URI in the request
	state     string
	hasState  bool
	nonce     string
	challenge string
	issuer    string
}

const (
	maxState = 2048 // bytes
	maxNonce = 2048
)

// Installs reports whether consent installs the application.
func (a *AuthorizationRequest) Installs() bool { return auth.Installs(a.Scopes) }

// InGuild reports whether consent installs the application in a guild.
func (a *AuthorizationRequest) InGuild() bool { return a.Installs() && a.Type == GuildInstall }

// Bot reports whether consent adds a bot.
func (a *AuthorizationRequest) Bot() bool { return slices.Contains(a.Scopes, auth.ScopeBot) }

// ParseAuthorization checks the parameters of an authorization request. It returns an *Error for a request that is
// refused. The error has a redirect URL only when the application and its redirect URI are valid.
func (s *Server) ParseAuthorization(ctx context.Context, q url.Values) (*AuthorizationRequest, error) {
	a := &AuthorizationRequest{issuer: s.Issuer}
	if err := s.readClient(ctx, a, q); err != nil {
		return nil, err
	}
	a.state, a.hasState = q.Get("state"), q.Has("state")
	a.Response = Response(q.Get("response_type"))
	if refused := a.read(q); refused != nil {
		return nil, a.refuse(refused)
	}
	return a, nil
}

// readClient reads the application and the redirect URI. Its errors have no redirect URL.
func (s *Server) readClient(ctx context.Context, a *AuthorizationRequest, q url.Values) error {
	if len(q["client_id"]) != 1 {
		return invalidParameter("client_id")
	}
	var err error
	if a.App, err = s.application(ctx, q.Get("client_id")); err != nil {
		return err
	}
	a.sent = q.Get("redirect_uri")
	a.RedirectURI = a.sent
	switch {
	case len(q["redirect_uri"]) > 1, q.Has("redirect_uri") && !matchRedirect(a.App.RedirectURIs, a.sent):
		return invalidParameter("redirect_uri")
	case a.sent != "", !q.Has("response_type") && auth.OnlyInstalls(auth.ParseScopes(q.Get("scope"))):
	case len(a.App.RedirectURIs) == 0:
		return invalidParameter("redirect_uri")
	default:
		a.RedirectURI = a.App.RedirectURIs[0]
	}
	if a.RedirectURI != "" && isCustom(a.RedirectURI) && q.Get("response_type") != "" && !q.Has("code_challenge") {
		return invalidParameter("redirect_uri")
	}
	return nil
}

// application returns the application of a client_id, or an *Error.
func (s *Server) application(ctx context.Context, client string) (*store.Application, error) {
	id, err := snowflake.Parse[snowflake.Application](client)
	if err != nil {
		return nil, invalidParameter("client_id")
	}
	app, err := s.Directory.Applications.Application(ctx, id)
	if errors.Is(err, directory.ErrUnknownApplication) {
		return nil, invalidParameter("client_id")
	}
	return app, err
}

// read reads the parameters after the client and the redirect URI.
func (a *AuthorizationRequest) read(q url.Values) *Error {
	for name, values := range q {
		if len(values) > 1 {
			return invalidParameter(name)
		}
	}
	if len(a.state) > maxState {
		a.hasState = false
		return invalidParameter("state")
	}
	for _, step := range []func(url.Values) *Error{a.readType, a.readScopes, a.readResponse, a.readChallenge, a.readGuild, a.readMaxAge} {
		if refused := step(q); refused != nil {
			return refused
		}
	}
	switch q.Get("prompt") {
	case "", "consent":
	case "none":
		a.Silent = !a.Installs() && a.assured() // an install always needs new consent
	default:
		return invalidParameter("prompt")
	}
	a.nonce = q.Get("nonce")
	if len(a.nonce) > maxNonce {
		return invalidParameter("nonce")
	}
	return nil
}

// assured reports whether the response can only reach the application. A program on the user's device can pretend to be
// a public client with a loopback address or a custom scheme, so such a client needs consent every time (RFC 8252,
// section 8.6). A client with a secret needs the secret to use a code.
func (a *AuthorizationRequest) assured() bool {
	return !a.App.PublicClient && a.Response == CodeResponse || strings.HasPrefix(a.RedirectURI, "https:")
}

// readType reads the integration type. It is used only when the scopes install the application.
func (a *AuthorizationRequest) readType(q url.Values) *Error {
	if !q.Has("integration_type") {
		a.Type = GuildInstall
		if !slices.Contains(a.App.IntegrationTypes, GuildInstall) {
			a.Type = UserInstall
		}
		a.TypeOpen = len(a.App.IntegrationTypes) > 1 && !q.Has("guild_id")
		return nil
	}
	n, err := strconv.ParseUint(q.Get("integration_type"), 10, 8)
	if err != nil || !slices.Contains(a.App.IntegrationTypes, uint8(n)) {
		return invalidParameter("integration_type")
	}
	a.Type = uint8(n)
	return nil
}

func (a *AuthorizationRequest) readScopes(q url.Values) *Error {
	a.Scopes = auth.ParseScopes(q.Get("scope"))
	if len(a.Scopes) == 0 {
		params, ok := a.App.InstallParams[a.Type]
		if !ok {
			params.Scopes = []string{auth.ScopeCommands}
		}
		a.Scopes, a.Permissions = params.Scopes, params.Permissions
	}
	noToken := func(scope string) bool { return scope == auth.ScopeOpenID || scope == auth.ScopeRoleConnections }
	if !auth.GrantableByUser(a.Scopes) || a.Response == TokenResponse && slices.ContainsFunc(a.Scopes, noToken) {
		return invalidScope()
	}
	if a.Bot() && a.Type == UserInstall {
		return invalidParameter("integration_type") // a bot can only be installed in guilds
	}
	a.TypeOpen = a.TypeOpen && a.Installs() && !a.Bot()
	return nil
}

// Choose sets the integration type. It reports whether the application supports the type.
func (a *AuthorizationRequest) Choose(integrationType uint8) bool {
	if !slices.Contains(a.App.IntegrationTypes, integrationType) || a.Bot() && integrationType == UserInstall {
		return false
	}
	a.Type = integrationType
	return true
}

func (a *AuthorizationRequest) readResponse(q url.Values) *Error {
	switch a.Response {
	case CodeResponse:
		return allows(a.App, world.GrantCode)
	case TokenResponse:
		return allows(a.App, world.GrantImplicit)
	case NoResponse:
		if auth.OnlyInstalls(a.Scopes) && !q.Has("response_type") {
			return nil
		}
		return &Error{Code: InvalidRequest, Description: "Missing response_type parameter."}
	default:
		return &Error{Code: UnsupportedResponseType, Description: "The response type is not supported."}
	}
}

// readChallenge reads the code challenge. Only S256 is supported: the method plain shows the verifier in the request. A
// public client needs a challenge, because it has no secret that binds the code to it.
func (a *AuthorizationRequest) readChallenge(q url.Values) *Error {
	challenge, method := q.Get("code_challenge"), q.Get("code_challenge_method")
	switch {
	case !q.Has("code_challenge") && !q.Has("code_challenge_method"):
		if a.Response == CodeResponse && (a.App.RequirePKCE || a.App.PublicClient) {
			return invalidParameter("code_challenge")
		}
		return nil
	case a.Response != CodeResponse, !challengeForm.MatchString(challenge):
		return invalidParameter("code_challenge")
	case method != "S256":
		return invalidParameter("code_challenge_method")
	}
	a.challenge = challenge
	return nil
}

// readGuild reads the guild and the permissions.
func (a *AuthorizationRequest) readGuild(q url.Values) *Error {
	if text := q.Get("permissions"); text != "" {
		bits, err := permission.ParseBits(text)
		if err != nil || bits > permission.MaxBits {
			return invalidParameter("permissions")
		}
		a.Permissions = bits
	}
	if !a.Bot() {
		a.Permissions = 0
	}
	if text := q.Get("guild_id"); text != "" {
		guild, err := snowflake.Parse[snowflake.Guild](text)
		if err != nil {
			return invalidParameter("guild_id")
		}
		a.Guild = guild
	}
	a.GuildFixed = a.Guild != 0 && q.Get("disable_guild_select") == "true"
	return nil
}

// maxMaxAge bounds max_age. No session is older.
const maxMaxAge = 1 << 31 // seconds

// readMaxAge reads max_age, in seconds (OpenID Connect Core, section 3.1.2.1).
func (a *AuthorizationRequest) readMaxAge(q url.Values) *Error {
	if !q.Has("max_age") {
		return nil
	}
	seconds, err := strconv.ParseInt(q.Get("max_age"), 10, 64)
	if err != nil || seconds < 0 || seconds > maxMaxAge {
		return invalidParameter("max_age")
	}
	age := time.Duration(seconds) * time.Second
	a.MaxAge = &age
	return nil
}

// refuse adds the redirect URL to an error.
func (a *AuthorizationRequest) refuse(e *Error) *Error {
	if a.RedirectURI == "" {
		return e
	}
	e.Redirect = a.redirect([]pair{{"error", e.Code}, {"error_description", e.Description}})
	return e
}

// redirect returns the redirect URI with the response. A token is returned in the fragment, which browsers
// do not send to servers. The issuer identifies the server to clients that use several servers (RFC 9207).
func (a *AuthorizationRequest) redirect(pairs []pair) string {
	if a.hasState {
		pairs = append(pairs, pair{"state", a.state})
	}
	if a.Response == TokenResponse {
		return a.RedirectURI + "#" + encode(append(pairs, pair{"iss", a.issuer}))
	}
	if a.Response == CodeResponse {
		pairs = append(pairs, pair{"iss", a.issuer})
	}
	return withQuery(a.RedirectURI, pairs)
}
