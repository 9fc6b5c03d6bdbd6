package socket

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// readBuffer holds a heartbeat; larger payloads are read past it.
const readBuffer = 256

// errGoodbye says that the client has closed the connection.
type errGoodbye struct{ code ws.StatusCode }

func (e errGoodbye) Error() string { return fmt.Sprintf("client closed %d", e.code) }

// Handler is whom a client talks with.
type Handler interface {
	// Allows counts a payload that has come and reports whether it may.
	Allows() bool
	// Handle does what a payload asks. The text is the socket's again when it returns. An error closes the connection, a
	// CloseError as it says.
	Handle(ctx context.Context, text []byte) error
}

// Serve lets a client talk with h until the connection ends, and reports whether the client said that it will not come back.
// When it returns, nothing reads the socket any more and nothing more is written.
func (k *Socket) Serve(ctx context.Context, h Handler) (over bool) {
	defer k.release()
	defer k.Kill()
	err := k.read(ctx, h)
	bye, ok := errors.AsType[errGoodbye](err)
	if k.closed() {
		return false // what a client echoes that was closed says nothing
	}
	if !ok {
		k.Pool.log.DebugContext(ctx, "connection ended", "err", err)
	}
	return ok && (bye.code == ws.StatusNormalClosure || bye.code == ws.StatusGoingAway)
}

func isGoodbye(err error) bool {
	_, ok := errors.AsType[errGoodbye](err)
	return ok
}

// read handles payloads until the connection ends.
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
			err = k.controlAlone(head, &r)
		default:
			err = k.data(ctx, &r, h)
		}
		if c := misframed(err); c != nil {
			k.Close(c)
			return k.await()
		}
		if err != nil {
			return err
		}
	}
}

// data handles a frame with a payload, or the first of several. A client that does something wrong is closed and then
// only listened to until it goes.
func (k *Socket) data(ctx context.Context, r *wsutil.Reader, h Handler) error {
	err := k.message(ctx, r, h)
	if errors.Is(err, ErrGone) || isGoodbye(err) {
		return err
	}
	if err != nil {
		if c := toClosing(err); c == ErrUnknown {
			k.Pool.log.ErrorContext(ctx, "payload failed", "err", err)
		}
		k.Close(toClosing(err))
	}
	if k.closed() {
		return r.Discard()
	}
	return nil
}

// controlAlone handles a control frame that does not stand between the parts of a payload.
func (k *Socket) controlAlone(h ws.Header, r *wsutil.Reader) error {
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
func misframed(err error) *CloseError {
	_, breach := errors.AsType[ws.ProtocolError](err)
	switch {
	case errors.Is(err, wsutil.ErrFrameTooLarge):
		return ErrDecode
	case breach, errors.Is(err, ws.ErrHeaderLengthMSB), errors.Is(err, ws.ErrHeaderLengthUnexpected):
		return ErrProtocol
	default:
		return nil
	}
}

// await reads past what a closed client still sends, until it ends or its time is over.
func (k *Socket) await() error {
	_, err := io.Copy(io.Discard, k.from)
	if err == nil {
		err = io.EOF
	}
	return err
}

// message reads one payload and does what it asks.
func (k *Socket) message(ctx context.Context, r io.Reader, h Handler) error {
	buf := k.Pool.buffers.Get().(*[]byte)
	defer k.Pool.buffers.Put(buf)
	n, err := io.ReadFull(r, *buf)
	switch {
	case err == nil: // one byte more than there may be
		err = ErrDecode
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		err = nil
	default:
		return fmt.Errorf("%w: %w", ErrGone, err)
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
	return k.apart(func() error { return h.Handle(ctx, (*buf)[:n]) })
}

// apart does something on a stack of its own and waits for it. The goroutine that reads spends its life waiting, with a
// stack as large as it ever was: it does nothing that needs a large one.
func (k *Socket) apart(do func() error) (err error) {
	done := make(chan struct{})
	k.Pool.workers.Go(func() {
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
func (k *Socket) control(h ws.Header, r io.Reader) error {
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
func (k *Socket) echo(body []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closing != nil || k.dead || k.writing {
		return // who is written to right now sees the end soon enough
	}
	w := k.Pool.writers.Get().(*writer)
	defer k.Pool.writers.Put(w)
	w.buf.Reset()
	if w.add(k, ws.OpClose, body, nil) == nil {
		_ = w.flush(k) // it is gone anyway
	}
}
