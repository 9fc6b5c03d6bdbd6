// Package wire defines the JSON objects of the API: users, members, guilds, channels, roles, applications, attachments.
// REST responses, gateway events, interactions and messages all use them. The package holds shapes only; it performs no
// I/O and reads no clock.
//
// The shapes have every member that client libraries read. A member that Bellhop does not implement, such as an avatar
// or a boost count, is null or has its default value.
//
// REST responses and events are marshaled by their struct tags. Interactions and messages are written by a [Printer],
// because every invocation writes several of them. The Print methods write the shorter form that interactions and
// messages show.
package wire

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// null is a member that is always null. It ignores the value of other services.
type null struct{}

// MarshalJSONTo writes null.
func (null) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteToken(jsontext.Null) }

// UnmarshalJSONFrom skips a value.
func (*null) UnmarshalJSONFrom(d *jsontext.Decoder) error { return d.SkipValue() }

// none is a list that is always empty. It ignores the elements of other services.
type none []struct{}

// UnmarshalJSONFrom skips a list.
func (*none) UnmarshalJSONFrom(d *jsontext.Decoder) error { return d.SkipValue() }

// NullString is a string. The empty string is written as null.
type NullString string

// MarshalJSONTo writes the string or null.
func (s NullString) MarshalJSONTo(e *jsontext.Encoder) error {
	if s == "" {
		return e.WriteToken(jsontext.Null)
	}
	return e.WriteToken(jsontext.String(string(s)))
}

// Time is a time in UTC with microseconds. The zero Time is written as null.
type Time time.Time

// TimeLayout is the format of times. It has microseconds because client libraries expect them.
const TimeLayout = "2006-01-02T15:04:05.000000-07:00"

// MarshalJSONTo writes the time or null.
func (t Time) MarshalJSONTo(e *jsontext.Encoder) error {
	if time.Time(t).IsZero() {
		return e.WriteToken(jsontext.Null)
	}
	return e.WriteToken(jsontext.String(time.Time(t).UTC().Format(TimeLayout)))
}

// UnmarshalJSONFrom reads a time or null.
func (t *Time) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return json.UnmarshalDecode(d, (*time.Time)(t))
}
