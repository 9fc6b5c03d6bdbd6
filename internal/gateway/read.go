package gateway

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// readBuffer holds a heartbeat; larger payloads are read past it.
const readBuffer = 256

// errGoodbye says that the client has closed the connection.
type errGoodbye struct{ code ws.StatusCode }

func (e errGoodbye) Error() string { return fmt.Sprintf("client closed %d", e.code) }

// serve talks with a client until the connection ends. When it returns, nothing reads the socket any more and its
// session is free for another one.
func (k *socket) serve(ctx context.Context, from io.Reader) {
	k.say(hello(k.gateway.Settings.Interval))
	err := k.read(ctx, from)
	if !isGoodbye(err) && !k.closed() {
		k.gateway.Log.DebugContext(ctx, "connection ended", "err", err)
	}
	k.leave(err)
}

func isGoodbye(err error) bool {
	_, ok := errors.AsType[errGoodbye](err)
	return ok
}

// leave gives the session up and the connection with it.
func (k *socket) leave(err error) {
	over := k.isOver(err)
	k.kill()
	k.gateway.wheel.drop(k)
	if s := k.session.Load(); s != nil {
		k.gateway.detach(s, k, over)
	}
}

// isOver reports whether the session ends with the connection: the client said that it will not come back. What a client
// echoes that was closed says nothing.
func (k *socket) isOver(err error) bool {
	if k.closed() {
		return false
	}
	bye, ok := errors.AsType[errGoodbye](err)
	return ok && (bye.code == ws.StatusNormalClosure || bye.code == ws.StatusGoingAway)
}

// read handles payloads until the connection ends.
func (k *socket) read(ctx context.Context, from io.Reader) error {
	r := wsutil.Reader{
		Source: bufio.NewReaderSize(from, readBuffer), State: ws.StateServerSide,
		MaxFrameSize: int64(k.gateway.Settings.MaxPayload), OnIntermediate: k.control,
	}
	for {
		h, err := r.NextFrame()
		switch {
		case err != nil:
		case h.OpCode.IsControl():
			err = k.controlAlone(h, &r)
		default:
			err = k.data(ctx, &r)
		}
		if c := misframed(err); c != nil {
			k.close(c)
			return k.await(from)
		}
		if err != nil {
			return err
		}
	}
}

// data handles a frame with a payload, or the first of several. A client that does something wrong is closed and then
// only listened to until it goes.
func (k *socket) data(ctx context.Context, r *wsutil.Reader) error {
	err := k.message(ctx, r)
	if errors.Is(err, errGone) || isGoodbye(err) {
		return err
	}
	if err != nil {
		if c := toClosing(err); c == errUnknown {
			k.gateway.Log.ErrorContext(ctx, "payload failed", "err", err)
		}
		k.close(toClosing(err))
	}
	if k.closed() {
		return r.Discard()
	}
	return nil
}

// controlAlone handles a control frame that does not stand between the parts of a payload.
func (k *socket) controlAlone(h ws.Header, r *wsutil.Reader) error {
	if err := k.control(h, r); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, r)
	if errors.Is(err, wsutil.ErrNoFrameAdvance) {
		return nil
	}
	return err
}

// misframed returns how a client is closed whose frames cannot be followed any further, nil for one whose connection ended.
func misframed(err error) *closing {
	_, breach := errors.AsType[ws.ProtocolError](err)
	switch {
	case errors.Is(err, wsutil.ErrFrameTooLarge):
		return errDecode
	case breach, errors.Is(err, ws.ErrHeaderLengthMSB), errors.Is(err, ws.ErrHeaderLengthUnexpected):
		return errProtocol
	default:
		return nil
	}
}

// await reads past what a closed client still sends, until it ends or its time is over.
func (k *socket) await(from io.Reader) error {
	_, err := io.Copy(io.Discard, from)
	if err == nil {
		err = io.EOF
	}
	return err
}

// message reads one payload and does what it asks.
func (k *socket) message(ctx context.Context, r io.Reader) error {
	buf := k.gateway.buffers.Get().(*[]byte)
	defer k.gateway.buffers.Put(buf)
	n, err := io.ReadFull(r, *buf)
	switch {
	case err == nil: // one byte more than there may be
		err = errDecode
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		err = nil
	default:
		return fmt.Errorf("%w: %w", errGone, err)
	}
	if k.closed() {
		return nil
	}
	if !k.sends.Take(k.gateway.Limits.Policy.Routes[ratelimit.GatewaySend], k.gateway.now()).Allowed {
		return errTooMany
	}
	if err != nil {
		return err
	}
	if k.gateway.Record != nil {
		k.gateway.Record(k.who(), Received, append([]byte(nil), (*buf)[:n]...))
	}
	return k.apart(func() error {
		p, err := readPayload((*buf)[:n])
		if err != nil {
			return err
		}
		return k.handle(ctx, &p)
	})
}

// apart does something on a stack of its own and waits for it. The goroutine that reads spends its life waiting, with a
// stack as large as it ever was: it does nothing that needs a large one.
func (k *socket) apart(do func() error) (err error) {
	done := make(chan struct{})
	k.gateway.workers.Go(func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		err = do()
	})
	<-done
	return err
}

// control answers pings and takes note of goodbyes.
func (k *socket) control(h ws.Header, r io.Reader) error {
	var room [ws.MaxControlFramePayloadSize]byte
	body := room[:h.Length]
	if _, err := io.ReadFull(r, body); err != nil {
		return err
	}
	if h.OpCode == ws.OpPing {
		k.post(note{ws.OpPong, append([]byte(nil), body...)})
	}
	if h.OpCode != ws.OpClose {
		return nil
	}
	code := ws.StatusNoStatusRcvd
	if len(body) >= 2 {
		code = ws.StatusCode(binary.BigEndian.Uint16(body))
	}
	k.echo(body[:min(len(body), 2)])
	return errGoodbye{code}
}

// echo answers a goodbye, if that was not an answer itself.
func (k *socket) echo(body []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closing != nil || k.dead || k.writing {
		return // who is written to right now sees the end soon enough
	}
	w := k.gateway.writers.Get().(*writer)
	defer k.gateway.writers.Put(w)
	w.buf.Reset()
	if w.add(k, ws.OpClose, body, nil) == nil {
		_ = w.flush(k) // it is gone anyway
	}
}

// handle does what a payload asks.
func (k *socket) handle(ctx context.Context, p *payload) error {
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
			return errIdentified
		}
		return k.identify(ctx, p)
	case opResume:
		if s != nil {
			return errIdentified
		}
		return k.resume(ctx, p)
	case opPresence, opVoiceState, opRequestMembers, opLobbyVoice, opSoundboard, opTimeSpent, opLobbyVoiceAsk, opChannelInfo:
		if s == nil {
			return errNotIdentified
		}
	case opDispatch, opReconnect, opInvalidSession, opHello, opHeartbeatACK:
		return errOpcode
	default:
		return errOpcode
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
