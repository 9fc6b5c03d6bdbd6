package api

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Origins says under which host names the service answers, and which web pages may change its state. The zero value
// answers under every host name, and serves only its own pages.
type Origins struct {
	// hosts are the host names that ServesHost accepts, in addition to loopback hosts and the address of the connection.
	hosts []string
	pages http.CrossOriginProtection
}

// NewOrigins returns the origins for a list of host names, and of web pages such as https://game.example:8443.
func NewOrigins(hosts, pages []string) (*Origins, error) {
	o := &Origins{}
	for _, text := range hosts {
		host, ok := parseHost(text)
		if !ok {
			return nil, fmt.Errorf("%q is not a host name", text)
		}
		o.hosts = append(o.hosts, host)
	}
	for _, page := range pages {
		if err := o.pages.AddTrustedOrigin(page); err != nil {
			return nil, fmt.Errorf("%q is not an origin such as https://game.example", page)
		}
	}
	return o, nil
}

// ServesHost reports whether the Host header of a request names a loopback host, the address of the connection, or a
// listed host. With dev controls the service refuses all others. Otherwise a web page could reach a service on loopback
// through a name of its own that resolves to 127.0.0.1 (DNS rebinding): the browser would take it for the page's host.
func (o *Origins) ServesHost(r *http.Request) bool {
	host, ok := parseHost(r.Host)
	if !ok {
		return false
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(o.hosts, host) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	ip = ip.Unmap()
	if ip.IsLoopback() {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	on, err := netip.ParseAddrPort(local.String())
	return err == nil && on.Addr().Unmap().WithZone("") == ip
}

// parseHost returns the host of a Host header in lower case, without the port, the brackets of an IPv6 address and the
// dot at the end of a name. It returns false if the text is neither a name nor an IP address.
func parseHost(text string) (string, bool) {
	host := text
	if name, port, err := net.SplitHostPort(text); err == nil {
		if strings.Trim(port, "0123456789") != "" {
			return "", false
		}
		host = name
	} else if inner, ok := strings.CutPrefix(text, "["); ok {
		if host, ok = strings.CutSuffix(inner, "]"); !ok {
			return "", false
		}
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.WithZone("").String(), ip.Zone() == ""
	}
	isName := host != "" && len(host) <= 253 && strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-._") == ""
	return host, isName
}

// checkOrigin returns errOtherOrigin if a page of another origin sent a request that changes something or opens a
// WebSocket. Programs send neither Origin nor Sec-Fetch-Site. The pages of OAuth2 make their own checks, and its clients
// prove who they are with every request.
func (h *handler) checkOrigin(c *Call) error {
	r := c.Request
	if c.route.Allow == Browsers || c.route.Allow == Clients {
		return nil
	}
	if isUpgrade(r) {
		asPost := *r
		asPost.Method = http.MethodPost
		r = &asPost
	}
	if h.Origins.pages.Check(r) != nil {
		return errOtherOrigin
	}
	return nil
}

// FromOwnPage reports whether no page of another origin sent a request that changes something. Routes that accept a cookie
// check it: unlike a token in a header, the browser adds a cookie to the requests of pages that --allow-origin names too.
func FromOwnPage(r *http.Request) bool {
	var own http.CrossOriginProtection
	return own.Check(r) == nil
}

// BasePath returns the path of the URL of the service, without a slash at its end. It is empty unless the service is below a path of its host.
func BasePath(public string) string {
	u, err := url.Parse(public)
	if err != nil || strings.Trim(u.Path, "/") == "" {
		return ""
	}
	return "/" + strings.Trim(u.EscapedPath(), "/")
}

// CookiePath returns the path of the cookies of a service with a URL. Over https their names begin with __Host-, which requires "/".
func CookiePath(public string) string {
	if strings.HasPrefix(public, "https:") {
		return "/"
	}
	return BasePath(public) + "/"
}

// isUpgrade reports whether a request asks for another protocol, such as WebSocket.
func isUpgrade(r *http.Request) bool { return len(r.Header["Upgrade"]) > 0 }
