package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/world"
)

// devTokenOptions are the flags of the token for the dev controls.
type devTokenOptions struct {
	Token string `placeholder:"TOKEN" help:"Password with which other machines use the console and the dev controls. Default: a random one, if other machines can reach the service."`
}

// choose returns the token for a service with dev controls: that of the flag, a new one if other machines can reach one of the
// addresses, or none.
func (o devTokenOptions) choose(addresses ...string) (auth.Secret, error) {
	switch {
	case o.Token != "" && world.WeakSecret(o.Token):
		return "", usageError{errors.New("--dev-token: the token is too easy to guess. Leave the flag out for a random one")}
	case o.Token != "":
		return auth.Secret(o.Token), nil
	case slices.ContainsFunc(addresses, exposed):
		return auth.Secret(rand.Text()), nil
	}
	return "", nil
}

// exposed reports whether other machines may reach a listener on the address. An empty address is no listener.
func exposed(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return false // a wrong address has its own error
	}
	ip, err := netip.ParseAddr(host)
	return err != nil || !ip.Unmap().IsLoopback()
}

// warnDev warns if other machines can reach the dev controls.
func warnDev(ctx context.Context, log *slog.Logger, addresses ...string) {
	if slices.ContainsFunc(addresses, exposed) {
		log.WarnContext(ctx, "other machines can reach a service with dev controls: with the dev token they can do anything, so use a network that you trust",
			"addresses", addresses)
	}
}

// warnPlain warns if other machines reach the service over plain http. public is the URL of the service.
func warnPlain(ctx context.Context, log *slog.Logger, listen, tlsListen, public string) {
	switch {
	case !exposed(listen):
	case tlsListen != "":
		log.WarnContext(ctx, "--listen serves plain http to other machines beside --tls-listen: use a loopback address, such as 127.0.0.1:8080",
			"listen", listen)
	case !strings.HasPrefix(public, "https:"):
		log.WarnContext(ctx, "the service uses plain http on a network: tokens and cookies can be read on the way. "+
			"Use --tls-listen with a certificate, or a proxy with https and --public-url https://HOST: see docs/operations.md", "listen", listen)
	}
}
