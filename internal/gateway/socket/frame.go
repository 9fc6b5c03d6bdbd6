package socket

import (
	"strconv"

	"github.com/go-json-experiment/json"
)

// Frame is an encoded event without its sequence number and the closing brace. All recipients share it, so it must not
// be changed.
type Frame []byte

// NewFrame encodes an event whose data is JSON.
func NewFrame(name string, data []byte) Frame {
	f := make(Frame, 0, len(`{"op":0,"t":"","d":,"s":`)+len(name)+len(data))
	f = append(f, `{"op":0,"t":"`...)
	f = append(f, name...) // event names need no escaping
	f = append(f, `","d":`...)
	f = append(f, data...)
	return append(f, `,"s":`...)
}

// NewEvent encodes an event whose data is a value.
func NewEvent(name string, value any) (Frame, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return NewFrame(name, data), nil
}

// tail appends the end of a frame.
func tail(b []byte, seq uint64) []byte { return append(strconv.AppendUint(b, seq, 10), '}') }
