package authorization

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a credential, or what leads to one. It prints as [secret] with every verb but %p, for which package fmt
// asks no method; string(s) is the value. Encoders see the value, so that a program can keep a token in a store of its
// own.
type Secret string

const hidden = "[secret]"

// String returns [secret].
func (Secret) String() string { return hidden }

// GoString returns [secret].
func (Secret) GoString() string { return hidden }

// Format writes [secret], for the verbs that would pass String by.
func (Secret) Format(f fmt.State, _ rune) { hide(f) }

// LogValue returns [secret].
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

func hide(f fmt.State) {
	_, _ = io.WriteString(f, hidden) // a Formatter has nowhere to report to
}
