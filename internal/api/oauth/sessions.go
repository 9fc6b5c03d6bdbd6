package oauth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Errors of signing in. The pages answer them.
var (
	errNotUserToken = errors.New("not a user token")
	errForm         = errors.New("the form is not from a page of this session")
	errNoChoice     = errors.New("users can be chosen only in development")
)

// Sessions keeps the sessions of browsers. A user signs in with a user token, at an OpenID provider, or in
// development by choosing a user. Sessions also protects forms against cross-site requests. It is safe for concurrent
// use. Choose and Upstreams are optional.
type Sessions struct {
	Store     store.Store
	Clock     clock.Clock
	Directory *directory.Directory
	Tokens    *auth.Authenticator
	Accounts  oauth.Accounts
	IDs       interface{ Next() uint64 } // of new users
	// Public returns the URL at which browsers reach the service.
	Public func() string
	// Audit gets the sign-ins. It may be nil.
	Audit *audit.Log
	Hooks *hooks.Hooks // may be nil
	// Choose lets anyone sign in as any user, for development.
	Choose bool
	// Upstreams are the OpenID providers of the platform.
	Upstreams []*Upstream
}

// sessionLife is the time for which a user stays signed in.
const sessionLife = 12 * time.Hour

// Session is the session of a browser. The zero Session belongs to a browser without a cookie.
type Session struct {
	User  snowflake.User // 0: not signed in
	Since time.Time      // when the user signed in

	signedInFor string // hash of the page that the user signed in for
	secret      string // of the cookie
}

// secretLen is the length of the secret of a session.
const secretLen = 52

// cookie returns the name of the cookie, and whether browsers send it only over https.
func (s *Sessions) cookie() (string, bool) {
	if strings.HasPrefix(s.Public(), "https:") {
		return "__Host-bellhop", true
	}
	return "bellhop", false
}

// at returns the path of the host at which browsers reach a path of the service.
func (s *Sessions) at(path string) string { return api.BasePath(s.Public()) + path }

// SignedIn returns the user who has signed in at the browser that sent r, or 0.
func (s *Sessions) SignedIn(r *http.Request) (snowflake.User, error) {
	session, err := s.Session(r)
	return session.User, err
}

// Session returns the session of the browser that sent r.
func (s *Sessions) Session(r *http.Request) (Session, error) {
	name, _ := s.cookie()
	var v Session
	for _, c := range r.CookiesNamed(name) {
		v.secret = c.Value
	}
	if len(v.secret) != secretLen {
		return Session{}, nil
	}
	var stored store.Session
	err := s.Store.Read(r.Context(), func(r store.Reader) (err error) {
		stored, err = r.Grants.Session(auth.Hash(v.secret))
		if err == nil { // the sessions of a deleted user are removed some time after the user
			_, err = r.Directory.User(stored.User)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && !s.Clock.Now().Before(s.Accounts.SessionEnd(stored)) {
		return v, nil
	}
	if err != nil {
		return Session{}, err
	}
	// A store that takes no writes does not sign users out before the idle time is over.
	if err := s.Accounts.UseSession(r.Context(), stored); err != nil && !errors.Is(err, store.ErrUnavailable) {
		return Session{}, err
	}
	v.User, v.Since, v.signedInFor = stored.User, stored.Created, stored.For
	return v, nil
}

// Begin sets a cookie if the browser has none, so that forms belong to a session.
func (s *Sessions) Begin(w http.ResponseWriter, v Session) Session {
	if v.secret == "" {
		v.secret = auth.NewRefreshToken().Reveal()
		s.setCookie(w, v.secret, 0)
	}
	return v
}

// setCookie sets the cookie of the session for some seconds: 0 means until the browser closes, and a negative number
// removes the cookie.
func (s *Sessions) setCookie(w http.ResponseWriter, secret string, seconds int) {
	name, secure := s.cookie()
	setCookie(w, name, secret, api.CookiePath(s.Public()), seconds, secure)
}

// setCookie sets a cookie that scripts cannot read and other sites do not send with forms.
func setCookie(w http.ResponseWriter, name, value, path string, seconds int, secure bool) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // secure is false only when the service is served over plain http
		Name: name, Value: value, Path: path, MaxAge: seconds, HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode,
	})
}

