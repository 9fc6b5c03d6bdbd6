package oauthserver

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
	// codeLife is how long a code can be exchanged.
	codeLife = 100 * time.Second
	// codeMemory is how long a code that was used is remembered, so that a second use is noticed.
	codeMemory = 24 * time.Hour
)

// exchange trades a code for a pair of tokens, once. A second use of the code revokes the tokens that it gave, because one
// of its two users is not the client that it was made for. Of two uses at the same time, one is the second.
func (g *Grants) exchange(ctx context.Context, c client, q TokenRequest) (Token, error) {
	if !c.proven && q.Verifier == "" {
		return Token{}, invalidClient() // nothing shows that it is the one that asked
	}
	sign, err := g.signerFor(ctx, q.Code)
	if err != nil {
		return Token{}, err
	}
	var token Token
	var code store.Code
	var refused *Error // returned after the commit
	err = g.update(ctx, func(u *unit) (err error) {
		refused = nil
		code, err = u.code(auth.Hash(bounded(q.Code)), c.ID)
		switch {
		case errors.Is(err, store.ErrNotFound):
			refused, err = invalidCode(), nil
		case err != nil:
		case code.Grant != (store.TokenHash{}):
			refused, err = invalidCode(), u.endByID(code.Grant)
		default:
			if refused = judge(code, q, u.now); refused == nil {
				token, err = u.redeem(code)
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
	if sign != nil {
		token.IDToken, err = g.idToken(sign, code, token.AccessToken)
	}
	return token, err
}

// signerFor returns what signs the ID token that a code gives, nil when it gives none. It is asked before the code is
// used up, for it may have to make a key.
func (g *Grants) signerFor(ctx context.Context, text string) (jose.Signer, error) {
	var code store.Code
	err := g.Store.Read(ctx, func(r store.Reader) (err error) {
		code, err = r.Grants.Code(auth.Hash(bounded(text)))
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if !slices.Contains(code.Scopes, auth.ScopeOpenID) {
		return nil, nil //nolint:nilnil // as the comment says
	}
	return g.signer(ctx)
}

// bounded returns a text that is not longer than a token can be; a longer one is nobody's.
func bounded(token string) string {
	if len(token) > auth.MaxTokenLen {
		return ""
	}
	return token
}

// code returns a code of an application, store.ErrNotFound when there is none or its user was deleted.
func (u *unit) code(hash store.TokenHash, app snowflake.Application) (store.Code, error) {
	code, err := u.Grants.Code(hash)
	if err == nil && code.Application != app {
		err = store.ErrNotFound
	}
	if err == nil {
		err = u.checkOwners(app, code.User)
	}
	return code, err
}

// redeem issues tokens for a code and marks the code as used.
func (u *unit) redeem(code store.Code) (Token, error) {
	token, grant, err := u.issue(code.Application, code.User, code.Scopes)
	if err != nil {
		return Token{}, err
	}
	code.Grant, code.Until = grant.ID, u.now.Add(codeMemory)
	return token, u.Put(code)
}

// endByID ends a grant if it is still there.
func (u *unit) endByID(id store.TokenHash) error {
	grant, err := u.Grants.Grant(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return u.end(grant)
}

// judge says what is wrong with an exchange, nil when nothing is.
func judge(code store.Code, q TokenRequest, now time.Time) *Error {
	switch {
	case !now.Before(code.Expires):
		return invalidCode()
	case code.RedirectURI != q.RedirectURI:
		return invalidParameter("redirect_uri")
	case (code.Challenge != "") != (q.Verifier != ""):
		return invalidVerifier()
	case code.Challenge != "" && !answers(q.Verifier, code.Challenge):
		return invalidVerifier()
	}
	return nil
}

var (
	verifierForm  = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)
	challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`) // a SHA-256 in base64url without padding
)

// answers reports whether a verifier is the one that a challenge was made from.
func answers(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	made := base64.RawURLEncoding.EncodeToString(sum[:])
	return verifierForm.MatchString(verifier) && subtle.ConstantTimeCompare([]byte(made), []byte(challenge)) == 1
}
