package oauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"regexp"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-jose/go-jose/v4"
)

const (
	// codeLife is the time for which a code is valid.
	codeLife = 100 * time.Second
	// codeMemory is the time for which a used code is stored, so that a second use is detected.
	codeMemory = 24 * time.Hour
)

// exchange exchanges a code for a pair of tokens, once. A second use of the code revokes these tokens, because one of
// the two users has stolen the code. Of two concurrent uses, one counts as the second.
func (s *Server) exchange(ctx context.Context, c client, q TokenRequest) (Token, error) {
	if !c.authenticated && q.Verifier == "" {
		return Token{}, invalidClient() // without a verifier, anybody with the code could exchange it
	}
	// The signer is loaded before the code is used, because creating a key may fail.
	openID, err := s.grantsIDToken(ctx, q.Code)
	if err != nil {
		return Token{}, err
	}
	var signer jose.Signer
	if openID {
		if signer, err = s.signer(ctx); err != nil {
			return Token{}, err
		}
	}
	var token Token
	var code store.Code
	var refused *Error // returned after the commit
	err = store.Decide(ctx, s.Store, func(tx *store.Tx) (err error) {
		t := s.transaction(ctx, tx)
		refused = nil
		code, err = t.code(auth.Hash(bounded(q.Code)), c.ID)
		switch {
		case errors.Is(err, store.ErrNotFound):
			refused, err = invalidCode(), nil
		case err != nil:
		case code.Grant != (store.TokenHash{}):
			refused, err = invalidCode(), t.endByID(code.Grant)
		default:
			if refused = checkExchange(code, q, t.now); refused == nil {
				token, err = t.redeem(code, q)
			}
		}
		return err
	})
	if err != nil {
		return Token{}, err
	}
	if refused != nil {
		return Token{}, refused
	}
	token.Guild = code.Guild
	if openID {
		token.IDToken, err = s.idToken(signer, code, token.AccessToken)
	}
	return token, err
}

// grantsIDToken reports whether the exchange of a code returns an ID token.
func (s *Server) grantsIDToken(ctx context.Context, text string) (bool, error) {
	var code store.Code
	err := s.Store.Read(ctx, func(r store.Reader) (err error) {
		code, err = r.Grants.Code(auth.Hash(bounded(text)))
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	return slices.Contains(code.Scopes, auth.ScopeOpenID), nil
}

// bounded returns a token, or an empty string when the token is longer than any valid one.
func bounded(token string) string {
	if len(token) > auth.MaxTokenLen {
		return ""
	}
	return token
}

// code returns a code of an application. It returns store.ErrNotFound when there is none or its user was deleted.
func (t *transaction) code(hash store.TokenHash, app snowflake.Application) (store.Code, error) {
	code, err := t.Grants.Code(hash)
	if err == nil && code.Application != app {
		err = store.ErrNotFound
	}
	if err == nil {
		err = t.checkOwners(app, code.User)
	}
	return code, err
}

// redeem issues tokens for a code and marks the code as used.
func (t *transaction) redeem(code store.Code, q TokenRequest) (Token, error) {
	if err := t.merge(q, code.User); err != nil {
		return Token{}, err
	}
	token, grant, err := t.issue(code.Application, code.User, code.Scopes)
	if err != nil {
		return Token{}, err
	}
	code.Grant, code.Until = grant.ID, t.now.Add(codeMemory)
	return token, t.Put(code)
}

// endByID ends a grant if it exists.
func (t *transaction) endByID(id store.TokenHash) error {
	grant, err := t.Grants.Grant(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return t.end(grant)
}

// checkExchange returns the error of an invalid exchange, or nil.
func checkExchange(code store.Code, q TokenRequest, now time.Time) *Error {
	switch {
	case !now.Before(code.Expires):
		return invalidCode()
	case code.RedirectURI != q.RedirectURI:
		return invalidParameter("redirect_uri")
	case (code.Challenge != "") != (q.Verifier != ""):
		return invalidVerifier()
	case code.Challenge != "" && !matchesChallenge(q.Verifier, code.Challenge):
		return invalidVerifier()
	}
	return nil
}

var (
	verifierForm  = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)
	challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`) // a SHA-256 in base64url without padding
)

// matchesChallenge reports whether a challenge was made from a verifier.
func matchesChallenge(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	challengeOf := base64.RawURLEncoding.EncodeToString(sum[:])
	return verifierForm.MatchString(verifier) && subtle.ConstantTimeCompare([]byte(challengeOf), []byte(challenge)) == 1
}
