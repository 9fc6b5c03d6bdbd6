package authorization

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a credential, or a code for one. It prints as [secret] with every verb of package fmt, except %p, for which
// fmt calls no method. string(s) is the value. Encoders such as encoding/json write the value, so that a program can
// store a token.
type Secret string

const hidden = "[secret]"

// String returns [secret].
func (Secret) String() string { return hidden }

// GoString returns [secret].
func (Secret) GoString() string { return hidden }

// Format writes [secret], also for the verbs that do not call String.
func (Secret) Format(f fmt.State, _ rune) { hide(f) }

// LogValue returns [secret].
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

func hide(f fmt.State) {
	_, _ = io.WriteString(f, hidden) // a Formatter cannot return an error
}
