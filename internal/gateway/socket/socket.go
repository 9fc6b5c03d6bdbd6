package socket

import (
	"io"
	"net"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/gobwas/ws"
)

// Bounds on what waits to be written to one socket. A client that lets more pile up is closed, while what it has not
// heard is still there for it to resume.
const (
	maxQueued      = 256     // events
	maxQueuedBytes = 8 << 20 // of events
	maxNotes       = 64      // that are no events
)

const (
	// writeWithin is how long a write may take.
	writeWithin = 10 * time.Second
	// echoWithin is how long a client that is closed has to say goodbye.
	echoWithin = 5 * time.Second
	// flushAt is how much is gathered for one write.
	flushAt = 32 << 10
	// kernelBuffer bounds what the machine takes on for a client that does not read: what is in there counts as sent.
	kernelBuffer = 64 << 10
)

// machine is the machine's clock, by which sockets have deadlines.
var machine clock.System

// Direction is the way of a payload.
type Direction uint8

// The directions.
const (
	Received Direction = iota + 1
	Sent
)

// Socket is one connection. Upgrade opens it, Serve reads it until it ends. It outlives no goroutine that uses it: the one
// that reads it and at most one that writes.
type Socket struct {
	Pool *Pool
	// Record is told of every payload. It may be nil. It does not wait, and the text is its own.
	Record func(way Direction, text []byte)

	conn  net.Conn
	from  io.Reader // what the client sends: conn, behind what had come with its request
	codec codec     // nil: frames are sent as text

	mu      sync.Mutex
	room    *sync.Cond // signaled when the queue is empty; nil while nobody waits for that
	notes   []note
	queue   []queued
	bytes   int  // of queue
	spare   int  // events more than maxQueued that may wait: those of a resume
	writing bool // a goroutine writes
	closing *CloseError
	dead    bool // nothing is written any more
}

// note is a frame that is no event.
type note struct {
	op   ws.OpCode
	text []byte
}

// queued is an event on its way to a client.
type queued struct {
	frame Frame
	seq   uint64
}

// Say sends something that is no event.
func (k *Socket) Say(text []byte) { k.post(note{ws.OpText, text}) }

func (k *Socket) post(n note) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closing != nil || k.dead || n.op == ws.OpPong && k.pong(n.text) {
		return
	}
	if len(k.notes) >= maxNotes {
		k.end(ErrSlow)
		return
	}
	k.notes = append(k.notes, n)
	k.write()
}

// pong lets an answer to a ping that waits to be written answer a later one in its place, as RFC 6455 allows in 5.5.3: a
// client that pings faster than it can be written to is not slow. It reports whether there is one.
func (k *Socket) pong(text []byte) bool {
	for i := range k.notes {
		if k.notes[i].op == ws.OpPong {
			k.notes[i].text = text
			return true
		}
	}
	return false
}

// Send sends an event, or puts it into the queue.
func (k *Socket) Send(f Frame, seq uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closing != nil || k.dead {
		return
	}
	if len(k.queue) >= maxQueued+k.spare || k.bytes > maxQueuedBytes && k.spare == 0 {
		k.queue, k.bytes = nil, 0 // it hears of these when it resumes
		k.end(ErrSlow)
		return
	}
	k.queue = append(k.queue, queued{f, seq})
	k.bytes += len(f)
	k.write()
}

// SendAgain puts the events of a resume into the queue, which the session's bounds on them bound too.
func (k *Socket) SendAgain(frames []Frame, first uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closing != nil || k.dead {
		return
	}
	k.spare = len(frames)
	for i, f := range frames {
		k.queue = append(k.queue, queued{f, first + uint64(i)})
		k.bytes += len(f)
	}
	k.write()
}

// Close ends the connection after what waits has been written.
func (k *Socket) Close(c *CloseError) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.end(c)
}

// end asks for the end. The socket is locked.
func (k *Socket) end(c *CloseError) {
	if k.closing != nil || k.dead {
		return
	}
	k.closing = c
	k.Pool.closed(c.Code)
	k.wake()
	k.write()
}

// write sees to it that somebody writes. The socket is locked.
func (k *Socket) write() {
	if !k.writing {
		k.writing = true
		k.Pool.workers.Go(k.flush)
	}
}

// Drained waits until everything that was sent so far is written. It returns ErrGone when that will not happen.
func (k *Socket) Drained() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.queue) > 0 && k.closing == nil && !k.dead {
		if k.room == nil {
			k.room = sync.NewCond(&k.mu)
		}
		k.room.Wait()
	}
	if k.closing != nil || k.dead {
		return ErrGone
	}
	return nil
}

// wake tells who waits for room. The socket is locked.
func (k *Socket) wake() {
	if k.room != nil {
		k.room.Broadcast()
		k.room = nil
	}
}

// flush writes until nothing is left to write.
func (k *Socket) flush() {
	w := k.Pool.writers.Get().(*writer)
	defer k.Pool.writers.Put(w)
	for {
		notes, queue, c := k.take()
		if len(notes)+len(queue) == 0 && c == nil {
			return
		}
		err := w.send(k, notes, queue)
		if err == nil && c != nil {
			err = w.bye(k, c)
		}
		if err != nil {
			k.Kill()
			return
		}
	}
}

// take returns what waits. When nothing does, the goroutine that asks is the writer no longer.
func (k *Socket) take() (notes []note, queue []queued, c *CloseError) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead {
		k.writing = false
		return nil, nil, nil
	}
	notes, queue, c = k.notes, k.queue, k.closing
	k.notes, k.queue, k.bytes = nil, nil, 0
	if c != nil {
		k.dead = true // after this
	}
	k.wake()
	if len(notes)+len(queue) == 0 && c == nil {
		k.writing, k.spare = false, 0
	}
	return notes, queue, c
}

// Kill drops the connection. Whoever reads it comes to know.
func (k *Socket) Kill() {
	k.mu.Lock()
	k.dead = true
	k.notes, k.queue, k.bytes = nil, nil, 0
	k.wake()
	k.mu.Unlock()
	_ = k.conn.Close() // there is nobody to tell
}

// closed reports whether the service itself has ended the connection.
func (k *Socket) closed() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.closing != nil
}
