package socket

import (
	"io"
	"net"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/gobwas/ws"
)

// Bounds on the write queue of a connection. A client that exceeds them is disconnected, and can resume.
const (
	maxQueued      = 256     // events
	maxQueuedBytes = 8 << 20 // of events
	maxUrgent      = 64      // frames that are not events
)

const (
	// writeTimeout bounds one write.
	writeTimeout = 10 * time.Second
	// closeTimeout is the longest time to wait for a client's answer to a close frame.
	closeTimeout = 5 * time.Second
	// flushSize is the number of bytes that are collected for one write.
	flushSize = 32 << 10
	// kernelBuffer bounds the send buffer of the operating system, whose contents count as sent.
	kernelBuffer = 64 << 10
)

// Direction says whether a payload was received or sent.
type Direction uint8

// The directions.
const (
	Received Direction = iota + 1
	Sent
)

// Socket is one connection. Upgrade opens it, Serve reads it until it ends. At most two goroutines use it: the reader
// and a writer.
type Socket struct {
	Pool *Pool
	// Record gets every payload. It may be nil. It must not block, and it owns the text.
	Record func(d Direction, text []byte)

	conn  net.Conn
	from  io.Reader // conn, after the bytes that came with the request
	codec *codec    // of the writing goroutine; nil: frames are sent as text
	// controls counts the pings and pongs of the client. The reading goroutine uses it.
	controls ratelimit.Counter

	mu              sync.Mutex
	drained         *sync.Cond // signaled when the queue is empty; nil if no goroutine waits
	urgent          []urgentFrame
	queue           []queuedEvent
	bytes           int  // of queue
	resumeAllowance int  // missed events of a resume, which maxQueued does not count
	writing         bool // the writing goroutine runs
	closing         *CloseError
	peerClosed      bool // the client has closed the connection; only the answer is written
	dead            bool // nothing more is written
	compresses      bool // the stream may use memory for compression
	hasContext      bool // the stream has a share of MaxContexts
	ended           bool // Serve has returned
}

// urgentFrame is a frame that is not an event. It is written before waiting events.
type urgentFrame struct {
	op   ws.OpCode
	text []byte
}

// queuedEvent is an event that waits to be written.
type queuedEvent struct {
	frame Frame
	seq   uint64
}

// SendText sends a frame that is not an event.
func (k *Socket) SendText(text []byte) { k.sendUrgent(urgentFrame{ws.OpText, text}) }

// SendLast sends a frame that is not an event and drops the events that wait.
func (k *Socket) SendLast(text []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.queue, k.bytes = nil, 0
	k.enqueue(urgentFrame{ws.OpText, text})
}

func (k *Socket) sendUrgent(f urgentFrame) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.enqueue(f)
}

// enqueue queues a frame that is not an event. The socket is locked.
func (k *Socket) enqueue(f urgentFrame) {
	if k.isClosing() || f.op == ws.OpPong && k.replacePong(f.text) {
		return
	}
	if len(k.urgent) >= maxUrgent {
		k.startClose(ErrSlow)
		return
	}
	k.urgent = append(k.urgent, f)
	k.write()
}

// replacePong replaces the text of a pong that waits to be written and reports whether there is one. RFC 6455 section
// 5.5.3 allows to answer only the latest ping. A client that pings often does not fill the queue this way.
func (k *Socket) replacePong(text []byte) bool {
	for i := range k.urgent {
		if k.urgent[i].op == ws.OpPong {
			k.urgent[i].text = text
			return true
		}
	}
	return false
}

// Send queues an event.
func (k *Socket) Send(f Frame, seq uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.isClosing() {
		return
	}
	if len(k.queue) >= maxQueued+k.resumeAllowance || k.bytes > maxQueuedBytes && k.resumeAllowance == 0 {
		k.closeSlow()
		return
	}
	k.queue = append(k.queue, queuedEvent{f, seq})
	k.bytes += len(f)
	k.write()
}

// CloseIfBehind disconnects the client if more bytes of events wait than the send buffer of the operating system holds.
func (k *Socket) CloseIfBehind() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.bytes > kernelBuffer && !k.isClosing() {
		k.closeSlow()
	}
}

// closeSlow drops the waiting events, which a resume sends again, and disconnects the client. The socket is locked.
func (k *Socket) closeSlow() {
	k.queue, k.bytes = nil, 0
	k.startClose(ErrSlow)
}

