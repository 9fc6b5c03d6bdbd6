package socket

import (
	"bytes"

	"github.com/gobwas/ws"
)

// writer gathers frames into few writes. Sockets borrow one while they write.
type writer struct {
	buf  bytes.Buffer
	tail []byte
}

func newWriter() any { return &writer{} }

// maxKept is how large a buffer may be that is kept for the next socket.
const maxKept = 256 << 10

// begin makes room.
func (w *writer) begin() {
	w.buf.Reset()
	if w.buf.Cap() > maxKept {
		w.buf = bytes.Buffer{}
	}
}

// event appends an event.
func (w *writer) event(k *Socket, q queued) error {
	w.tail = tail(w.tail[:0], q.seq)
	return w.add(k, ws.OpText, q.frame, w.tail)
}

// send writes notes, then events.
func (w *writer) send(k *Socket, notes []note, queue []queued) error {
	w.begin()
	for _, n := range notes {
		if err := w.add(k, n.op, n.text, nil); err != nil {
			return err
		}
	}
	for _, q := range queue {
		if err := w.event(k, q); err != nil {
			return err
		}
		if w.buf.Len() >= flushAt {
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

// add appends one frame in two parts, compressed where the client asked for that.
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
	packed, err := k.codec.pack(text, rest)
	if err != nil {
		return err
	}
	if err := w.header(ws.OpBinary, len(packed)); err != nil {
		return err
	}
	w.buf.Write(packed)
	return nil
}

func (w *writer) header(op ws.OpCode, length int) error {
	return ws.WriteHeader(&w.buf, ws.Header{Fin: true, OpCode: op, Length: int64(length)})
}

func (w *writer) flush(k *Socket) error {
	if w.buf.Len() == 0 {
		return nil
	}
	if err := k.conn.SetWriteDeadline(machine.Now().Add(writeWithin)); err != nil {
		return err
	}
	_, err := k.conn.Write(w.buf.Bytes())
	w.buf.Reset()
	return err
}

// bye tells a client why it is closed and gives it a moment to answer.
func (w *writer) bye(k *Socket, c *CloseError) error {
	body := ws.NewCloseFrameBody(ws.StatusCode(c.Code), c.Reason)
	if err := w.add(k, ws.OpClose, body, nil); err != nil {
		return err
	}
	if err := w.flush(k); err != nil {
		return err
	}
	return k.conn.SetReadDeadline(machine.Now().Add(echoWithin))
}
