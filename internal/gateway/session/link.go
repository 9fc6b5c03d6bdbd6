package session

import (
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/gateway/socket"
)

// Link is a client's connection and the session that it speaks for.
type Link struct {
	socket.Socket

	session atomic.Pointer[Session]
	due     atomic.Int64
}

// Session returns the session; nil: the client has not said who it is.
func (k *Link) Session() *Session { return k.session.Load() }

// Forget leaves the client without a session, so that it can say again who it is.
func (k *Link) Forget() { k.session.Store(nil) }

// Who returns whose connection it is.
func (k *Link) Who() Who {
	if s := k.session.Load(); s != nil {
		return s.Who
	}
	return Who{}
}

// Due returns when the client has been silent for too long, in nanoseconds since 1970.
func (k *Link) Due() int64 { return k.due.Load() }

// Await puts that moment off.
func (k *Link) Await(until time.Time) { k.due.Store(until.UnixNano()) }
