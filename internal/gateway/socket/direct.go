package socket

import (
	"crypto/tls"
	"net"
	"syscall"
)

// directly returns the means to write to a connection without ever waiting; nil where there is none, as with TLS.
func directly(conn net.Conn) syscall.RawConn {
	for conn != nil {
		switch c := conn.(type) {
		case *tls.Conn:
			return nil
		case syscall.Conn:
			raw, err := c.SyscallConn()
			if err != nil {
				return nil
			}
			return raw
		case interface{ NetConn() net.Conn }:
			conn = c.NetConn()
		default:
			return nil
		}
	}
	return nil
}

// direct writes one event to a socket for which nothing waits, as far as the machine takes it at once: an event to many is
// then a loop of writes and no more. It reports false when nothing was done. The socket is locked.
func (k *Socket) direct(q queued) bool {
	if k.raw == nil || k.codec != nil || k.writing || len(k.notes)+len(k.queue) > 0 {
		return false
	}
	w := k.Pool.writers.Get().(*writer)
	defer k.Pool.writers.Put(w)
	w.begin()
	if w.event(k, q) != nil {
		return false // the goroutine that writes meets the same fault, and knows what to do then
	}
	n := w.now(k.raw)
	k.Pool.events.Inc()
	if rest := w.buf.Bytes()[n:]; len(rest) > 0 {
		k.rest = append([]byte(nil), rest...)
		k.write()
	}
	return true
}

// now writes what is gathered as far as it can be written at once, and returns how much that was. What is wrong with the
// connection comes out when the rest is written.
func (w *writer) now(raw syscall.RawConn) int {
	w.written = 0
	if raw.Write(w.attempt) != nil {
		return 0
	}
	return w.written
}

// once is one attempt to write to a file.
func (w *writer) once(fd uintptr) bool {
	n, err := syscall.Write(int(fd), w.buf.Bytes())
	if err == nil && n > 0 {
		w.written = n
	}
	return true // whatever came of it: nobody waits here
}
