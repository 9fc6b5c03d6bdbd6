package socket

import (
	"bytes"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/gobwas/ws"
)

// writer collects frames for few large writes. A connection borrows one from the pool while it writes.
type writer struct {
	buf  bytes.Buffer
	tail []byte
}

func newWriter() any { return &writer{} }

// maxKept bounds the buffer that goes back to the pool.
const maxKept = 256 << 10

// begin clears the buffer.
func (w *writer) begin() {
	w.buf.Reset()
	if w.buf.Cap() > maxKept {
		w.buf = bytes.Buffer{}
	}
}

// event appends an event.
func (w *writer) event(k *Socket, q queuedEvent) error {
	w.tail = tail(w.tail[:0], q.seq)
	return w.add(k, ws.OpText, q.frame, w.tail)
}

// send writes urgent frames, then events.
func (w *writer) send(k *Socket, urgent []urgentFrame, queue []queuedEvent) error {
	w.begin()
	for _, f := range urgent {
		if err := w.add(k, f.op, f.text, nil); err != nil {
			return err
		}
	}
	for _, q := range queue {
		if err := w.event(k, q); err != nil {
			return err
		}
		if w.buf.Len() >= flushSize {
			if err := w.flush(k); err != nil {
				return err
			}
		}
	}
	if len(queue) > 0 {
		k.Pool.events.Add(float64(len(queue)))
	}
	return w.flush(k)
}

// add appends one frame, given in two parts. It compresses it if the client asked for that.
func (w *writer) add(k *Socket, op ws.OpCode, text, rest []byte) error {
	if k.Record != nil {
		k.Record(Sent, append(append([]byte(nil), text...), rest...))
	}
	if k.codec == nil || op.IsControl() {
		if err := w.header(op, len(text)+len(rest)); err != nil {
			return err
		}
		w.buf.Write(text)
		w.buf.Write(rest)
		return nil
	}
	compressed, err := k.codec.encode(k, text, rest)
	if err != nil {
		return err
	}
	if err := w.header(ws.OpBinary, len(compressed)); err != nil {
		return err
	}
	w.buf.Write(compressed)
	return nil
}

func (w *writer) header(op ws.OpCode, length int) error {
	return ws.WriteHeader(&w.buf, ws.Header{Fin: true, OpCode: op, Length: int64(length)})
}

func (w *writer) flush(k *Socket) error {
	if w.buf.Len() == 0 {
		return nil
	}
	if err := k.conn.SetWriteDeadline(clock.Deadline(writeTimeout)); err != nil {
		return err
	}
	_, err := k.conn.Write(w.buf.Bytes())
	w.buf.Reset()
	return err
}

// sendClose sends the close frame and gives the client a moment to answer.
func (w *writer) sendClose(k *Socket, c *CloseError) error {
	body := ws.NewCloseFrameBody(ws.StatusCode(c.Code), c.Reason)
	if err := w.add(k, ws.OpClose, body, nil); err != nil {
		return err
	}
	if err := w.flush(k); err != nil {
		return err
	}
	return k.conn.SetReadDeadline(clock.Deadline(closeTimeout))
}
