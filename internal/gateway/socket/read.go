package socket

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// readBuffer is the size of the read buffer. A heartbeat fits; larger payloads bypass it.
const readBuffer = 256

// maxControls bounds the pings and pongs of a client. Libraries send one every few seconds.
var maxControls = ratelimit.Rule{Limit: 600, Window: time.Minute}

// errClientClosed means that the client has closed the connection.
type errClientClosed struct{ code ws.StatusCode }

func (e errClientClosed) Error() string { return fmt.Sprintf("client closed %d", e.code) }

// Handler handles what a client sends.
type Handler interface {
	// Allows counts a payload and reports whether the rate limit allows it.
	Allows() bool
	// Handle handles a payload. It must not keep the text. An error closes the connection, a CloseError with its code.
	Handle(ctx context.Context, text []byte) error
}

// Serve reads the connection until it ends. It reports whether the client closed it with 1000 or 1001, which ends the
// session. When it returns, nothing is read or written any more.
func (k *Socket) Serve(ctx context.Context, h Handler) (ended bool) {
	defer k.release()
	defer k.CloseNow()
	err := k.read(ctx, h)
	closed, ok := errors.AsType[errClientClosed](err)
	if k.closed() {
		return false // the client only answered the service's close frame
	}
	if !ok {
		k.Pool.log.DebugContext(ctx, "connection ended", "err", err)
	}
	return ok && (closed.code == ws.StatusNormalClosure || closed.code == ws.StatusGoingAway)
}

func isClientClose(err error) bool {
	_, ok := errors.AsType[errClientClosed](err)
	return ok
}

// read handles frames until the connection ends.
func (k *Socket) read(ctx context.Context, h Handler) error {
	r := wsutil.Reader{
		Source: bufio.NewReaderSize(k.from, readBuffer), State: ws.StateServerSide,
		MaxFrameSize: int64(k.Pool.bounds.MaxPayload), OnIntermediate: k.control,
	}
	for {
		head, err := r.NextFrame()
		switch {
		case err != nil:
		case head.OpCode.IsControl():
			err = k.controlFrame(head, &r)
		default:
			err = k.data(ctx, &r, h)
		}
		if c := frameError(err); c != nil {
			k.Close(c)
			return k.drain()
		}
		if err != nil {
			return err
		}
	}
}

// data handles a payload. If that fails, the connection is being closed, and further payloads are discarded.
func (k *Socket) data(ctx context.Context, r *wsutil.Reader, h Handler) error {
	err := k.message(ctx, r, h)
	if errors.Is(err, ErrDisconnected) || isClientClose(err) {
		return err
	}
	if err != nil {
		if c := toCloseError(err); c == ErrUnknown {
			k.Pool.log.ErrorContext(ctx, "payload failed", "err", err)
		}
		k.Close(toCloseError(err))
	}
	if k.closed() {
		return r.Discard()
	}
	return nil
}

// controlFrame handles a control frame that is not between the fragments of a payload.
func (k *Socket) controlFrame(h ws.Header, r *wsutil.Reader) error {
	if err := k.control(h, r); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, r)
	if errors.Is(err, wsutil.ErrNoFrameAdvance) {
		return nil
	}
	return err
}

// frameError returns the close code for a protocol error or too many control frames, or nil if the connection ended.
func frameError(err error) *CloseError {
	_, invalid := errors.AsType[ws.ProtocolError](err)
	switch {
	case errors.Is(err, ErrTooMany):
		return ErrTooMany
	case errors.Is(err, wsutil.ErrFrameTooLarge):
		return ErrDecode
	case invalid, errors.Is(err, ws.ErrHeaderLengthMSB), errors.Is(err, ws.ErrHeaderLengthUnexpected):
		return ErrProtocol
	default:
		return nil
	}
}

// drain discards what a closed client still sends, until the connection ends or times out.
func (k *Socket) drain() error {
	_, err := io.Copy(io.Discard, k.from)
	if err == nil {
		err = io.EOF
	}
	return err
}

// message reads one payload and passes it to the handler.
func (k *Socket) message(ctx context.Context, r io.Reader, h Handler) error {
	buf := k.Pool.buffers.Get().(*[]byte)
	defer k.Pool.buffers.Put(buf)
	n, err := io.ReadFull(r, *buf)
	switch {
	case err == nil: // the payload is larger than MaxPayload
		err = ErrDecode
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		err = nil
	default:
		return fmt.Errorf("%w: %w", ErrDisconnected, err)
	}
	if k.closed() {
		return nil
	}
	if !h.Allows() {
		return ErrTooMany
	}
	if err != nil {
		return err
	}
	if k.Record != nil {
		k.Record(Received, append([]byte(nil), (*buf)[:n]...))
	}
	return k.onOwnStack(func() error { return h.Handle(ctx, (*buf)[:n]) })
}

// onOwnStack runs fn on a new goroutine and waits for it. The reading goroutine lives as long as the connection, and
// its stack never shrinks below what it once needed, so it must not run anything that needs a large stack.
func (k *Socket) onOwnStack(fn func() error) (err error) {
	done := make(chan struct{})
	k.Pool.workers.Go(func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		err = fn()
	})
	<-done
	return err
}

// control answers pings and close frames. Too many pings and pongs close the connection.
func (k *Socket) control(h ws.Header, r io.Reader) error {
	var buf [ws.MaxControlFramePayloadSize]byte
	body := buf[:h.Length]
	if _, err := io.ReadFull(r, body); err != nil {
		return err
	}
	if h.OpCode != ws.OpClose {
		if !k.controls.Take(maxControls, k.Pool.clock.Now()).Allowed {
			return ErrTooMany
		}
		if h.OpCode == ws.OpPing {
			k.sendUrgent(urgentFrame{ws.OpPong, append([]byte(nil), body...)})
		}
		return nil
	}
	code := ws.StatusNoStatusRcvd
	if len(body) >= 2 {
		code = ws.StatusCode(binary.BigEndian.Uint16(body))
	}
	k.answerClose(append([]byte(nil), body[:min(len(body), 2)]...))
	return errClientClosed{code}
}
