package oauthserver

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// The integration types: where an application is installed.
const (
	GuildInstall uint8 = 0
	UserInstall  uint8 = 1
)

// Response is what an application wants back.
type Response string

// The responses.
const (
	NoResponse    Response = "" // nothing: consent installs, and that is all
	CodeResponse  Response = "code"
	TokenResponse Response = "token"
)

// Ask is what an application asks a person for. Everything in it has been judged.
type Ask struct {
	App         *store.Application
	Scopes      []string
	Response    Response
	RedirectURI string // where the answer goes; empty: nowhere
	Type        uint8  // where consent installs, when the scopes say so
	TypeOpen    bool   // the person may choose another type
	Permissions permission.Bits
	Guild       snowflake.Guild // chosen in advance; 0: none
	GuildFixed  bool            // no other guild can be chosen
	Silent      bool            // whoever has consented before is not asked again

	sent      string // the redirect URI as it was sent
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
func (a *Ask) Installs() bool { return auth.Installs(a.Scopes) }

// InGuild reports whether consent installs the application in a guild.
func (a *Ask) InGuild() bool { return a.Installs() && a.Type == GuildInstall }

// Bot reports whether a bot comes along.
func (a *Ask) Bot() bool { return slices.Contains(a.Scopes, auth.ScopeBot) }

// Ask judges the parameters of an authorization request. What is refused is an *Error; it leads back to the application
// only when the application and the way back are known to be right.
func (g *Grants) Ask(ctx context.Context, q url.Values) (*Ask, error) {
	a := &Ask{issuer: g.Issuer}
	if err := g.whoAsks(ctx, a, q); err != nil {
		return nil, err
	}
	a.state, a.hasState = q.Get("state"), q.Has("state")
	a.Response = Response(q.Get("response_type"))
	if refused := a.read(q); refused != nil {
		return nil, a.refuse(refused)
	}
	return a, nil
}

// whoAsks finds the application and the way back to it. As long as they are not known nothing leads back.
func (g *Grants) whoAsks(ctx context.Context, a *Ask, q url.Values) error {
	if len(q["client_id"]) != 1 {
		return invalidParameter("client_id")
	}
	id, err := snowflake.Parse[snowflake.Application](q.Get("client_id"))
	if err != nil {
		return invalidParameter("client_id")
	}
	a.App, err = g.Directory.Application(ctx, id)
	if errors.Is(err, directory.ErrUnknownApplication) {
		return invalidParameter("client_id")
	}
	if err != nil {
		return err
	}
	a.sent = q.Get("redirect_uri")
	a.RedirectURI = a.sent
	switch {
	case len(q["redirect_uri"]) > 1, q.Has("redirect_uri") && !MatchRedirect(a.App.RedirectURIs, a.sent):
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

// read reads what is asked for.
func (a *Ask) read(q url.Values) *Error {
	for name, values := range q {
		if len(values) > 1 {
			return invalidParameter(name)
		}
	}
	if len(a.state) > maxState {
		a.hasState = false
		return invalidParameter("state")
	}
	for _, step := range []func(url.Values) *Error{a.readType, a.readScopes, a.readResponse, a.readChallenge, a.readPlace} {
		if refused := step(q); refused != nil {
			return refused
		}
	}
	switch q.Get("prompt") {
	case "", "consent":
	case "none":
		a.Silent = !a.Installs() // what is passed through to a guild or an account is always asked
	default:
		return invalidParameter("prompt")
	}
	a.nonce = q.Get("nonce")
	if len(a.nonce) > maxNonce {
		return invalidParameter("nonce")
	}
	return nil
}

// readType reads where the application would be installed. It matters only when the scopes install something.
func (a *Ask) readType(q url.Values) *Error {
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

func (a *Ask) readScopes(q url.Values) *Error {
	a.Scopes = auth.ParseScopes(q.Get("scope"))
	if len(a.Scopes) == 0 {
		params, ok := a.App.InstallParams[a.Type]
		if !ok {
			params.Scopes = []string{auth.ScopeCommands}
		}
		a.Scopes, a.Permissions = params.Scopes, params.Permissions
	}
	if !auth.FromPeople(a.Scopes) || a.Response == TokenResponse && slices.Contains(a.Scopes, auth.ScopeOpenID) {
		return invalidScope()
	}
	if a.Bot() && a.Type == UserInstall {
		return invalidParameter("integration_type") // a bot is in guilds
	}
	a.TypeOpen = a.TypeOpen && a.Installs() && !a.Bot()
	return nil
}

// Choose installs the application so, and reports whether it can be.
func (a *Ask) Choose(integrationType uint8) bool {
	if !slices.Contains(a.App.IntegrationTypes, integrationType) || a.Bot() && integrationType == UserInstall {
		return false
	}
	a.Type = integrationType
	return true
}

func (a *Ask) readResponse(q url.Values) *Error {
	switch a.Response {
	case CodeResponse, TokenResponse:
		return nil
	case NoResponse:
		if auth.OnlyInstalls(a.Scopes) && !q.Has("response_type") {
			return nil
		}
		return &Error{Code: InvalidRequest, Description: "Missing response_type parameter."}
	default:
		return &Error{Code: UnsupportedResponseType, Description: "The response type is not supported."}
	}
}

// readChallenge reads the code challenge. Only S256 counts: with plain, whoever sees the request knows the verifier.
func (a *Ask) readChallenge(q url.Values) *Error {
	challenge, method := q.Get("code_challenge"), q.Get("code_challenge_method")
	switch {
	case !q.Has("code_challenge") && !q.Has("code_challenge_method"):
		return nil
	case a.Response != CodeResponse, !challengeForm.MatchString(challenge):
		return invalidParameter("code_challenge")
	case method != "S256":
		return invalidParameter("code_challenge_method")
	}
	a.challenge = challenge
	return nil
}

// readPlace reads the guild and the permissions.
func (a *Ask) readPlace(q url.Values) *Error {
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

// refuse says where the browser takes a refusal.
func (a *Ask) refuse(e *Error) *Error {
	if a.RedirectURI == "" {
		return e
	}
	e.Back = a.back([]pair{{"error", e.Code}, {"error_description", e.Description}})
	return e
}

// back returns the redirect URI with an answer. Of one that carries a token, nothing but the page itself sees the answer.
// It names the issuer, so that a client of several servers can tell whose answer it is.
func (a *Ask) back(pairs []pair) string {
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
