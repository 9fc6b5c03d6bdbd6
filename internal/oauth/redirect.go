package oauth

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// matchRedirect reports whether a redirect URI is registered. URIs are compared exactly, with one exception: a loopback
// address that is registered without a port matches every port, because native apps listen on any free port.
func matchRedirect(registered []string, uri string) bool {
	if uri == "" || strings.Contains(uri, "#") {
		return false
	}
	if slices.Contains(registered, uri) {
		return true
	}
	bare, ok := withoutPort(uri)
	return ok && slices.ContainsFunc(registered, func(r string) bool {
		_, hasPort := withoutPort(r)
		return !hasPort && r == bare
	})
}

// withoutPort returns a loopback URI without its port. It returns false for a URI without a port and for other URIs.
func withoutPort(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" || u.Port() == "" || u.User != nil {
		return "", false
	}
	address, err := netip.ParseAddr(u.Hostname())
	if err != nil || !address.IsLoopback() {
		return "", false
	}
	bare := strings.Replace(uri, u.Host, strings.TrimSuffix(u.Host, ":"+u.Port()), 1)
	return bare, true
}

// isCustom reports whether a redirect URI has a custom scheme. Any program on a device can register such a scheme.
func isCustom(uri string) bool {
	return !strings.HasPrefix(uri, "https:") && !strings.HasPrefix(uri, "http:")
}

// pair is a parameter of a redirect URL.
type pair struct{ name, value string }

// withQuery adds parameters to the query of a URI.
func withQuery(uri string, pairs []pair) string {
	separator := "?"
	if strings.Contains(uri, "?") {
		separator = "&"
	}
	if strings.HasSuffix(uri, "?") || strings.HasSuffix(uri, "&") {
		separator = ""
	}
	return uri + separator + encode(pairs)
}

// encode returns encoded parameters in the given order.
func encode(pairs []pair) string {
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p.name + "=" + url.QueryEscape(p.value))
	}
	return b.String()
}
