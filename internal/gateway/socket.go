package gateway

import (
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/ratelimit"
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

// socket is one connection. It outlives no goroutine that uses it: the one that reads it and at most one that writes.
type socket struct {
	gateway *Gateway
	conn    net.Conn
	version int
	url     string          // of the gateway, as this client should call it again
	codec   codec           // nil: frames are sent as text
	raw     syscall.RawConn // nil: there is no way to write without waiting

	due     atomic.Int64 // when its client has been silent for too long, in nanoseconds of the gateway's time
	session atomic.Pointer[session]
	sends   ratelimit.Counter // of the reading goroutine

	mu      sync.Mutex
	room    *sync.Cond // signaled when the queue is empty; nil while nobody waits for that
	rest    []byte     // of an event that was written in part
	notes   []note
	queue   []queued
	bytes   int  // of queue
	spare   int  // events more than maxQueued that may wait: those of a resume
	writing bool // a goroutine writes
	closing *closing
	dead    bool // nothing is written any more
}

// note is a frame that is no event.
type note struct {
	op   ws.OpCode
	text []byte
}

// queued is an event on its way to a client.
type queued struct {
	frame frame
	seq   uint64
}

// say sends something that is no event.
func (k *socket) say(text []byte) { k.post(note{ws.OpText, text}) }

func (k *socket) post(n note) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closing != nil || k.dead || n.op == ws.OpPong && k.pong(n.text) {
		return
	}
	if len(k.notes) >= maxNotes {
		k.end(errSlow)
		return
	}
	k.notes = append(k.notes, n)
	k.write()
}

// pong lets an answer to a ping that waits to be written answer a later one in its place, as RFC 6455 allows in 5.5.3: a
// client that pings faster than it can be written to is not slow. It reports whether there is one.
func (k *socket) pong(text []byte) bool {
	for i := range k.notes {
		if k.notes[i].op == ws.OpPong {
			k.notes[i].text = text
			return true
		}
	}
	return false
}

// send puts an event into the queue.
func (k *socket) send(f frame, seq uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closing != nil || k.dead {
		return
	}
	if len(k.queue) >= maxQueued+k.spare || k.bytes > maxQueuedBytes && k.spare == 0 {
		k.queue, k.bytes = nil, 0 // it hears of these when it resumes
		k.end(errSlow)
		return
	}
	if k.direct(queued{f, seq}) {
		return
	}
	k.queue = append(k.queue, queued{f, seq})
	k.bytes += len(f)
	k.write()
}

// sendAgain puts the events of a resume into the queue, which the session's bounds on them bound too.
func (k *socket) sendAgain(frames []frame, first uint64) {
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

// close ends the connection after what waits has been written.
func (k *socket) close(c *closing) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.end(c)
}

// end asks for the end. The socket is locked.
func (k *socket) end(c *closing) {
	if k.closing != nil || k.dead {
		return
	}
	k.closing = c
	k.gateway.numbers.closed(c.code)
	k.wake()
	k.write()
}

// write sees to it that somebody writes. The socket is locked.
func (k *socket) write() {
	if !k.writing {
		k.writing = true
		k.gateway.workers.Go(k.flush)
	}
}

// drained waits until everything that was sent so far is written. It returns errGone when that will not happen.
func (k *socket) drained() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.queue) > 0 && k.closing == nil && !k.dead {
		if k.room == nil {
			k.room = sync.NewCond(&k.mu)
		}
		k.room.Wait()
	}
	if k.closing != nil || k.dead {
		return errGone
	}
	return nil
}

// wake tells who waits for room. The socket is locked.
func (k *socket) wake() {
	if k.room != nil {
		k.room.Broadcast()
		k.room = nil
	}
}

// flush writes until nothing is left to write.
func (k *socket) flush() {
	w := k.gateway.writers.Get().(*writer)
	defer k.gateway.writers.Put(w)
	for {
		rest, notes, queue, c := k.take()
		if len(rest)+len(notes)+len(queue) == 0 && c == nil {
			return
		}
		err := w.send(k, rest, notes, queue)
		if err == nil && c != nil {
			err = w.bye(k, c)
		}
		if err != nil {
			k.kill()
			return
		}
	}
}

// take returns what waits. When nothing does, the goroutine that asks is the writer no longer.
func (k *socket) take() (rest []byte, notes []note, queue []queued, c *closing) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead {
		k.writing = false
		return nil, nil, nil, nil
	}
	rest, notes, queue, c = k.rest, k.notes, k.queue, k.closing
	k.rest, k.notes, k.queue, k.bytes = nil, nil, nil, 0
	if c != nil {
		k.dead = true // after this
	}
	k.wake()
	if len(rest)+len(notes)+len(queue) == 0 && c == nil {
		k.writing, k.spare = false, 0
	}
	return rest, notes, queue, c
}

// kill drops the connection. Whoever reads it comes to know.
func (k *socket) kill() {
	k.mu.Lock()
	k.dead = true
	k.notes, k.queue, k.bytes = nil, nil, 0
	k.wake()
	k.mu.Unlock()
	_ = k.conn.Close() // there is nobody to tell
}

// closed reports whether the service itself has ended the connection.
func (k *socket) closed() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.closing != nil
}

// dueAt and run are what the wheel asks: a silent client is closed.
func (k *socket) dueAt() int64 { return k.due.Load() }

func (k *socket) run() {
	if k.session.Load() == nil {
		k.close(errNotIdentified)
		return
	}
	k.close(errSilent)
}

// heard puts the moment off at which the client is given up.
func (k *socket) heard(within time.Duration) {
	k.due.Store(k.gateway.now().Add(within).UnixNano())
}
