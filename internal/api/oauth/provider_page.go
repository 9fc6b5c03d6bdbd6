package oauth

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/idp"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// BackChannelPath is the path at which a provider ends sessions. The id of the provider follows it.
const BackChannelPath = "/oauth2/signin/backchannel-logout"

// providerRoutes lead to the identity providers and back.
func (a *API) providerRoutes() []api.Route {
	page := func(path, name, doc string, answer map[int]string, handle func(http.ResponseWriter, *http.Request) error) api.Route {
		return api.Route{
			Method: http.MethodGet, Path: path, Root: true, Name: "pages." + name, Doc: doc, Allow: api.Browsers, Group: ratelimit.OAuth2Authorize,
			Answer: answer, ErrorSchema: "page", Handle: api.Page(handle),
		}
	}
	const back = "Continue after the sign-in at an identity provider"
	return []api.Route{
		page(upstreamPath, "upstream", "Sign in at an identity provider of the platform.", map[int]string{302: ""}, a.toUpstream),
		page(CallbackPath, "callback", back+" that flags describe.", map[int]string{200: "html"}, a.fromUpstream),
		page(CallbackPath+"/{provider}", "callback.provider", back+" of the providers file.", map[int]string{200: "html"}, a.fromUpstream),
		{
			Method: http.MethodPost, Path: BackChannelPath + "/{provider}", Root: true, Name: "oauth2.backchannel_logout", Allow: api.Clients,
			Group: ratelimit.OAuth2Token, Doc: "End the sessions that an identity provider has ended (OpenID Connect Back-Channel Logout 1.0).",
			Body: "BackChannelLogout", Form: true, Answer: map[int]string{200: ""}, ErrorSchema: "OAuthFault", Handle: a.endAtProvider,
		},
	}
}

// upstream returns the provider with an id, or nil.
func (a *API) upstream(id string) *Upstream {
	for _, u := range a.Sessions.Upstreams {
		if u.Provider.ID == id {
			return u
		}
	}
	return nil
}

// toUpstream redirects to a provider: the one that the request names, or the first.
func (a *API) toUpstream(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	to := a.Sessions.Upstreams[0]
	if q.Has("provider") {
		to = a.upstream(q.Get("provider"))
	}
	trip := Trip{Next: LocalPath(q.Get("next"), "/"), Operator: q.Get("as") == asOperator}
	if to == nil || trip.Operator && to.Provider.Operators.Claim == "" {
		return show(w, http.StatusNotFound, "message", message{
			Title: "Unknown identity provider", Text: "Go back and choose another one.", Fault: "unknown_provider",
		})
	}
	session, err := a.Sessions.Session(r)
	if err != nil {
		return err
	}
	session = a.Sessions.Begin(w, session)
	at, err := to.Begin(r.Context(), w, session, trip)
	if err != nil {
		return upstreamFailed(w, err)
	}
	return redirect(w, at)
}

// fromUpstream signs in the user or the operator whom a provider has confirmed.
func (a *API) fromUpstream(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("provider")
	if id == "" {
		id = idp.DefaultID
	}
	from := a.upstream(id)
	if from == nil {
		return upstreamFailed(w, ErrUpstream)
	}
	session, err := a.Sessions.Session(r)
	if err != nil {
		return err
	}
	arrived, err := from.Finish(w, r, session)
	switch {
	case err != nil:
		a.Sessions.Audit.AddFailure(r.Context(), audit.Entry{Action: "signin.failed", Target: upstreamPath})
		return upstreamFailed(w, err)
	case arrived.Trip.Operator:
		return a.signInOperator(w, r, from.Provider, arrived)
	}
	user, err := a.Sessions.ByIdentity(r.Context(), arrived.Identity)
	if shown, err := showRefusal(w, "You could not be signed in", err); shown {
		return err
	}
	if err != nil {
		return upstreamFailed(w, err)
	}
	entry := Entry{User: user, Agent: r.UserAgent(), Next: arrived.Trip.Next, Identity: arrived.Identity}
	if _, err := a.Sessions.SignIn(r.Context(), w, session, entry); err != nil {
		return err
	}
	return handOver(w, a.Sessions.at(arrived.Trip.Next), "")
}

// upstreamFailed shows that the provider did not confirm an identity. It does not tell the user why.
func upstreamFailed(w http.ResponseWriter, err error) error {
	if !errors.Is(err, ErrUpstream) {
		return err
	}
	return show(w, http.StatusForbidden, "message", message{
		Title: "You could not be signed in", Text: "The identity provider did not confirm who you are. Go back and try again.", Fault: "sign_in_failed",
	})
}

// endAtProvider handles the logout token of a provider.
func (a *API) endAtProvider(c *api.Call) error {
	c.Header().Set("Cache-Control", "no-store")
	from := a.upstream(c.Request.PathValue("provider"))
	if from == nil {
		return &oauth.Error{Code: oauth.InvalidRequest, Description: "The identity provider is not known."}
	}
	token, err := readLogoutToken(c)
	if err != nil {
		return err
	}
	ended, err := from.checkLogout(c.Context(), token, a.Sessions.Clock.Now())
	switch {
	case errors.Is(err, idp.ErrLogoutToken):
		a.Sessions.Audit.AddFailure(c.Context(), audit.Entry{Action: "signout.failed", Target: BackChannelPath + "/" + from.Provider.ID})
		return &oauth.Error{Code: oauth.InvalidRequest, Description: "The logout token is not valid."}
	case errors.Is(err, ErrUpstream):
		return &oauth.Error{Code: oauth.TemporarilyUnavailable, Description: "The keys of the identity provider cannot be read."}
	case err != nil:
		return err
	}
	return a.Sessions.Accounts.EndAtProvider(c.Context(), oauth.ProviderLogout{
		Issuer: from.Provider.Issuer, Subject: ended.Subject, Session: ended.Session, ID: ended.ID, Expires: ended.Expires,
	})
}

// readLogoutToken returns the logout token of a form.
func readLogoutToken(c *api.Call) (string, error) {
	data, err := c.ReadBody(maxForm)
	if err != nil {
		return "", err
	}
	kind, _, err := mime.ParseMediaType(c.RequestHeader("Content-Type"))
	if err != nil || kind != formType {
		return "", &oauth.Error{Code: oauth.InvalidRequest, Description: "Expected the content type " + formType + "."}
	}
	values, err := url.ParseQuery(string(data))
	if err != nil || len(values["logout_token"]) != 1 {
		return "", &oauth.Error{Code: oauth.InvalidRequest, Description: `Want one "logout_token" in request.`}
	}
	return values.Get("logout_token"), nil
}

// checkLogout checks a logout token of the provider.
func (u *Upstream) checkLogout(ctx context.Context, token string, now time.Time) (idp.Logout, error) {
	ctx, cancel := context.WithTimeout(ctx, upstreamTimeout)
	defer cancel()
	party, err := u.connect(ctx)
	if err != nil {
		return idp.Logout{}, err
	}
	ended, err := party.CheckLogout(ctx, token, now)
	if err != nil && !errors.Is(err, idp.ErrLogoutToken) {
		err = errors.Join(ErrUpstream, err)
	}
	return ended, err
}
