package webhook

import (
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/interaction"
)

// MaxURL is how many bytes the URL of an endpoint may have.
const MaxURL = 2048

// Policy says whom the service calls and what it bears. [Production] and [Development] return whole ones.
type Policy struct {
	// PlainHTTP lets URLs be http too.
	PlainHTTP bool
	// Allow names networks that may be called though they are not public, Deny those that may not in any case.
	Allow, Deny []netip.Prefix
	// MaxAnswer is how many bytes the body of an answer may have, MaxHeader how many its headers.
	MaxAnswer, MaxHeader int
	// AnswerMemory is how many bytes the large answers that are being read may take together. One application may take a
	// quarter of it.
	AnswerMemory int
	// All and PerApplication are how many deliveries may be under way at once.
	All, PerApplication int
	// Connect is how long finding and reaching a server may take, and again the TLS handshake.
	Connect time.Duration
	// Idle is how long a connection is kept without use. When it is longer than the server's own patience, deliveries
	// fail now and then for reaching a connection that is just being closed.
	Idle    time.Duration
	Circuit CircuitRule
}

// CircuitRule says when an endpoint that keeps failing is taken off, and for how long.
type CircuitRule struct {
	Failures int           // in a row; 0: never
	First    time.Duration // the first pause; every further one is twice as long
	Longest  time.Duration
	Most     int // failing endpoints that are remembered
}

// Production returns the shipped policy.
func Production() Policy {
	return Policy{
		MaxAnswer:    25 << 20, // two files of the largest size and what goes beside them
		MaxHeader:    64 << 10,
		AnswerMemory: 256 << 20,
		All:          4096, PerApplication: 256,
		Connect: interaction.Deadline,
		Idle:    4 * time.Second, // many servers for Node and Python close after five
		Circuit: CircuitRule{Failures: 5, First: time.Second, Longest: time.Minute, Most: 4096},
	}
}

// Development returns a policy that also calls plain HTTP and the developer's own network, and that soon tries again
// what failed.
func Development() Policy {
	p := Production()
	p.PlainHTTP, p.Allow = true, LocalNetworks()
	p.Circuit.Longest = 2 * time.Second
	return p
}

// CheckURL says what is wrong with the URL of an endpoint, as far as that shows without asking for its name. An error
// is an *[Error] of kind [BadURL].
func (p *Policy) CheckURL(raw string) error {
	_, err := p.parse(raw)
	return err
}

func (p *Policy) parse(raw string) (*url.URL, error) {
	if len(raw) > MaxURL {
		return nil, badURL("too long")
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, badURL("not a URL") // what package url says repeats the URL
	case u.Scheme != "https" && (u.Scheme != "http" || !p.PlainHTTP):
		return nil, badURL("scheme is not allowed")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, badURL("no host")
	case u.User != nil:
		return nil, badURL("has a user or a password")
	case u.Fragment != "":
		return nil, badURL("has a fragment")
	case !sanePort(u.Port()):
		return nil, badURL("port is not allowed")
	}
	return u, nil
}

func badURL(why string) *Error { return &Error{Kind: BadURL, Detail: why} }

// sanePort reports whether a port is one that web servers are found on: the two of their own, or one that no system
// service has.
func sanePort(s string) bool {
	if s == "" || s == "80" || s == "443" {
		return true
	}
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n >= 1024
}

// permits reports whether an address may be called.
func (p *Policy) permits(a netip.Addr) bool {
	plain := meant(a)
	if within(p.Deny, plain) || within(p.Deny, a) {
		return false
	}
	_, special := Reserved(a)
	return !special || within(p.Allow, plain)
}

// within reports whether one of the networks has an address. An address with a zone is in none.
func within(networks []netip.Prefix, a netip.Addr) bool {
	for _, n := range networks {
		if n.Contains(a) {
			return true
		}
	}
	return false
}
