// Package snowflake provides the ids of the service: 64-bit numbers that carry the millisecond they were made in,
// one Go type per kind of thing. It performs no I/O and reads no clock.
package snowflake

import (
	"errors"
	"strconv"
	"time"
)

// Epoch is the first millisecond an id can carry, in Unix milliseconds.
const Epoch = 1420070400000

// Max is the largest id the service accepts.
const Max = 1<<63 - 1

// timeShift is the number of bits below the milliseconds: ten for the node, twelve for the counter.
const timeShift = 22

// What Parse reports.
var (
	ErrSyntax = errors.New("not a snowflake")
	ErrRange  = errors.New("snowflake out of range")
)

// ID names one thing of kind K. On the wire it is a decimal string; zero names nothing.
type ID[K any] uint64

// The kinds of things that have ids.
type (
	application struct{}
	guild       struct{}
	command     struct{}
	version     struct{}
	user        struct{}
	role        struct{}
	channel     struct{}
	message     struct{}
	interaction struct{}
	lobby       struct{}
	attachment  struct{}
	target      struct{}
)

type (
	// Application names an app.
	Application = ID[application]
	// Guild names a guild; the role of all its members has the same number.
	Guild = ID[guild]
	// Command names a registered command.
	Command = ID[command]
	// Version names a state of a command.
	Version = ID[version]
	// User names a person or an app's bot.
	User = ID[user]
	// Role names a role of a guild.
	Role = ID[role]
	// Channel names a channel of a guild or between people.
	Channel = ID[channel]
	// Message names a message.
	Message = ID[message]
	// Interaction names one use of a command.
	Interaction = ID[interaction]
	// Lobby names a lobby.
	Lobby = ID[lobby]
	// Attachment names a file.
	Attachment = ID[attachment]
	// Target is what a permission entry speaks of: a role, a user, a channel or a constant.
	Target = ID[target]
)

// Parse reads the decimal form of an id of type T: digits only, no leading zero, at most Max.
func Parse[T ~uint64](s string) (T, error) {
	n, err := parse(s)
	return T(n), err
}

func parse(s string) (uint64, error) {
	if s == "" || (len(s) > 1 && s[0] == '0') {
		return 0, ErrSyntax
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, ErrSyntax
		}
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n > Max {
		return 0, ErrRange
	}
	return n, nil
}

// String returns the decimal form.
func (id ID[K]) String() string { return strconv.FormatUint(uint64(id), 10) }

// Append appends the decimal form to b.
func (id ID[K]) Append(b []byte) []byte { return strconv.AppendUint(b, uint64(id), 10) }

// Time returns the moment the id was made.
func (id ID[K]) Time() time.Time { return time.UnixMilli(int64(id>>timeShift) + Epoch).UTC() }

// MarshalText makes an ID a JSON string and a JSON object key.
func (id ID[K]) MarshalText() ([]byte, error) { return id.Append(nil), nil }

// UnmarshalText reads what MarshalText writes.
func (id *ID[K]) UnmarshalText(b []byte) error {
	n, err := parse(string(b))
	if err != nil {
		return err
	}
	*id = ID[K](n)
	return nil
}
