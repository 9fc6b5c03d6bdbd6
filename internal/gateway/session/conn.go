package session

import (
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/gateway/socket"
)

// Conn is a client's connection and the session that uses it.
type Conn struct {
	socket.Socket

	session  atomic.Pointer[Session]
	deadline atomic.Int64
}

// Session returns the session, or nil before the client has identified.
func (k *Conn) Session() *Session { return k.session.Load() }

// ClearSession removes the session, so that the client can identify again.
func (k *Conn) ClearSession() { k.session.Store(nil) }

// Owner returns the owner of the session, or the zero Owner before the client has identified.
func (k *Conn) Owner() Owner {
	if s := k.session.Load(); s != nil {
		return s.Owner
	}
	return Owner{}
}

// Deadline returns when the connection is closed if the client stays silent, as a time of clock.Elapsed.
func (k *Conn) Deadline() time.Duration { return time.Duration(k.deadline.Load()) }

// SetDeadline sets the time that Deadline returns.
func (k *Conn) SetDeadline(at time.Duration) { k.deadline.Store(int64(at)) }
