package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Kind is the reason why a delivery failed.
type Kind uint8

// The reasons.
const (
	Timeout     Kind = iota + 1 // no answer by the deadline
	Connection                  // no connection, a broken connection, or a response that is not HTTP
	Status                      // a status other than 200 and 202
	TooLarge                    // headers or body exceed their limits
	BadContent                  // the body does not fit the status or the content type
	Blocked                     // the name has an address that the policy forbids
	BadURL                      // the policy forbids the URL
	Overloaded                  // too many deliveries are under way
	CircuitOpen                 // the endpoint kept failing and deliveries to it are paused
)

var kinds = [...]string{
	Timeout: "timeout", Connection: "connection", Status: "status", TooLarge: "too large", BadContent: "bad content",
	Blocked: "blocked address", BadURL: "bad url", Overloaded: "overloaded", CircuitOpen: "circuit open",
}

// String returns the name of the kind.
func (k Kind) String() string {
	if k == 0 || int(k) >= len(kinds) {
		return "unknown"
	}
	return kinds[k]
}

// ErrClosed is returned by deliveries that a closed Deliverer refuses or cancels.
var ErrClosed = errors.New("webhook: closed")

// ErrDeadline is the cause with which a caller cancels a delivery whose deadline has passed on another clock. The
// delivery then fails with the kind Timeout.
var ErrDeadline = errors.New("webhook: deadline")

// Error is a delivery that failed. The text of Error is made of fixed words and contains nothing that was sent or
// received. Explain also contains the excerpt, for the developer of the app.
type Error struct {
	Kind    Kind
	Status  int           // the HTTP status; 0: there was no response
	Detail  string        // a short explanation
	Took    time.Duration // until the failure
	Excerpt string        // the beginning of the body of the answer; empty unless the policy has Excerpts
	Request uint64        // id of the delivery in the traffic log; 0: it is not recorded
}

// Error returns the kind, the status and the detail.
func (e *Error) Error() string {
	s := "webhook: " + e.Kind.String()
	if e.Status != 0 {
		s += " " + strconv.Itoa(e.Status)
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// GoString returns the same text as Error, so that %#v shows no excerpt either.
func (e *Error) GoString() string { return e.Error() }

// failing reports whether the error counts as a failure of the endpoint.
func (e *Error) failing() bool {
	switch e.Kind {
	case Timeout, Connection, TooLarge, Blocked:
		return true
	case Status:
		return e.Status == 429 || e.Status >= 500
	default:
		return false
	}
}

// explain converts an error of net/http into an *Error with fixed words. The original text can contain what a server
// sent.
func explain(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return &Error{Kind: Connection, Detail: "TLS: " + explainCertificate(e.Err)}
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && !e.IsTimeout {
		return &Error{Kind: Connection, Detail: "the host name cannot be resolved"}
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return &Error{Kind: Timeout, Detail: "no connection in time"}
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return &Error{Kind: Connection, Detail: "TLS: the server does not speak TLS"}
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "remote error" { // an alert of crypto/tls
		return &Error{Kind: Connection, Detail: "TLS: the server sent an alert"}
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return &Error{Kind: Connection, Detail: "connection refused"}
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Kind: Connection, Detail: "connection closed before the answer was complete"}
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return &Error{Kind: Connection, Detail: "no route to the host"}
	case headersTooLarge(err):
		return &Error{Kind: TooLarge, Detail: "headers that are too large"}
	}
	return &Error{Kind: Connection, Detail: "connection broken, or the response is not HTTP"}
}

// headersTooLarge recognizes the error by its text, because it has no type.
func headersTooLarge(err error) bool {
	s := err.Error()
	return strings.Contains(s, "response headers exceeded") || strings.Contains(s, "response header list larger than")
}

func explainCertificate(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the certificate authority is not trusted"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the certificate is for another name"
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return "the certificate is not valid at this time"
	}
	return "the certificate cannot be verified"
}
