package oauthapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Errors of signing in. The pages answer them.
var (
	errNotUserToken = errors.New("not a user token")
	errForm         = errors.New("the form is not from a page of this session")
	errNoChoice     = errors.New("users can be chosen only in development")
)

// Sessions keeps the sessions of browsers. A user signs in with a user token, at the upstream provider, or in
// development by choosing a user. Sessions also protects forms against cross-site requests. It is safe for concurrent
// use. Choose, Upstream and SubjectIsUserID are optional.
type Sessions struct {
	Store     store.Store
	Clock     clock.Clock
	Directory *directory.Directory
	Tokens    *auth.Authenticator
	IDs       interface{ Next() uint64 } // of new users
	// Public returns the URL at which browsers reach the service.
	Public func() string
	// Choose lets anyone sign in as any user, for development.
	Choose bool
	// Upstream is the OpenID provider of the platform; nil: none.
	Upstream *Upstream
	// SubjectIsUserID says that the subjects of the upstream provider are ids of users of this service.
	SubjectIsUserID bool
}

// sessionLife is how long a user stays signed in.
const sessionLife = 12 * time.Hour

// Session is the session of a browser. The zero Session belongs to a browser without a cookie.
type Session struct {
	User  snowflake.User // 0: not signed in
	Since time.Time      // when the user signed in

	secret string // of the cookie
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
	if errors.Is(err, store.ErrNotFound) || err == nil && !s.Clock.Now().Before(stored.Expires) {
		return v, nil
	}
	if err != nil {
		return Session{}, err
	}
	v.User, v.Since = stored.User, stored.Created
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
	setCookie(w, name, secret, "/", seconds, secure)
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

// SignIn signs a user in. The session gets a new secret, so that an attacker who knew the old one is not signed in too.
func (s *Sessions) SignIn(ctx context.Context, w http.ResponseWriter, v Session, user snowflake.User) (Session, error) {
	now := s.Clock.Now().UTC().Truncate(time.Millisecond)
	fresh := Session{User: user, Since: now, secret: auth.NewRefreshToken().Reveal()}
	err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		if _, err := tx.Directory.User(user); err != nil {
			return err
		}
		tx.Delete(store.SessionKey(auth.Hash(v.secret)))
		return tx.Put(store.Session{
			Hash: auth.Hash(fresh.secret), User: user, Created: now, Expires: now.Add(sessionLife),
		})
	})
	if errors.Is(err, store.ErrNotFound) {
		err = directory.ErrUnknownUser // deleted in the meantime
	}
	if err != nil {
		return Session{}, err
	}
	s.setCookie(w, fresh.secret, int(sessionLife.Seconds()))
	return fresh, nil
}

// SignOut ends the session.
func (s *Sessions) SignOut(ctx context.Context, w http.ResponseWriter, v Session) error {
	err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		tx.Delete(store.SessionKey(auth.Hash(v.secret)))
		return nil
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
