package authorization

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/oauth2"
)

// ChallengeMethod is the function that computes a challenge from its verifier.
type ChallengeMethod int

// S256 is the only method: the challenge is the SHA-256 hash of the verifier.
const S256 ChallengeMethod = 0

// String returns the name of the method in a request.
func (m ChallengeMethod) String() string {
	if m == S256 {
		return "S256"
	}
	return "ChallengeMethod(" + strconv.Itoa(int(m)) + ")"
}

// CodeChallenge is the public half of a [CodeVerifier], for [Args.SetCodeChallenge].
type CodeChallenge struct {
	Method    ChallengeMethod
	Challenge string // base64url without padding, 43 characters
}

func (c CodeChallenge) valid() bool {
	sum, err := base64.RawURLEncoding.Strict().DecodeString(c.Challenge)
	return c.Method == S256 && err == nil && len(sum) == sha256.Size
}

// CodeVerifier proves that the program that exchanges a code is the one that started the sign-in (PKCE, RFC 7636). The
// browser gets only its challenge; the token endpoint gets the verifier. Exchange rejects the zero value.
type CodeVerifier struct{ text string }

// The length of a verifier (RFC 7636).
const (
	minVerifier = 43
	maxVerifier = 128
)

// ErrVerifier is the error of ParseCodeVerifier for a text that is not a code verifier.
var ErrVerifier = errors.New("a code verifier has 43 to 128 of the characters A-Z a-z 0-9 - . _ ~")

// NewCodeVerifier returns a verifier of 256 random bits. Make a new one for every sign-in.
func NewCodeVerifier() CodeVerifier { return CodeVerifier{text: oauth2.GenerateVerifier()} }

// ParseCodeVerifier returns the verifier with the given text. Use it when the program restarts during a sign-in.
func ParseCodeVerifier(text string) (CodeVerifier, error) {
	if len(text) < minVerifier || len(text) > maxVerifier || strings.ContainsFunc(text, notInVerifier) {
		return CodeVerifier{}, ErrVerifier
	}
	return CodeVerifier{text: text}, nil
}

func notInVerifier(r rune) bool {
	switch {
	case 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z', '0' <= r && r <= '9':
		return false
	default:
		return !strings.ContainsRune("-._~", r)
	}
}

// Verifier returns the text that Exchange sends to the token endpoint.
func (v CodeVerifier) Verifier() Secret { return Secret(v.text) }

// Challenge returns the challenge of v.
func (v CodeVerifier) Challenge() CodeChallenge {
	if v.text == "" {
		return CodeChallenge{}
	}
	return CodeChallenge{Method: S256, Challenge: oauth2.S256ChallengeFromVerifier(v.text)}
}

// String returns [secret].
func (v CodeVerifier) String() string { return hidden }

// Format writes [secret] for every verb.
func (v CodeVerifier) Format(f fmt.State, _ rune) { hide(f) }
