package dispatch

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// tokenPrefix begins the decoded form of a token. The id of the interaction and a secret follow.
const tokenPrefix = "interaction:"

// newToken returns a token for an interaction.
func newToken(id snowflake.Interaction) string {
	decoded := make([]byte, 0, 96)
	decoded = append(decoded, tokenPrefix...)
	decoded = append(id.Append(decoded), ':')
	decoded = append(append(decoded, rand.Text()...), rand.Text()...)
	return base64.RawURLEncoding.EncodeToString(decoded)
}

// maxToken is the length of the longest possible token.
const maxToken = 256

// tokenID returns the id of the interaction in a token. It does not check the secret: see hasToken.
func tokenID(token string) (snowflake.Interaction, bool) {
	if len(token) > maxToken {
		return 0, false
	}
	decoded, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return 0, false
	}
	rest, ok := strings.CutPrefix(string(decoded), tokenPrefix)
	if !ok {
		return 0, false
	}
	digits, _, ok := strings.Cut(rest, ":")
	if !ok {
		return 0, false
	}
	id, err := snowflake.Parse[snowflake.Interaction](digits)
	return id, err == nil && id != 0
}

// IsToken reports whether a token has the form of the tokens of interactions.
func IsToken(token string) bool {
	_, ok := tokenID(token)
	return ok
}

func tokenHash(token string) store.TokenHash { return sha256.Sum256([]byte(token)) }

// hasToken reports whether a token belongs to an interaction.
func hasToken(i *store.Interaction, token string) bool {
	hash := tokenHash(token)
	return subtle.ConstantTimeCompare(hash[:], i.Hash[:]) == 1
}

// Holder returns the application and the interaction of a token, for rate limits. ok is false for an unknown token.
func (s *service) Holder(
	ctx context.Context, token string,
) (app snowflake.Application, id snowflake.Interaction, ok bool, err error) {
	if id, ok = tokenID(token); !ok {
		return 0, 0, false, nil
	}
	i, err := s.interactions.find(ctx, id)
	if err != nil || i.ID == 0 || !hasToken(i, token) {
		return 0, 0, false, err
	}
	return i.Application, id, true, nil
}
