package authorization

import (
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Redirect is a way to receive the redirect of the server during a sign-in.
type Redirect int

const (
	// RedirectAuto uses a deep link when the record has a custom scheme, and on Android and iOS. Otherwise it uses a
	// listener.
	RedirectAuto Redirect = iota
	// RedirectLoopback uses a listener on 127.0.0.1. The application registers http://127.0.0.1/callback.
	RedirectLoopback
	// RedirectScheme uses a deep link, which the program passes to HandleRedirect. The application registers
	// <scheme>:/authorize/callback, and the record needs a code challenge.
	RedirectScheme
)

const (
	defaultSchemePrefix = "discord-"
	schemePath          = "/authorize/callback"
)

// schemeForm is the grammar of a scheme (RFC 3986).
var schemeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// webSchemes are the schemes that a browser handles itself and does not pass to a program.
var webSchemes = []string{"http", "https", "ws", "wss", "file", "data", "blob", "about", "javascript"}

// usesScheme reports whether the sign-in uses a deep link.
func (c *Client) usesScheme(a Args) bool {
	switch c.Redirect {
	case RedirectLoopback:
		return false
	case RedirectScheme:
		return true
	default:
		_, named := a.CustomSchemeParam()
		return named || runtime.GOOS == "android" || runtime.GOOS == "ios"
	}
}

// deepLink returns the redirect URI with the record's scheme, or with the client's scheme when the record has none.
func (c *Client) deepLink(a Args, clientID uint64) (string, error) {
	scheme, named := a.CustomSchemeParam()
	if !named {
		prefix := c.SchemePrefix
		if prefix == "" {
			prefix = defaultSchemePrefix
		}
		scheme = prefix + strconv.FormatUint(clientID, 10)
	}
	if !schemeForm.MatchString(scheme) || slices.Contains(webSchemes, strings.ToLower(scheme)) {
		return "", invalid(opAuthorize, "the custom scheme is not valid for a deep link")
	}
	return scheme + ":" + schemePath, nil
}

// matchesLink reports whether u equals link, apart from the query.
func matchesLink(u *url.URL, link string) bool {
	return u.Host == "" && u.User == nil && u.Fragment == "" && u.Path == schemePath &&
		strings.EqualFold(u.Scheme+":"+schemePath, link)
}
