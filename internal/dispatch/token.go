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

// tokenPrefix is how the inside of a token begins. Behind it stand the interaction's id and what makes it a secret.
const tokenPrefix = "interaction:"

// newToken returns a token for an interaction.
func newToken(id snowflake.Interaction) string {
	inside := make([]byte, 0, 96)
	inside = append(inside, tokenPrefix...)
	inside = append(id.Append(inside), ':')
	inside = append(append(inside, rand.Text()...), rand.Text()...)
	return base64.RawURLEncoding.EncodeToString(inside)
}

// maxToken is how long a token can be.
const maxToken = 256

// tokenID returns the interaction that a token is for. That the token is right is for its hash to say.
func tokenID(token string) (snowflake.Interaction, bool) {
	if len(token) > maxToken {
		return 0, false
	}
	inside, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return 0, false
	}
	rest, ok := strings.CutPrefix(string(inside), tokenPrefix)
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

func tokenHash(token string) store.TokenHash { return sha256.Sum256([]byte(token)) }

// opens reports whether a token is that of an interaction.
func opens(token string, i *store.Interaction) bool {
	hash := tokenHash(token)
	return subtle.ConstantTimeCompare(hash[:], i.Hash[:]) == 1
}

// Holder returns whose interaction a token opens, and whether it opens one: it is what its bearer is counted as.
func (d *Dispatch) Holder(
	ctx context.Context, token string,
) (app snowflake.Application, id snowflake.Interaction, ok bool, err error) {
	if id, ok = tokenID(token); !ok {
		return 0, 0, false, nil
	}
	i, err := d.interactions.Recall(ctx, id)
	if err != nil || i.ID == 0 || !opens(token, i) {
		return 0, 0, false, err
	}
	return i.Application, id, true, nil
}
