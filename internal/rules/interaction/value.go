package interaction

import (
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
)

// value returns the value of an option and reports whether the option accepts it.
func (m *matcher) value(o *command.Option, v jsonbody.Value) (jsonbody.Value, bool) {
	switch o.Type {
	case command.String:
		return v, v.Kind() == jsonbody.String && fitsText(o, v.Text())
	case command.Integer:
		return v, fitsInteger(o, v)
	case command.Number:
		f, ok := exactNumber(v)
		return v, ok && fitsNumber(o, f)
	case command.Boolean:
		return v, v.Kind() == jsonbody.Bool
	case command.OptionUser, command.Channel, command.Role, command.Mentionable:
		id, err := snowflake.Parse[uint64](v.Text())
		if err != nil || v.Kind() != jsonbody.String || o.Type == command.Role && m.in.Guild == 0 {
			return v, false
		}
		m.refer(o, id)
		return v, true
	case command.Attachment:
		return m.attachment(o, v)
	default: // subcommands and groups have no values
		return v, false
	}
}

// maxTextLen is the maximum length of the value of a string option in code points.
const maxTextLen = 6000

func fitsText(o *command.Option, s string) bool {
	low, high := 0, maxTextLen
	if o.MinLength != nil {
		low = *o.MinLength
	}
	if o.MaxLength != nil {
		high = *o.MaxLength
	}
	if n := jsonbody.Len(s); n < low || n > high {
		return false
	}
	return len(o.Choices) == 0 || slices.ContainsFunc(o.Choices, func(c command.Choice) bool {
		text, ok := c.Value.Text()
		return ok && text == s
	})
}

// fitsInteger compares the digits, because a float64 would round a number outside of the range into it.
func fitsInteger(o *command.Option, v jsonbody.Value) bool {
	if v.Kind() != jsonbody.Number {
		return false
	}
	var ignored jsonbody.Tree
	n, ok := jsonbody.AsInt(&ignored, v, -jsonbody.MaxInteger, jsonbody.MaxInteger)
	return ok && fitsNumber(o, float64(n))
}

func fitsNumber(o *command.Option, f float64) bool {
	if o.MinValue != nil && f < *o.MinValue || o.MaxValue != nil && f > *o.MaxValue {
		return false
	}
	return len(o.Choices) == 0 || slices.ContainsFunc(o.Choices, func(c command.Choice) bool {
		n, ok := c.Value.Number()
		return ok && n == f
	})
}

// maxDigits is the maximum length of a number that is compared digit by digit.
const maxDigits = 400

// exactNumber reads a number between -2^53 and 2^53. It compares the digits of numbers that a float64 rounds to one of
// these bounds.
func exactNumber(v jsonbody.Value) (float64, bool) {
	if v.Kind() != jsonbody.Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.Text(), 64)
	if err != nil || math.Abs(f) > jsonbody.MaxNumber {
		return 0, false
	}
	if math.Abs(f) < jsonbody.MaxNumber {
		return f, true
	}
	if len(v.Text()) > maxDigits {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(v.Text())
	return f, ok && r.Abs(r).Cmp(big.NewRat(jsonbody.MaxNumber, 1)) <= 0
}

// hasKind reports whether a value has the kind that options of a type have: a number in the range of the type, a boolean
// or a text. The limits and choices of the option do not matter.
func hasKind(t command.OptionType, v jsonbody.Value) bool {
	switch t {
	case command.Integer:
		return fitsInteger(&command.Option{}, v)
	case command.Number:
		_, ok := exactNumber(v)
		return ok
	case command.Boolean:
		return v.Kind() == jsonbody.Bool
	default:
		return v.Kind() == jsonbody.String
	}
}

// attachment converts the index of an uploaded file to its attachment id.
func (m *matcher) attachment(o *command.Option, v jsonbody.Value) (jsonbody.Value, bool) {
	n, ok := message.FileIndex(v)
	if !ok {
		return v, false
	}
	a, ok := message.FindFile(m.files, n, m.in.Filenames)
	if !ok || a.Size > message.AttachmentSizeLimit || !allowed(o.FileTypes, a.Filename) {
		return v, false
	}
	a.Ephemeral = true
	m.out.Attachments = append(m.out.Attachments, a)
	return jsonbody.StringOf(a.ID.String()), true
}

// refer records the reference of a value.
func (m *matcher) refer(o *command.Option, id uint64) {
	switch o.Type {
	case command.OptionUser:
		m.out.user(snowflake.User(id))
	case command.Channel:
		m.out.channel(snowflake.Channel(id), o.ChannelTypes)
	case command.Role:
		m.out.role(snowflake.Role(id))
	case command.Mentionable:
		m.out.mentionable(id, m.in.Guild != 0)
	default: // no reference
	}
}
