package session

import "github.com/bellhop/bellhop/internal/gateway/socket"

// Bounds are the figures of sessions.
type Bounds struct {
	ReplayEvents int // events that a session keeps for a client that comes back
	ReplayBytes  int // the same in bytes
}

// replay holds the frames that a session sent last, for a client that comes back. Its zero value is empty.
type replay struct {
	frames []socket.Frame
	first  uint64 // number of frames[0]
	bytes  int
}

// add appends the frame with the given number and drops what is too old for the bounds.
func (r *replay) add(f socket.Frame, seq uint64, bounds *Bounds) {
	if len(r.frames) == 0 {
		r.first = seq
	}
	r.frames = append(r.frames, f)
	r.bytes += len(f)
	for len(r.frames) > 1 && (len(r.frames) > bounds.ReplayEvents || r.bytes > bounds.ReplayBytes) {
		r.drop()
	}
}

func (r *replay) drop() {
	r.bytes -= len(r.frames[0])
	r.frames[0] = nil
	r.frames = r.frames[1:]
	r.first++
	if len(r.frames) == 0 {
		r.frames = nil
	}
}

// upTo drops the frames up to a number.
func (r *replay) upTo(seq uint64) {
	for len(r.frames) > 0 && r.first <= seq {
		r.drop()
	}
}

// after returns the frames behind a number, and false when some of them are gone.
func (r *replay) after(seq, last uint64) ([]socket.Frame, bool) {
	if seq == last {
		return nil, true
	}
	if len(r.frames) == 0 || seq+1 < r.first {
		return nil, false
	}
	return r.frames[seq+1-r.first:], true
}
