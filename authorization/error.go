package authorization

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of a [ResultError]. It is an error itself: errors.Is(err, authorization.ErrAborted) tests for it.
type Kind int

// The kinds. The numbers are those of the specification. This package never returns ErrDisabled, ErrClientDestroyed or
// ErrRPC.
const (
	ErrNetwork             Kind = 1 // no response arrived
	ErrHTTP                Kind = 2 // the server answered with an error or with a malformed body
	ErrClientNotReady      Kind = 3 // a field of the client is missing or wrong
	ErrDisabled            Kind = 4
	ErrClientDestroyed     Kind = 5
	ErrValidation          Kind = 6 // an argument is wrong; the client sent nothing
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

// How much of a response an error keeps, in bytes.
const (
	maxMessage = 200
	maxExcerpt = 512
)

// ResultError is the error that every method of a client returns. errors.Is finds its kind and its cause, such as
// context.Canceled, if there is one.
type ResultError struct {
	Op          string // the operation, such as "authorize" or "refresh"
	Kind        Kind
	Message     string // the server's error, such as "access_denied", or this package's description
	Description string // the server's error_description; may be empty
	Code        int    // the server's API error code; may be 0
	Status      int    // the HTTP status; 0 when no response arrived
	Body        string // the start of an error response, with known secrets replaced

	Retryable  bool          // the same call may succeed later
	RetryAfter time.Duration // how long to wait before the retry; 0 when the server did not say

	cause error
}

// Error returns the operation, the kind and the reason. It leaves out Body.
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

// aborted returns the error for a context that has ended.
func aborted(ctx context.Context, op string) *ResultError {
	return &ResultError{Op: op, Kind: ErrAborted, cause: ctx.Err()}
}

// unreached returns the error for a request without a response.
func unreached(op string, cause error) *ResultError {
	return &ResultError{Op: op, Kind: ErrNetwork, Retryable: true, cause: cause}
}

// foreignText makes a text from the server safe for an error: it replaces the secrets and characters that do not print,
// and cuts the text at maxMessage.
func foreignText(s string, secrets []Secret) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(scrub(s, secrets), " "))
	return clip(strings.TrimSpace(s), maxMessage)
}

// clip returns at most limit bytes of s. It does not split a character.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
