package idp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// ErrLogoutToken says that a logout token is not valid.
var ErrLogoutToken = errors.New("invalid logout token")

// Logout is a checked logout token (OpenID Connect Back-Channel Logout 1.0). Subject or Session is set, or both.
type Logout struct {
	Subject string
	Session string    // the sid of the session at the provider; empty: all sessions of the subject
	ID      string    // jti
	Expires time.Time // until when the token could be sent again
}

// Limits on logout tokens.
const (
	// MaxLogoutToken bounds a logout token in bytes.
	MaxLogoutToken = 8 << 10
	logoutEvent    = "http://schemas.openid.net/event/backchannel-logout"
	maxLogoutAge   = 10 * time.Minute // since a token was issued
	logoutSkew     = time.Minute      // between the clocks of the provider and of this service
	maxLogoutText  = 512              // bytes of sub, sid and jti
	// refetch is the time for which logout tokens with unknown keys do not make the service read the keys again: anyone can send
	// such tokens.
	refetch = 10 * time.Second
)

// logoutClaims are the claims of a logout token.
type logoutClaims struct {
	Issuer   string                    `json:"iss"`
	Subject  string                    `json:"sub"`
	Audience oidc.Audience             `json:"aud"`
	Issued   float64                   `json:"iat"`
	Expires  float64                   `json:"exp"`
	ID       string                    `json:"jti"`
	Session  string                    `json:"sid"`
	Events   map[string]jsontext.Value `json:"events"`
	Nonce    jsontext.Value            `json:"nonce"`
}

// CheckLogout makes the checks of OpenID Connect Back-Channel Logout 1.0, section 2.6. The caller checks that the id of the token
// is new. An error that is no ErrLogoutToken says that the provider's keys could not be read.
func (p *Party) CheckLogout(ctx context.Context, token string, now time.Time) (Logout, error) {
	signed, err := parseLogout(token, p.algorithms)
	if err != nil {
		return Logout{}, err
	}
	var c logoutClaims
	if err := json.Unmarshal(signed.UnsafePayloadWithoutVerification(), &c); err != nil {
		return Logout{}, fmt.Errorf("%w: %w", ErrLogoutToken, err)
	}
	// The claims are checked before the signature: a token that would be refused anyway causes no request for keys.
	if err := p.checkClaims(c, now); err != nil {
		return Logout{}, err
	}
	if err := p.keys.verifyUnsolicited(ctx, signed, now); err != nil {
		return Logout{}, err
	}
	return Logout{Subject: c.Subject, Session: c.Session, ID: c.ID, Expires: seconds(c.Expires)}, nil
}

// parseLogout parses a token and checks its header. Symmetric algorithms and none are never allowed.
func parseLogout(token string, supported []string) (*jose.JSONWebSignature, error) {
	algorithms := []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA}
	if len(supported) == 0 {
		supported = []string{string(jose.RS256)}
	}
	algorithms = slices.DeleteFunc(algorithms, func(a jose.SignatureAlgorithm) bool { return !slices.Contains(supported, string(a)) })
	if len(token) > MaxLogoutToken {
		return nil, fmt.Errorf("%w: too large", ErrLogoutToken)
	}
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLogoutToken, err)
	}
	typ, _ := signed.Signatures[0].Header.ExtraHeaders[jose.HeaderType].(string)
	if typ != "" && !strings.EqualFold(typ, "logout+jwt") && !strings.EqualFold(typ, "JWT") {
		return nil, fmt.Errorf("%w: typ is %q", ErrLogoutToken, typ)
	}
	return signed, nil
}

func (p *Party) checkClaims(c logoutClaims, now time.Time) error {
	event := c.Events[logoutEvent]
	issued, expires := seconds(c.Issued), seconds(c.Expires)
	wrong := ""
	switch {
	case c.Issuer != p.issuer:
		wrong = "iss"
	case !slices.Contains(c.Audience, p.config.ClientID):
		wrong = "aud"
	case c.Issued <= 0 || issued.After(now.Add(logoutSkew)) || issued.Before(now.Add(-maxLogoutAge)):
		wrong = "iat"
	case c.Expires <= 0 || !expires.After(now.Add(-logoutSkew)) || expires.After(issued.Add(24*time.Hour)):
		wrong = "exp"
	case c.ID == "" || len(c.ID) > maxLogoutText:
		wrong = "jti"
	case len(c.Subject) > maxLogoutText || c.Subject == "" && c.Session == "":
		wrong = "sub"
	case len(c.Session) > maxLogoutText:
		wrong = "sid"
	case event.Kind() != '{':
		wrong = "events"
	case c.Nonce != nil:
		wrong = "nonce" // an ID token must not pass as a logout token
	}
	if wrong != "" {
		return fmt.Errorf("%w: claim %s", ErrLogoutToken, wrong)
	}
	return nil
}

// seconds returns the time of a NumericDate.
func seconds(n float64) time.Time {
	const latest = 1 << 40
	return time.Unix(int64(min(max(n, 0), latest)), 0)
}

// pause says when keys were read for a token that no one asked for.
type pause struct {
	mu   sync.Mutex
	last time.Time
}

// pass reports whether refetch has passed since it last returned true.
func (p *pause) pass(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.last.IsZero() && now.Sub(p.last) < refetch && !now.Before(p.last) {
		return false
	}
	p.last = now
	return true
}

// verifyUnsolicited checks the signature of a token that anyone can have sent. It reads the keys again at most once per refetch.
func (s *keySet) verifyUnsolicited(ctx context.Context, signed *jose.JSONWebSignature, now time.Time) error {
	s.mu.Lock()
	known := s.keys
	s.mu.Unlock()
	if _, err := verifyWith(known, signed); err == nil {
		return nil
	}
	if !s.unsolicited.pass(now) {
		return fmt.Errorf("%w: no key of the provider signed it", ErrLogoutToken)
	}
	fetched, err := s.fetch(ctx)
	if err != nil {
		return err
	}
	if _, err := verifyWith(fetched, signed); err != nil {
		return fmt.Errorf("%w: no key of the provider signed it", ErrLogoutToken)
	}
	return nil
}
