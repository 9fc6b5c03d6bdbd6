package gateway

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// conn is a client's connection, and whom its client talks with.
type conn struct {
	session.Link

	gateway *Gateway
	version int
	url     string            // of the gateway, as this client should call it again
	sends   ratelimit.Counter // of the reading goroutine
}

// newConn returns a connection that is yet to be opened.
func (g *Gateway) newConn() *conn {
	k := &conn{gateway: g}
	k.Pool = g.pool
	if g.Record != nil {
		k.Record = func(way socket.Direction, text []byte) { g.Record(k.Who(), way, text) }
	}
	return k
}

// serve talks with a client until the connection ends. When it returns, its session is free for another one.
func (k *conn) serve(ctx context.Context) {
	k.Say(hello(k.gateway.Settings.Interval))
	over := k.Serve(ctx, k)
	k.gateway.wheel.drop(k)
	if s := k.Session(); s != nil {
		k.gateway.detach(s, &k.Link, over)
	}
}

// dueAt and run are what the wheel asks: a silent client is closed.
func (k *conn) dueAt() int64 { return k.Due() }

func (k *conn) run() {
	if k.Session() == nil {
		k.Close(socket.ErrNotIdentified)
		return
	}
	k.Close(socket.ErrSilent)
}

// heard puts the moment off at which the client is given up.
func (k *conn) heard(within time.Duration) { k.Await(k.gateway.now().Add(within)) }

// Allows counts a payload that the client sends and reports whether it may.
func (k *conn) Allows() bool {
	return k.sends.Take(k.gateway.Limits.Policy.Routes[ratelimit.GatewaySend], k.gateway.now()).Allowed
}

// Handle reads a payload and does what it asks.
func (k *conn) Handle(ctx context.Context, text []byte) error {
	p, err := readPayload(text)
	if err != nil {
		return err
	}
	return k.handle(ctx, &p)
}

// handle does what a payload asks.
func (k *conn) handle(ctx context.Context, p *payload) error {
	s := k.Session()
	switch *p.Op {
	case opHeartbeat:
		return k.heartbeat(ctx, p.D)
	case opQoSHeartbeat:
		var q struct {
			Seq *uint64 `json:"seq"`
		}
		if err := p.read(&q); err != nil {
			return err
		}
		return k.beat(ctx, q.Seq)
	case opIdentify:
		if s != nil {
			return socket.ErrIdentified
		}
		return k.identify(ctx, p)
	case opResume:
		if s != nil {
			return socket.ErrIdentified
		}
		return k.resume(ctx, p)
	case opPresence, opVoiceState, opRequestMembers, opLobbyVoice, opSoundboard, opTimeSpent, opLobbyVoiceAsk, opChannelInfo:
		if s == nil {
			return socket.ErrNotIdentified
		}
	case opDispatch, opReconnect, opInvalidSession, opHello, opHeartbeatACK:
		return socket.ErrOpcode
	default:
		return socket.ErrOpcode
	}
	switch *p.Op {
	case opRequestMembers:
		return k.requestMembers(ctx, s, p)
	case opPresence:
		var presence struct{}
		return p.read(&presence) // nobody is shown it
	default:
		return nil // voice and the like are not served
	}
}
