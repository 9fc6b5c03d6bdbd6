package api

import (
	"io"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
)

// heldBody is a request body whose bytes count against the memory for bodies, as they arrive. Bytes are free again when the
// request ends. Read returns ErrShare or ErrBusy when there is no room.
type heldBody struct {
	io.ReadCloser

	call *Call
}

// Read reads from the body.
func (b heldBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if full := b.call.hold(n); full != nil {
		return 0, full
	}
	return n, err
}

// hold takes n bytes for the body of the request. It returns ErrShare if the caller holds too many, and ErrBusy if all
// callers together do. Operators have no share of their own, because a world file may be larger than that.
func (c *Call) hold(n int) error {
	if n == 0 {
		return nil
	}
	if c.held == 0 {
		switch {
		case c.Principal.Kind == store.AdminToken:
		case c.entered:
			c.holder = c.identity
		default:
			c.holder = (&ratelimit.Caller{Address: c.from}).Identity()
		}
	}
	switch c.h.Limits.Bodies.Take(c.holder, int64(n)) {
	case ratelimit.CallerFull:
		return ErrShare
	case ratelimit.AllFull:
		return ErrBusy
	case ratelimit.Entered:
	}
	c.held += int64(n)
	return nil
}
