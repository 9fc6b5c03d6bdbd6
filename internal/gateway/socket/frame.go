package socket

import (
	"strconv"

	"github.com/go-json-experiment/json"
)

// Frame is an event as it is sent, but for its number and the brace behind it. It is shared by all who hear it: nobody
// changes it.
type Frame []byte

// NewFrame writes an event for whoever is to hear it.
func NewFrame(name string, data []byte) Frame {
	f := make(Frame, 0, len(`{"op":0,"t":"","d":,"s":`)+len(name)+len(data))
	f = append(f, `{"op":0,"t":"`...)
	f = append(f, name...) // names are ours and need no escapes
	f = append(f, `","d":`...)
	f = append(f, data...)
	return append(f, `,"s":`...)
}

// NewEvent writes an event from a value.
func NewEvent(name string, value any) (Frame, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return NewFrame(name, data), nil
}

// tail appends what ends a frame.
func tail(b []byte, seq uint64) []byte { return append(strconv.AppendUint(b, seq, 10), '}') }
