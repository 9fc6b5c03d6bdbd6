package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// DevGate guards the dev controls, the console of a service with dev controls, and the sign-in page that lists all users.
// Requests from this machine pass. Requests from other machines need the token, as the password of HTTP Basic authentication
// or in the cookie that the gate sets after it. A nil DevGate lets every request pass.
type DevGate struct {
	// Token is the token. If it is empty, no request from another machine passes.
	Token auth.Secret
	// Proxies are networks whose X-Forwarded-For is trusted, in addition to loopback addresses.
	Proxies []netip.Prefix
	// Base is the path of the host at which the service begins, as BasePath returns it.
	Base string
}

// devCookie is the name of the cookie with which a browser passes.
const devCookie = "bellhop-dev"

// devPrefixes are the beginnings of the paths of the guarded routes.
var devPrefixes = []string{"/_dev/", "/oauth2/signin"}

// loopback are the networks of this machine.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// guards reports whether the route is one of those that the gate guards.
func (g *DevGate) guards(r *boundRoute) bool {
	return g != nil && slices.ContainsFunc(devPrefixes, func(prefix string) bool { return strings.HasPrefix(r.Path, prefix) })
}

// Passes reports whether the request may pass. After a password it sets the cookie, because the console sends other
// credentials in the header Authorization. It asks for the password if it returns false.
func (g *DevGate) Passes(w http.ResponseWriter, r *http.Request) bool {
	if g == nil || g.isLocal(r) {
		return true
	}
	if cookie, err := r.Cookie(devCookie); err == nil && g.matches(cookie.Value, g.cookie()) {
		return true
	}
	if _, password, ok := r.BasicAuth(); ok && g.matches(password, g.Token.Reveal()) {
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // secure is false only when the service is served over plain http
			Name: devCookie, Value: g.cookie(), Path: g.Base + "/", HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
		})
		return true
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="bellhop dev: the password is the dev token"`)
	return false
}

// Refuse answers a request that does not pass and that no route serves.
func (g *DevGate) Refuse(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write([]byte(otherMachines + "\n")) // fails when the client is gone
}

// matches compares a text of a request with a secret.
func (g *DevGate) matches(got, want string) bool {
	return g.Token != "" && subtle.ConstantTimeCompare([]byte(got), []byte(want)) == 1
}

// cookie returns the value of the cookie, which does not reveal the token.
func (g *DevGate) cookie() string {
	sum := sha256.Sum256([]byte(devCookie + "\x00" + g.Token.Reveal()))
	return hex.EncodeToString(sum[:])
}

// isLocal reports whether the request comes from this machine: from a loopback address, or from the address that it was sent to.
// A proxy on this machine does not make it local.
func (g *DevGate) isLocal(r *http.Request) bool {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	trusted := append(slices.Clip(loopback), g.Proxies...)
	from := ratelimit.ClientAddr(remote, strings.Join(r.Header.Values("X-Forwarded-For"), ","), trusted)
	if from.IsLoopback() {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	on, err := netip.ParseAddrPort(local.String())
	return err == nil && len(r.Header["X-Forwarded-For"]) == 0 && on.Addr().Unmap().WithZone("") == from
}
