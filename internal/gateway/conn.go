package gateway

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// conn is a client's connection. What its client sends is handled on the goroutine that reads it.
type conn struct {
	socket.Socket

	gateway *Gateway
	version int
	url     string            // of the gateway, as this client should call it again
	sends   ratelimit.Counter // of the reading goroutine

	due     atomic.Int64 // when its client has been silent for too long, in nanoseconds of the gateway's time
	session atomic.Pointer[session]
}

// newConn returns a connection that is yet to be opened.
func (g *Gateway) newConn() *conn {
	k := &conn{gateway: g, Socket: socket.Socket{Pool: g.pool}}
	if g.Record != nil {
		k.Record = func(way socket.Direction, text []byte) { g.Record(k.who(), way, text) }
	}
	return k
}

// who returns whose connection it is.
func (k *conn) who() Who {
	if s := k.session.Load(); s != nil {
		return s.Who
	}
	return Who{}
}

// serve talks with a client until the connection ends. When it returns, its session is free for another one.
func (k *conn) serve(ctx context.Context) {
	k.Say(hello(k.gateway.Settings.Interval))
	over := k.Serve(ctx, k)
	k.gateway.wheel.drop(k)
	if s := k.session.Load(); s != nil {
		k.gateway.detach(s, k, over)
	}
}

// dueAt and run are what the wheel asks: a silent client is closed.
func (k *conn) dueAt() int64 { return k.due.Load() }

func (k *conn) run() {
	if k.session.Load() == nil {
		k.Close(socket.ErrNotIdentified)
		return
	}
	k.Close(socket.ErrSilent)
}

// heard puts the moment off at which the client is given up.
func (k *conn) heard(within time.Duration) {
	k.due.Store(k.gateway.now().Add(within).UnixNano())
}

// Allows counts a payload that the client sends and reports whether it may.
func (k *conn) Allows() bool {
	return k.sends.Take(k.gateway.Limits.Policy.Routes[ratelimit.GatewaySend], k.gateway.now()).Allowed
}

// Handle does what a payload asks.
func (k *conn) Handle(ctx context.Context, text []byte) error {
	p, err := readPayload(text)
	if err != nil {
		return err
	}
	return k.handle(ctx, &p)
}

func (k *conn) handle(ctx context.Context, p *payload) error {
	s := k.session.Load()
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
