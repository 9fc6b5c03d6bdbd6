package auth

import (
	"fmt"
	"io"
	"log/slog"
)

// hidden is what a Secret shows of itself.
const hidden = "[secret]"

// Secret is a credential in the clear. However it is printed, logged or encoded, it says [secret]; Reveal alone gives it
// away. That holds for variables, exported fields, and elements of lists and maps. It is no key of a map and no
// unexported field, and nobody prints its address with %p: there the standard library does not ask it.
type Secret string

// Reveal returns the credential, for whoever it was made for.
func (s Secret) Reveal() string { return string(s) }

// String says [secret].
func (Secret) String() string { return hidden }

// GoString says [secret].
func (Secret) GoString() string { return hidden }

// Format says [secret] under every verb of package fmt, the wrong ones too.
func (Secret) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, hidden) // package fmt keeps the first error itself
}

// LogValue says [secret].
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText says [secret], in JSON too.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
