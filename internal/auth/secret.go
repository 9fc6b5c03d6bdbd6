package auth

import (
	"fmt"
	"io"
	"log/slog"
)

// hidden is the printed form of a Secret.
const hidden = "[secret]"

// Secret is a credential in plain text. It prints, logs and encodes as [secret]; only Reveal returns the text. This
// holds for variables, exported fields and elements of lists and maps. Do not use a Secret as a map key or in an
// unexported field, and do not print its address with %p: there the standard library does not call its methods.
type Secret string

// Reveal returns the credential in plain text.
func (s Secret) Reveal() string { return string(s) }

// String returns [secret].
func (Secret) String() string { return hidden }

// GoString returns [secret].
func (Secret) GoString() string { return hidden }

// Format writes [secret] for every verb of package fmt, including invalid ones.
func (Secret) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, hidden) // package fmt keeps the first error itself
}

// LogValue returns [secret].
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText returns [secret], also for JSON.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
