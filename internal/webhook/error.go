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
)

// Kind says what became of a delivery that failed.
type Kind uint8

// The kinds of failures.
const (
	Timeout     Kind = iota + 1 // no answer by the deadline
	Connection                  // no connection, or it broke, or what came is not HTTP
	Status                      // the app answered with a status that is no answer
	TooLarge                    // headers or body exceed their bounds
	BadContent                  // the body is not what its status promises
	Blocked                     // the name leads to an address that may not be called
	BadURL                      // the URL itself may not be called
	Overloaded                  // too much is under way
	CircuitOpen                 // the endpoint kept failing and is given a pause
)

var kinds = [...]string{
	Timeout: "timeout", Connection: "connection", Status: "status", TooLarge: "too large", BadContent: "bad content",
	Blocked: "blocked address", BadURL: "bad url", Overloaded: "overloaded", CircuitOpen: "circuit open",
}

// String returns the word for the kind.
func (k Kind) String() string {
	if k == 0 || int(k) >= len(kinds) {
		return "unknown"
	}
	return kinds[k]
}

// ErrClosed is the error of deliveries that a closed Deliverer refuses or cuts off.
var ErrClosed = errors.New("webhook: closed")

// Error is a delivery that failed. It is made of fixed words: nothing that was sent or received is in it.
type Error struct {
	Kind   Kind
	Status int    // what the app answered; 0: nothing
	Detail string // what happened, in a few words
}

// Error says what happened.
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

// failing reports whether the endpoint is to blame in a way that others should be spared.
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

// explain puts what package net/http met into fixed words: its own can repeat what a server sent.
func explain(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return &Error{Kind: Connection, Detail: explainCertificate(e.Err)}
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && !e.IsTimeout {
		return &Error{Kind: Connection, Detail: "the name cannot be resolved"}
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return &Error{Kind: Timeout, Detail: "no connection in time"}
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return &Error{Kind: Connection, Detail: "the server does not speak TLS"}
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "remote error" { // how package crypto/tls names an alert
		return &Error{Kind: Connection, Detail: "the server ended TLS"}
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return &Error{Kind: Connection, Detail: "refused"}
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Kind: Connection, Detail: "closed before the answer was complete"}
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return &Error{Kind: Connection, Detail: "no route"}
	case headersTooLarge(err):
		return &Error{Kind: TooLarge, Detail: "headers"}
	}
	return &Error{Kind: Connection, Detail: "broken, or not HTTP"}
}

// headersTooLarge knows the error by its words, for want of a type.
func headersTooLarge(err error) bool {
	s := err.Error()
	return strings.Contains(s, "response headers exceeded") || strings.Contains(s, "response header list larger than")
}

func explainCertificate(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the certificate is signed by nobody who is trusted"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the certificate is for another name"
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return "the certificate is not valid at this time"
	}
	return "the certificate cannot be verified"
}
