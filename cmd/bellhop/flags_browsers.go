package main

import (
	"fmt"
	"net"
	"slices"

	"github.com/bellhop/bellhop/internal/server"
)

// browserOptions are the flags that say under which host names the service answers, and which web pages may use it.
type browserOptions struct {
	AllowHost   []string `placeholder:"HOST" help:"Host name under which the service answers with dev controls, in addition to loopback hosts and those of --listen and --public-url. Can be repeated."`
	AllowOrigin []string `placeholder:"URL" help:"Origin of web pages that may use the gateway and the API, such as https://game.example. Can be repeated."`
}

// hosts returns the host names of --allow-host and of the flags that name a listener.
func (o browserOptions) hosts(listeners ...string) ([]string, error) {
	if err := server.CheckOrigins(o.AllowHost, nil); err != nil {
		return nil, usageError{fmt.Errorf("--allow-host: %w", err)}
	}
	if err := server.CheckOrigins(nil, o.AllowOrigin); err != nil {
		return nil, usageError{fmt.Errorf("--allow-origin: %w", err)}
	}
	hosts := slices.Clone(o.AllowHost)
	for _, address := range listeners {
		if host, _, err := net.SplitHostPort(address); err == nil && host != "" {
			hosts = append(hosts, host)
		}
	}
	return hosts, nil
}
