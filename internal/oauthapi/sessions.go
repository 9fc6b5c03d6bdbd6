// Package signin knows who sits at a browser: it lets people in who show a token of their own, who an upstream OpenID
// provider vouches for, or in development whoever they choose to be; it keeps their sessions, and guards forms against
// being sent from elsewhere. It shows no pages.
package signin

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

// What keeps people out.
var (
	// ErrToken says that a token is nobody's own.
	ErrToken = errors.New("not a token of a person")
	// ErrForm says that a form was not sent from a page of this visit.
	ErrForm = errors.New("form of another visit")
	// ErrNoChoice says that nobody can choose who to be here.
	ErrNoChoice = errors.New("choosing is for development")
)

// Door lets people in. It is safe for concurrent use. All fields but Choose and Upstream are required.
type Door struct {
	Store     store.Store
	Clock     clock.Clock
	Directory *directory.Directory
	Tokens    *auth.Authenticator
	IDs       interface{ Next() uint64 } // of people who come for the first time
	// Public returns the address under which people reach the service.
	Public func() string
	// Choose lets everybody choose who to be: for development.
	Choose bool
	// Upstream vouches for people; nil: nobody does.
	Upstream *Upstream
}

// SessionLife is how long somebody stays signed in.
const SessionLife = 12 * time.Hour

// Visit is a browser that came. The zero Visit is one that came for the first time.
type Visit struct {
	User  snowflake.User // 0: not signed in
	Since time.Time      // when the user signed in

	secret string // of the cookie
}

// secretLen is how long the secret of a visit is.
const secretLen = 52

// cookie returns the name of the cookie and whether it travels by https alone.
func (d *Door) cookie() (string, bool) {
	if strings.HasPrefix(d.Public(), "https:") {
		return "__Host-bellhop", true
	}
	return "bellhop", false
}

// Visit returns who sits at the browser that sent a request.
func (d *Door) Visit(r *http.Request) (Visit, error) {
	name, _ := d.cookie()
	var v Visit
	for _, c := range r.CookiesNamed(name) {
		v.secret = c.Value
	}
	if len(v.secret) != secretLen {
		return Visit{}, nil
	}
	var s store.Session
	err := d.Store.Read(r.Context(), func(r store.Reader) (err error) {
		s, err = r.Grants.Session(auth.Hash(v.secret))
		if err == nil { // the sessions of a deleted user are removed some time after the user
			_, err = r.Directory.User(s.User)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && !d.Clock.Now().Before(s.Expires) {
		return v, nil
	}
	if err != nil {
		return Visit{}, err
	}
	v.User, v.Since = s.User, s.Made
	return v, nil
}

// Greet gives a browser that came for the first time a cookie, so that forms can be tied to its visit.
func (d *Door) Greet(w http.ResponseWriter, v Visit) Visit {
	if v.secret == "" {
		v.secret = auth.NewRefreshToken().Reveal()
		d.setCookie(w, v.secret, 0)
	}
	return v
}

// setCookie gives the browser the secret of its visit: for so many seconds, or as long as the browser runs, or with less
// than none it takes it away.
func (d *Door) setCookie(w http.ResponseWriter, secret string, seconds int) {
	name, secure := d.cookie()
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever the service is reached by https
		Name: name, Value: secret, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode,
	})
}

// FormToken returns what the forms of a visit carry. Who does not have the visit's cookie cannot make it.
func (v Visit) FormToken() string {
	mac := hmac.New(sha256.New, []byte(v.secret))
	mac.Write([]byte("bellhop form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// CheckForm checks that a form comes from a page of this visit. The browser's own word counts too, where it gives one.
func (v Visit) CheckForm(r *http.Request, token string) error {
	from := r.Header.Get("Sec-Fetch-Site")
	own := from == "" || from == "same-origin" || from == "none"
	if v.secret == "" || !own || !hmac.Equal([]byte(token), []byte(v.FormToken())) {
		return ErrForm
	}
	return nil
}

// Enter signs a user in at a browser. The visit gets a new secret: whoever knew the old one does not come along.
func (d *Door) Enter(ctx context.Context, w http.ResponseWriter, v Visit, user snowflake.User) (Visit, error) {
	now := d.Clock.Now().UTC().Truncate(time.Millisecond)
	fresh := Visit{User: user, Since: now, secret: auth.NewRefreshToken().Reveal()}
	err := store.Decide(ctx, d.Store, func(tx *store.Tx) error {
		if _, err := tx.Directory.User(user); err != nil {
			return err
		}
		tx.Delete(store.SessionKey(auth.Hash(v.secret)))
		return tx.Put(store.Session{
			Hash: auth.Hash(fresh.secret), User: user, Made: now, Expires: now.Add(SessionLife),
		})
	})
	if errors.Is(err, store.ErrNotFound) {
		err = directory.ErrUnknownUser // deleted in the meantime
	}
	if err != nil {
		return Visit{}, err
	}
	d.setCookie(w, fresh.secret, int(SessionLife.Seconds()))
	return fresh, nil
}

// Leave signs whoever sits at a browser out.
func (d *Door) Leave(ctx context.Context, w http.ResponseWriter, v Visit) error {
	err := store.Decide(ctx, d.Store, func(tx *store.Tx) error {
		tx.Delete(store.SessionKey(auth.Hash(v.secret)))
		return nil
	})
	if err != nil {
		return err
	}
	d.setCookie(w, "", -1)
	return nil
}

// ByToken returns the person whose own token it is.
func (d *Door) ByToken(ctx context.Context, token string) (snowflake.User, error) {
	p, err := d.Tokens.Authenticate(ctx, token)
	if errors.Is(err, auth.ErrUnauthorized) || err == nil && p.Kind != store.UserToken {
		return 0, ErrToken
	}
	return p.User, err
}

// ByChoice returns the person that somebody has chosen to be.
func (d *Door) ByChoice(ctx context.Context, user snowflake.User) (snowflake.User, error) {
	if !d.Choose {
		return 0, ErrNoChoice
	}
	u, err := d.Directory.User(ctx, user)
	if err == nil && u.Bot {
		err = directory.ErrUnknownUser
	}
	return user, err
}

// LocalPath returns a path of this service as it was given, and the given one in place of everything else: nobody is sent
// away from here by a link to here.
func LocalPath(path, otherwise string) string {
	odd := strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f })
	if odd || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || len(path) > maxPath {
		return otherwise
	}
	return path
}

// maxPath is how long a path may be that somebody comes back to.
const maxPath = 8 << 10
