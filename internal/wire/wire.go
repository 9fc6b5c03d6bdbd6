// Package wire writes people, places and apps as objects of the interface: what REST answers and gateway events show of
// them. It holds shapes alone; who may see what is for others to decide. It performs no I/O and reads no clock.
//
// The shapes have every member that client libraries ask for. What Bellhop does not imitate, such as pictures and boosts,
// stands there as null or as its usual value.
package wire

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// null is a member that nothing here ever fills.
type null struct{}

// MarshalJSONTo writes null.
func (null) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteToken(jsontext.Null) }

// Time is a moment as the interface writes it. The zero Time is null.
type Time time.Time

// timeLayout has microseconds, as public clients expect.
const timeLayout = "2006-01-02T15:04:05.000000-07:00"

// MarshalJSONTo writes the moment.
func (t Time) MarshalJSONTo(e *jsontext.Encoder) error {
	if time.Time(t).IsZero() {
		return e.WriteToken(jsontext.Null)
	}
	return e.WriteToken(jsontext.String(time.Time(t).UTC().Format(timeLayout)))
}

// orNull returns v, or nil when it is zero, which is written as null.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
