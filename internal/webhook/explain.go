package webhook

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
)

// maxExcerpt is the number of bytes of a failed answer that an error contains.
const maxExcerpt = 500

// Explain returns why the delivery failed, as the rest of a sentence that begins with the name of the app: "answered
// 500 after 12 ms (request 17): no database". Only a policy with Excerpts adds the text of the app.
func (e *Error) Explain() string { return e.explain("", "") }

// explain returns the explanation of a request. object names the request; after follows the status.
func (e *Error) explain(object, after string) string {
	var b strings.Builder
	switch e.Kind {
	case Status, BadContent, TooLarge:
		b.WriteString("answered")
		if e.Status != 0 {
			fmt.Fprintf(&b, " %d", e.Status)
		}
		if object != "" {
			b.WriteString(" to " + object)
		}
		if e.Kind != Status {
			b.WriteString(" with " + e.Detail)
		}
		b.WriteString(after)
	case Timeout, Connection:
		b.WriteString("did not answer")
		if object != "" {
			b.WriteString(" " + object)
		}
		b.WriteString(": " + e.cause())
	default:
		b.WriteString("was not called: " + e.cause())
	}
	if e.sent() {
		b.WriteString(" " + After(e.Took))
	}
	b.WriteString(Logged(e.Request))
	switch {
	case e.Excerpt != "":
		b.WriteString(": " + e.Excerpt)
	case e.Kind == Timeout && e.Detail != "":
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}

// cause returns the class of an error without an answer.
func (e *Error) cause() string {
	switch {
	case e.Kind == Timeout:
		return "timeout"
	case e.Kind == Blocked:
		return "the address of the endpoint is not allowed"
	case e.Kind == BadURL:
		return "the endpoint URL is not allowed: " + e.Detail
	case e.Detail == "":
		return e.Kind.String()
	}
	return e.Detail
}

// sent reports whether the request may have been sent, so that its duration matters.
func (e *Error) sent() bool {
	switch e.Kind {
	case Timeout, Connection, Status, TooLarge, BadContent:
		return true
	default:
		return false
	}
}

// After returns a duration as "after 12 ms".
func After(d time.Duration) string {
	return fmt.Sprintf("after %d ms", d.Round(time.Millisecond).Milliseconds())
}

// Logged returns " (request 17)" for the entry 17 of the traffic log, and an empty text for 0.
func Logged(request uint64) string {
	if request == 0 {
		return ""
	}
	return fmt.Sprintf(" (request %d)", request)
}

// Explain returns which step of the handshake failed and why, as the rest of a sentence that begins with the name of
// the endpoint: "answered 400 to the signed PING after 3 ms: bad request".
func (e *VerifyError) Explain() string {
	failed, ok := errors.AsType[*Error](e.Err)
	switch {
	case !ok:
		return "was not verified: " + e.Err.Error()
	case e.Step == ValidSignature && failed.Detail == wantNoContent:
		return failed.explain("the signed PING", " instead of 204")
	case e.Step == ValidSignature:
		return failed.explain("the signed PING", "")
	case failed.Kind == Status && failed.Status < http.StatusMultipleChoices:
		return fmt.Sprintf("accepted a wrong signature: it answered %d instead of 401 to a PING with a wrong signature", failed.Status)
	case failed.Kind == Status:
		return failed.explain("a PING with a wrong signature", " instead of 401")
	}
	return failed.explain("a PING with a wrong signature", "")
}

// excerpt returns the beginning of a body as one line of printable text.
func excerpt(body []byte) string {
	text := strings.ToValidUTF8(string(body[:min(len(body), maxExcerpt)]), "")
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
}
