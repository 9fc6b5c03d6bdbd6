package session

import (
	"slices"

	"github.com/bellhop/bellhop/internal/gateway/socket"
)

// Bounds limits what a session keeps for a resume.
type Bounds struct {
	ReplayEvents int // events
	ReplayBytes  int // bytes of events
}

// replay holds the last frames of a session for a resume. The zero value is empty.
type replay struct {
	frames []socket.Frame
	first  uint64 // sequence number of frames[0]
	bytes  int
}

// add appends the frame with the given sequence number and drops the oldest frames that exceed the bounds.
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

// dropHalf drops the older half of the frames and frees their memory.
func (r *replay) dropHalf() {
	for range (len(r.frames) + 1) / 2 {
		r.drop()
	}
	r.frames = slices.Clone(r.frames)
}

// after returns the frames after a sequence number. It returns false if some of them were dropped.
func (r *replay) after(seq, last uint64) ([]socket.Frame, bool) {
	if seq == last {
		return nil, true
	}
	if len(r.frames) == 0 || seq+1 < r.first {
		return nil, false
	}
	return r.frames[seq+1-r.first:], true
}
