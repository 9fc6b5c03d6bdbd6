package oauthserver

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// MatchRedirect reports whether a redirect URI is one of those that are registered: to the letter, but for the port of
// one that is registered with a loopback address and no port. Programs on a person's machine listen where there is room.
func MatchRedirect(registered []string, uri string) bool {
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

// withoutPort returns a loopback URI without its port, and false for one that has none or is no plain loopback URI.
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

// isCustom reports whether a redirect URI leads to a program and not to a page: its scheme can be claimed by any program.
func isCustom(uri string) bool {
	return !strings.HasPrefix(uri, "https:") && !strings.HasPrefix(uri, "http:")
}

// pair is a parameter that is put behind a redirect URI.
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

// encode writes parameters in the order in which they are given.
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
