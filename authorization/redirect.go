package authorization

import (
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Redirect is the way the browser comes back from a sign-in.
type Redirect int

const (
	// RedirectAuto takes a deep link when the record names a scheme, and on Android and iOS. Everywhere else it takes
	// the listener.
	RedirectAuto Redirect = iota
	// RedirectLoopback takes a listener on 127.0.0.1. The application registers http://127.0.0.1/callback.
	RedirectLoopback
	// RedirectScheme takes a deep link, which the program hands to HandleRedirect. The application registers
	// <scheme>:/authorize/callback, and the record needs a code challenge.
	RedirectScheme
)

const (
	defaultSchemePrefix = "discord-"
	schemePath          = "/authorize/callback"
)

// schemeForm is the grammar of RFC 3986.
var schemeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// webSchemes belong to the browser: it would never hand their addresses to a program.
var webSchemes = []string{"http", "https", "ws", "wss", "file", "data", "blob", "about", "javascript"}

// usesScheme reports whether the browser comes back by a deep link.
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

// deepLink returns the redirect URI for the record's scheme, or for the client's own.
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
		return "", invalid(opAuthorize, "the custom scheme cannot name a program")
	}
	return scheme + ":" + schemePath, nil
}

// matchesLink reports whether u is link with a query.
func matchesLink(u *url.URL, link string) bool {
	return u.Host == "" && u.User == nil && u.Fragment == "" && u.Path == schemePath &&
		strings.EqualFold(u.Scheme+":"+schemePath, link)
}
