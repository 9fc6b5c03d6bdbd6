// Package snowflake provides the ids of Discord's API: 64-bit numbers that contain the millisecond of their creation.
// Each kind of object has its own Go type, so that the compiler rejects a guild id where a channel id is needed. In
// JSON an id is a string of decimal digits.
//
// [Parse] reads the decimal form, [ID.Time] returns the time of creation. The package performs no I/O and reads no
// clock.
package snowflake

import (
	"errors"
	"strconv"
	"time"
)

// Epoch is the first millisecond of an id, in Unix milliseconds.
const Epoch = 1420070400000

// Max is the largest id.
const Max = 1<<63 - 1

// timeShift is the number of bits below the milliseconds.
const timeShift = 22

// Errors of Parse.
var (
	errSyntax = errors.New("not a snowflake")
	errRange  = errors.New("snowflake out of range")
)

// ID is the id of an object of kind K. The zero value is no id.
type ID[K any] uint64

// The kinds of objects. Package users name them only through the types below.
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
	webhook     struct{}
	emoji       struct{}
	sticker     struct{}
	tag         struct{}
	event       struct{}

	sku          struct{}
	entitlement  struct{}
	subscription struct{}
)

type (
	// Application is the id of an application.
	Application = ID[application]
	// Guild is the id of a guild. The everyone role of a guild has the same number.
	Guild = ID[guild]
	// Command is the id of a registered command.
	Command = ID[command]
	// Version is the version of a command. It changes with every change of the command.
	Version = ID[version]
	// User is the id of a person or of a bot.
	User = ID[user]
	// Role is the id of a role.
	Role = ID[role]
	// Channel is the id of a channel, a thread or a direct message.
	Channel = ID[channel]
	// Message is the id of a message.
	Message = ID[message]
	// Interaction is the id of an interaction: one use of a command or of a component.
	Interaction = ID[interaction]
	// Lobby is the id of a lobby.
	Lobby = ID[lobby]
	// Attachment is the id of a file.
	Attachment = ID[attachment]
	// Target is the id of a role, user or channel that a permission entry or overwrite applies to.
	Target = ID[target]
	// Webhook is the id of a webhook.
	Webhook = ID[webhook]
	// Emoji is the id of a custom emoji.
	Emoji = ID[emoji]
	// Sticker is the id of a sticker.
	Sticker = ID[sticker]
	// Tag is the id of a tag of a forum.
	Tag = ID[tag]
	// Event is the id of a scheduled event.
	Event = ID[event]
	// SKU is the id of an offer of an application.
	SKU = ID[sku]
	// Entitlement is the id of the right of a user or a guild to an offer.
	Entitlement = ID[entitlement]
	// Subscription is the id of a subscription to an offer.
	Subscription = ID[subscription]
)

// Parse reads the decimal form of an id of type T: only digits, no leading zero, at most Max.
func Parse[T ~uint64](s string) (T, error) {
	n, err := parse(s)
	return T(n), err
}

func parse(s string) (uint64, error) {
	if s == "" || (len(s) > 1 && s[0] == '0') {
		return 0, errSyntax
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, errSyntax
		}
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n > Max {
		return 0, errRange
	}
	return n, nil
}

// String returns the decimal form of the id.
func (id ID[K]) String() string { return strconv.FormatUint(uint64(id), 10) }

// Append appends the decimal form of the id to b.
func (id ID[K]) Append(b []byte) []byte { return strconv.AppendUint(b, uint64(id), 10) }

// Time returns when the id was created, in UTC.
func (id ID[K]) Time() time.Time { return time.UnixMilli(int64(id>>timeShift) + Epoch).UTC() }

// MarshalText makes an ID a JSON string and a JSON object key.
func (id ID[K]) MarshalText() ([]byte, error) { return id.Append(nil), nil }

// UnmarshalText reads the decimal form.
func (id *ID[K]) UnmarshalText(b []byte) error {
	n, err := parse(string(b))
	if err != nil {
		return err
	}
	*id = ID[K](n)
	return nil
}
