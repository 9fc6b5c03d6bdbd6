package webhook

import (
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/rules/interaction"
)

// MaxURL is the maximum length of an endpoint URL in bytes.
const MaxURL = 2048

// Policy says which addresses may be called, and holds the limits of deliveries. [Production] and [Development] return
// complete policies.
type Policy struct {
	// PlainHTTP allows http URLs in addition to https.
	PlainHTTP bool
	// Allow lists networks that may be called although they are not public. Deny lists networks that may never be
	// called.
	Allow, Deny []netip.Prefix
	// MaxAnswer and MaxHeader are the maximum sizes of the body and the headers of an answer, in bytes.
	MaxAnswer, MaxHeader int
	// AnswerMemory is the maximum memory in bytes of all large answers that are being read. One application can use a
	// quarter of it.
	AnswerMemory int
	// All and PerApplication are the maximum numbers of deliveries under way.
	All, PerApplication int
	// Connect limits the time to resolve the name and connect. It also limits the TLS handshake.
	Connect time.Duration
	// Idle is the time for which an unused connection is kept. It should be shorter than the server's own idle timeout.
	// Otherwise a delivery can fail because the server closes the connection at the same time.
	Idle    time.Duration
	Circuit CircuitRule
	// Excerpts adds the beginning of failed answers to errors. It is for development: an app could use it to read what
	// servers in an allowed network answer.
	Excerpts bool
}

// CircuitRule says when deliveries to a failing endpoint are paused, and for how long.
type CircuitRule struct {
	Failures int           // consecutive failures that start a pause; 0: never pause
	First    time.Duration // the first pause; each further pause is twice as long
	Longest  time.Duration // the longest pause
	Most     int           // the maximum number of failing endpoints that are tracked
}

// Production returns the default policy of a production server.
func Production() Policy {
	return Policy{
		MaxAnswer:    25 << 20, // two files of the maximum size, and the JSON
		MaxHeader:    64 << 10,
		AnswerMemory: 256 << 20,
		All:          4096, PerApplication: 256,
		Connect: interaction.Deadline,
		Idle:    4 * time.Second, // many Node and Python servers close idle connections after 5 s
		Circuit: CircuitRule{Failures: 5, First: time.Second, Longest: time.Minute, Most: 4096},
	}
}

// Development returns a policy that also allows plain HTTP and the developer's own network, and that pauses failing
// endpoints only for a short time.
func Development() Policy {
	p := Production()
	p.PlainHTTP, p.Allow, p.Excerpts = true, localNetworks(), true
	p.Circuit.Longest = 2 * time.Second
	return p
}

// Private returns the policy for addresses that an operator names: like Production, with plain HTTP and private networks.
func Private() Policy {
	p := Production()
	p.PlainHTTP, p.Allow = true, localNetworks()
	return p
}

// CheckURL returns an *[Error] if a URL is not allowed by Production or, with private, by Private.
func CheckURL(raw string, private bool) error {
	p := Production()
	if private {
		p = Private()
	}
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
		return nil, badURL("not a URL") // the text of err contains the URL
	case u.Scheme != "https" && (u.Scheme != "http" || !p.PlainHTTP):
		return nil, badURL("scheme is not allowed")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, badURL("no host")
	case u.User != nil:
		return nil, badURL("has a user or a password")
	case u.Fragment != "":
		return nil, badURL("has a fragment")
	case !allowedPort(u.Port()):
		return nil, badURL("port is not allowed")
	}
	return u, nil
}

func badURL(why string) *Error { return &Error{Kind: BadURL, Detail: why} }

// allowedPort reports whether a port is 80, 443, or above the range of system services. An empty port is allowed.
func allowedPort(s string) bool {
	if s == "" || s == "80" || s == "443" {
		return true
	}
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n >= 1024
}

// permits reports whether the policy allows an address.
func (p *Policy) permits(a netip.Addr) bool {
	plain := embeddedIPv4(a)
	if containsAny(p.Deny, plain) || containsAny(p.Deny, a) {
		return false
	}
	_, special := Reserved(a)
	return !special || containsAny(p.Allow, plain)
}

// containsAny reports whether one of the networks contains the address. No network contains an address with a zone.
func containsAny(networks []netip.Prefix, a netip.Addr) bool {
	for _, n := range networks {
		if n.Contains(a) {
			return true
		}
	}
	return false
}
