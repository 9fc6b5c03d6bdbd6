package remote

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// CheckEncrypted returns an error for a URL to which a token would be sent in plain text over a network.
func CheckEncrypted(base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return err
	}
	address, err := netip.ParseAddr(u.Hostname())
	loopback := u.Hostname() == "localhost" || err == nil && address.IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback) {
		return fmt.Errorf("%s would get the token without encryption: use https, or a loopback address", u.Redacted())
	}
	return nil
}

// NewClient returns an HTTP client that names the program and its version. Services may refuse requests of bots without a name.
func NewClient(version string) *http.Client { return &http.Client{Transport: namedTransport(version)} }

// namedTransport sets the User-Agent header in the format that Discord asks for. Its text is the version of the program.
type namedTransport string

// RoundTrip sends a request.
func (v namedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", "DiscordBot (https://github.com/bellhop/bellhop, "+strings.ReplaceAll(string(v), " ", "-")+")")
	return http.DefaultTransport.RoundTrip(r)
}
