package server

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/idp"
)

// playerTokens returns the checks of the ID tokens of players. They use the clock of the service, so that a test can let a token
// expire.
func playerTokens(now clock.Clock, dev bool) *idp.PlayerTokens {
	return &idp.PlayerTokens{Clock: now, Local: dev, HTTP: &http.Client{
		Timeout:       upstreamTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}
