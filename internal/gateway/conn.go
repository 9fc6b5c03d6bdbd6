package gateway

import (
	"context"
	"net/netip"
	"time"

	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/presence"
)

// conn is a client's connection and what the gateway knows about it.
type conn struct {
	session.Conn

	gateway *Gateway
	version int
	url     string            // the gateway's address for this client
	from    netip.Addr        // address of the client
	sends   ratelimit.Counter // used by the reading goroutine only
	shows   ratelimit.Counter // of presences; used by the reading goroutine only
	// identified says that the connection no longer counts as anonymous. It can be called more than once.
	identified func()
}

// newConn returns a connection that is not open yet.
func (g *Gateway) newConn() *conn {
	k := &conn{gateway: g}
	k.Pool = g.pool
	if g.Record != nil {
		k.Record = func(d socket.Direction, text []byte) { g.Record(k.Owner(), d, text) }
	}
	return k
}

// serve handles a connection until it ends. When it returns, the session can be resumed on another connection.
func (k *conn) serve(ctx context.Context) {
	k.SendText(hello(k.gateway.Settings.HeartbeatInterval))
	ended := k.Serve(ctx, k)
	k.identified()
	k.gateway.timeouts.remove(k)
	if s := k.Session(); s != nil {
		k.gateway.detach(s, &k.Conn, ended)
	}
}

// deadline implements timeout.
func (k *conn) deadline() time.Duration { return k.Deadline() }

// expire closes the connection of a silent client.
func (k *conn) expire() {
	if k.Session() == nil {
		k.Close(socket.ErrNotIdentified)
		return
	}
	k.Close(socket.ErrSilent)
}

// extendDeadline sets the time by which the client has to send something.
func (k *conn) extendDeadline(within time.Duration) { k.SetDeadline(k.gateway.elapsed() + within) }

// Allows counts a payload against the client's rate limit and reports whether it is allowed.
func (k *conn) Allows() bool {
	return k.sends.Take(k.gateway.Limits.Policy.Routes[ratelimit.GatewaySend], k.gateway.ExpiryClock.Now()).Allowed
}

// updatePresence handles Update Presence (op 3). It drops updates beyond the limit.
func (k *conn) updatePresence(s *session.Session, p *payload) error {
	var update presence.Update
	if err := p.read(&update); err != nil {
		return err
	}
	shown, err := update.Show(s.Kind == session.Bot, k.gateway.Clock.Now())
	if err != nil {
		return socket.ErrDecode
	}
	if k.shows.Take(k.gateway.Limits.Policy.Routes[ratelimit.GatewayPresence], k.gateway.ExpiryClock.Now()).Allowed {
		k.gateway.statuses.set(s, shown)
	}
	return nil
}

// Handle parses a payload and handles it.
func (k *conn) Handle(ctx context.Context, text []byte) error {
	p, err := readPayload(text)
	if err != nil {
		return err
	}
	return k.handle(ctx, &p)
}

// handle handles a payload.
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
		return k.acknowledge(ctx, q.Seq)
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
		return k.updatePresence(s, p)
	case opVoiceState:
		return k.updateVoice(ctx, s, p)
	case opSoundboard:
		return k.sendSounds(ctx, s, p)
	case opChannelInfo:
		return k.sendChannelInfo(ctx, s, p)
	default:
		return nil // the voice of lobbies and similar features are not supported
	}
}