// SendAgain queues the missed events of a resume. The session bounds them, so the bounds of the queue do not apply.
func (k *Socket) SendAgain(frames []Frame, first uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.isClosing() {
		return
	}
	k.resumeAllowance = len(frames)
	for i, f := range frames {
		k.queue = append(k.queue, queuedEvent{f, first + uint64(i)})
		k.bytes += len(f)
	}
	k.write()
}

// Close closes the connection after everything in the queue was written.
func (k *Socket) Close(c *CloseError) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.startClose(c)
}

// startClose implements Close. The socket is locked.
func (k *Socket) startClose(c *CloseError) {
	if k.isClosing() {
		return
	}
	k.closing = c
	k.Pool.closed(c.Code)
	k.notifyDrained()
	k.write()
}

// write starts the writing goroutine if it does not run. The socket is locked.
func (k *Socket) write() {
	if !k.writing {
		k.writing = true
		k.Pool.workers.Go(k.flush)
	}
}

// WaitDrained waits until no event waits in the queue. It returns ErrDisconnected if the connection ends first.
func (k *Socket) WaitDrained() error { return k.wait(func() bool { return len(k.queue) == 0 }) }

// WaitWritten waits until everything was written. It returns ErrDisconnected if the connection ends first.
func (k *Socket) WaitWritten() error { return k.wait(func() bool { return !k.writing }) }

// wait waits until done returns true, which it may do each time that the queue was emptied.
func (k *Socket) wait(done func() bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for !done() && !k.isClosing() {
		k.waitTaken()
	}
	if k.isClosing() {
		return ErrDisconnected
	}
	return nil
}

// waitTaken waits until the writing goroutine has emptied the queue or the connection has ended. The socket is locked.
func (k *Socket) waitTaken() {
	if k.drained == nil {
		k.drained = sync.NewCond(&k.mu)
	}
	k.drained.Wait()
}

// isClosing reports whether the connection is being closed or has ended. Nothing is queued then. The socket is locked.
func (k *Socket) isClosing() bool { return k.closing != nil || k.peerClosed || k.dead }

// answerClose answers a client that has closed the connection. It returns when the answer is written, after closeTimeout at
// the latest. Events that wait are dropped: a resume sends them again.
//
// Only the writing goroutine writes: a client that does not read must not make the callers of Send wait for the lock.
func (k *Socket) answerClose(body []byte) {
	timer := k.Pool.clock.AfterFunc(closeTimeout, k.CloseNow)
	defer timer.Stop()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.isClosing() {
		return // the client's frame is an answer itself
	}
	k.peerClosed = true
	k.urgent, k.queue, k.bytes = []urgentFrame{{ws.OpClose, body}}, nil, 0
	k.notifyDrained()
	k.write()
	for k.writing && !k.dead {
		k.waitTaken()
	}
}

// notifyDrained wakes the callers of wait. The socket is locked.
func (k *Socket) notifyDrained() {
	if k.drained != nil {
		k.drained.Broadcast()
		k.drained = nil
	}
}

// flush writes until the queue is empty.
func (k *Socket) flush() {
	w := k.Pool.writers.Get().(*writer)
	defer k.Pool.writers.Put(w)
	for {
		urgent, queue, c := k.takeQueued()
		if len(urgent)+len(queue) == 0 && c == nil {
			return
		}
		err := w.send(k, urgent, queue)
		if err == nil && c != nil {
			err = w.sendClose(k, c)
		}
		if err != nil {
			k.CloseNow()
			return
		}
	}
}

// takeQueued returns everything in the queue. If there is nothing, the calling goroutine is no longer the writer.
func (k *Socket) takeQueued() (urgent []urgentFrame, queue []queuedEvent, c *CloseError) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead {
		k.writing = false
		return nil, nil, nil
	}
	urgent, queue, c = k.urgent, k.queue, k.closing
	k.urgent, k.queue, k.bytes = nil, nil, 0
	if c != nil {
		k.dead = true // after what is returned
	}
	k.notifyDrained()
	if len(urgent)+len(queue) == 0 && c == nil {
		k.writing, k.resumeAllowance = false, 0
	}
	return urgent, queue, c
}

// CloseNow closes the connection without a close frame. Serve returns.
func (k *Socket) CloseNow() {
	k.mu.Lock()
	k.dead = true
	k.urgent, k.queue, k.bytes = nil, nil, 0
	k.notifyDrained()
	k.mu.Unlock()
	_ = k.conn.Close() // the connection is given up
}

// closed reports whether the service has closed the connection.
func (k *Socket) closed() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.closing != nil
}
