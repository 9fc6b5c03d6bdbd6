package conformance

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/bellhop/bellhop/snowflake"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// gatewayTime bounds how long a check waits for the gateway.
const gatewayTime = 20 * time.Second

// connectAndBreak connects a client of a user to the gateway, waits for READY, and breaks the connection without a close
// code.
func connectAndBreak(p *probe, user string) {
	id, err := snowflake.Parse[snowflake.User](user)
	if err != nil {
		p.fail("%q is not a user: %v", user, err)
	}
	token, err := p.bot.Dev().MintToken(p.ctx, p.Application, id, "identify", "gateway.connect", "lobbies.write")
	if err != nil {
		p.fail("no token for the gateway: %v", err)
	}
	address := text(p.object(p.send(http.MethodGet, "/gateway", nil))["url"])
	ctx, cancel := context.WithTimeout(p.ctx, gatewayTime)
	defer cancel()
	conn, early, _, err := ws.Dial(ctx, strings.TrimSuffix(address, "/")+"/?v=10&encoding=json")
	if err != nil {
		p.fail("the gateway at %q does not answer: %v", address, err)
	}
	defer conn.Close()
	var stream io.ReadWriter = conn
	if early != nil { // it has the payloads that arrived with the response to the upgrade
		stream = struct {
			io.Reader
			io.Writer
		}{early, conn}
	}
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline) // a network connection has deadlines
	}
	identify := `{"op":2,"d":{"token":"Bearer ` + token.AccessToken + `","properties":{}}}`
	if err := wsutil.WriteClientText(conn, []byte(identify)); err != nil {
		p.fail("identify: %v", err)
	}
	for {
		payload, err := wsutil.ReadServerText(stream)
		if err != nil {
			p.fail("the gateway sends no READY: %v", err)
		}
		if strings.Contains(string(payload), `"t":"READY"`) {
			return
		}
	}
}

// pause waits, unless the check ends before.
func (p *probe) pause(d time.Duration) {
	select {
	case <-p.ctx.Done():
		p.fail("the check was cancelled")
	case <-time.After(d):
	}
}