// FormToken returns the token that forms of this session contain.
func (v Session) FormToken() string {
	mac := hmac.New(sha256.New, []byte(v.secret))
	mac.Write([]byte("bellhop form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// CheckForm checks that a form was sent from a page of this session. It also checks the header Sec-Fetch-Site if there
// is one.
func (v Session) CheckForm(r *http.Request, token string) error {
	from := r.Header.Get("Sec-Fetch-Site")
	own := from == "" || from == "same-origin" || from == "none"
	if v.secret == "" || !own || !hmac.Equal([]byte(token), []byte(v.FormToken())) {
		return errForm
	}
	return nil
}

// Entry says who signs in.
type Entry struct {
	User  snowflake.User
	Agent string      // the User-Agent header of the browser
	Next  string      // path and query of the page that the user signs in for
	Token auth.Secret // the token that the user entered; empty: the user signed in in another way
	// Identity has the issuer and the subject of a user who signed in at an identity provider; zero: the user signed in in another way.
	Identity Identity
}

// Limits on the sessions of a user and on the name of a browser. A new session replaces the oldest.
const (
	maxSessions = 100
	maxAgent    = 256 // bytes
)

// SignIn signs a user in whom the hooks allow. The session gets a new secret, so that an attacker who knew the old one is not signed in too.
// It returns errNotUserToken when the token of the entry was revoked in the meantime.
func (s *Sessions) SignIn(ctx context.Context, w http.ResponseWriter, v Session, e Entry) (Session, error) {
	now := s.now()
	fresh := Session{User: e.User, Since: now, signedInFor: hashPage(e.Next), secret: auth.NewRefreshToken().Reveal()}
	var expires time.Time
	err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		expires = now.Add(sessionLife)
		if err := checkEntry(tx, e, &expires); err != nil {
			return err
		}
		if err := endSession(tx, auth.Hash(v.secret)); err != nil {
			return err
		}
		if err := limitSessions(tx, e.User); err != nil {
			return err
		}
		err := s.Audit.Add(ctx, tx, audit.Entry{Actor: audit.OfUser(e.User), Action: "signin", Target: "user/" + e.User.String()})
		if err != nil {
			return err
		}
		if err := s.Hooks.AfterTx(tx, hooks.SignIn, store.UserSubject(e.User), e.about()); err != nil {
			return err
		}
		return tx.Put(store.Session{
			Hash: auth.Hash(fresh.secret), User: e.User, Agent: cutAgent(e.Agent), For: fresh.signedInFor, Created: now, Expires: expires,
			Provider: atProvider(e.Identity),
		})
	})
	if err != nil {
		return Session{}, err
	}
	s.setCookie(w, fresh.secret, int(expires.Sub(now).Seconds()))
	return fresh, nil
}

// atProvider returns the sign-in of an identity.
func atProvider(id Identity) store.ProviderSession {
	if len(id.Session) > maxProviderSession {
		id.Session = "" // a logout token with it is refused too
	}
	return store.ProviderSession{Issuer: id.Issuer, Subject: id.Subject, ID: id.Session}
}

// maxProviderSession bounds the id of a session at a provider, in bytes.
const maxProviderSession = 512

// hashPage returns a short text that stands for the path and the query of a page.
func hashPage(page string) string {
	sum := sha256.Sum256([]byte(page))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// now returns the time with the precision of the store.
func (s *Sessions) now() time.Time { return s.Clock.Now().UTC().Truncate(time.Millisecond) }

// checkEntry checks that the user and the token of an entry still exist. A session does not outlive a temporary token.
func checkEntry(tx *store.Tx, e Entry, expires *time.Time) error {
	_, err := tx.Directory.User(e.User)
	if errors.Is(err, store.ErrNotFound) {
		return directory.ErrUnknownUser // deleted in the meantime
	}
	if err != nil || e.Token == "" {
		return err
	}
	c, err := tx.Credentials.Credential(auth.Hash(e.Token.Reveal()))
	if errors.Is(err, store.ErrNotFound) || err == nil && c.Browser != (store.TokenHash{}) {
		return errNotUserToken
	}
	if err == nil && !c.Expires.IsZero() && c.Expires.Before(*expires) {
		*expires = c.Expires
	}
	return err
}

// limitSessions ends the oldest sessions of a user, so that one more can be added.
func limitSessions(tx *store.Tx, user snowflake.User) error {
	have, err := tx.Grants.Sessions(user)
	if err != nil {
		return err
	}
	slices.SortFunc(have, func(a, b store.Session) int { return a.Created.Compare(b.Created) })
	for _, old := range have[:max(len(have)-maxSessions+1, 0)] {
		if err := auth.EndSession(tx, old); err != nil {
			return err
		}
	}
	return nil
}

// cutAgent returns the name of a browser as it is stored.
func cutAgent(agent string) string {
	return strings.ToValidUTF8(agent[:min(len(agent), maxAgent)], "")
}

// endSession ends the session with a hash if it exists.
func endSession(tx *store.Tx, hash store.TokenHash) error {
	stored, err := tx.Grants.Session(hash)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return auth.EndSession(tx, stored)
}

// SignOut ends the session and revokes the tokens that were issued to it.
func (s *Sessions) SignOut(ctx context.Context, w http.ResponseWriter, v Session) error {
	err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		if v.User != 0 {
			err := s.Audit.Add(ctx, tx, audit.Entry{Actor: audit.OfUser(v.User), Action: "signout", Target: "user/" + v.User.String()})
			if err != nil {
				return err
			}
		}
		return endSession(tx, auth.Hash(v.secret))
	})
	if err != nil {
		return err
	}
	s.setCookie(w, "", -1)
	return nil
}

// ByToken returns the user of a user token.
func (s *Sessions) ByToken(ctx context.Context, token string) (snowflake.User, error) {
	p, err := s.Tokens.Authenticate(ctx, token)
	if errors.Is(err, auth.ErrUnauthorized) || err == nil && p.Kind != store.UserToken {
		return 0, errNotUserToken
	}
	return p.User, err
}

// ByChoice returns a user that was chosen on the sign-in page, if that is allowed.
func (s *Sessions) ByChoice(ctx context.Context, user snowflake.User) (snowflake.User, error) {
	if !s.Choose {
		return 0, errNoChoice
	}
	u, err := s.Directory.Users.User(ctx, user)
	if err == nil && u.Bot {
		err = directory.ErrUnknownUser
	}
	return user, err
}

// LocalPath returns path if it is a path of this service, and otherwise for everything else. It prevents open
// redirects.
func LocalPath(path, otherwise string) string {
	odd := strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f })
	if odd || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || len(path) > maxPath {
		return otherwise
	}
	return path
}

// maxPath bounds the paths that LocalPath returns.
const maxPath = 8 << 10
