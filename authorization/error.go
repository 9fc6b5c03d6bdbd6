package authorization

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Kind says what sort of thing went wrong. It is itself an error: errors.Is(err, authorization.ErrAborted) asks for it.
type Kind int

// The kinds. Their numbers are those of the interface; this package never reports ErrDisabled, ErrClientDestroyed and
// ErrRPC.
const (
	ErrNetwork             Kind = 1 // no answer came
	ErrHTTP                Kind = 2 // the server refused, or its answer makes no sense
	ErrClientNotReady      Kind = 3 // the client's own fields are missing or wrong
	ErrDisabled            Kind = 4
	ErrClientDestroyed     Kind = 5
	ErrValidation          Kind = 6 // the call was wrong; nothing was sent
	ErrAborted             Kind = 7 // the context ended, or AbortAuthorize was called
	ErrAuthorizationFailed Kind = 8 // the sign-in ended without a code or token
	ErrRPC                 Kind = 9
)

var kindTexts = map[Kind]string{
	ErrNetwork: "network error", ErrHTTP: "http error", ErrClientNotReady: "client not ready", ErrDisabled: "disabled",
	ErrClientDestroyed: "client destroyed", ErrValidation: "validation error", ErrAborted: "aborted",
	ErrAuthorizationFailed: "authorization failed", ErrRPC: "rpc error",
}

// Error returns the kind in words.
func (k Kind) Error() string {
	if text, ok := kindTexts[k]; ok {
		return text
	}
	return "error kind " + strconv.Itoa(int(k))
}

// Bounds of what an error keeps of the server's words, in bytes.
const (
	maxMessage = 200
	maxExcerpt = 512
)

// ResultError is the error of every call of a client. errors.Is finds its kind and, where there is one, its cause,
// such as context.Canceled.
type ResultError struct {
	Op          string // the call, such as "authorize" or "refresh"
	Kind        Kind
	Message     string // the server's error, such as "access_denied", or what is wrong
	Description string // the server's explanation, when it gave one
	Code        int    // the server's API error code, when it gave one
	Status      int    // HTTP status; 0 when no answer came
	Body        string // the start of a refusal's body, without what this package knows to be secret

	Retryable  bool          // the same call may succeed later
	RetryAfter time.Duration // wait at least this long before it; 0 when the server did not say

	cause error
}

// Error returns the call, the kind and the reason. It leaves out Body.
func (e *ResultError) Error() string {
	var b strings.Builder
	b.WriteString("authorization: " + e.Op + ": " + e.Kind.Error())
	if e.Status != 0 {
		b.WriteString(" " + strconv.Itoa(e.Status))
	}
	for _, part := range []string{e.Message, e.Description} {
		if part != "" {
			b.WriteString(": " + part)
		}
	}
	if e.cause != nil {
		b.WriteString(": " + e.cause.Error())
	}
	return b.String()
}

// Unwrap returns the kind and the cause.
func (e *ResultError) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.cause}
}

func invalid(op, message string) *ResultError {
	return &ResultError{Op: op, Kind: ErrValidation, Message: message}
}

func failed(op, message string) *ResultError {
	return &ResultError{Op: op, Kind: ErrAuthorizationFailed, Message: message}
}

// aborted is the error of a call whose context has ended.
func aborted(ctx context.Context, op string) *ResultError {
	return &ResultError{Op: op, Kind: ErrAborted, cause: ctx.Err()}
}

// unreached is the error of a call that got no answer.
func unreached(op string, cause error) *ResultError {
	return &ResultError{Op: op, Kind: ErrNetwork, Retryable: true, cause: cause}
}

// foreignText makes words from outside fit for an error: the secrets hidden, on one line, bounded.
func foreignText(s string, secrets []Secret) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(scrub(s, secrets), " "))
	return clip(strings.TrimSpace(s), maxMessage)
}

// clip returns at most limit bytes of s and cuts no character in two.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
