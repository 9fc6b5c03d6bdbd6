package guild

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxReason is the maximum length of a reason in code points.
const maxReason = 512

// Change is one change in an entry of the audit log. A side that is absent or null is nil.
type Change struct {
	Key string         `json:"key"`
	Old jsontext.Value `json:"old_value,omitzero"`
	New jsontext.Value `json:"new_value,omitzero"`
}

// Field is a member of a record that the audit log shows.
type Field[T any] struct {
	Key   string
	Value func(r *T) any // nil for no value
}

// Changes returns the differences between two states of a record in the order of the fields. old is nil for a new
// record, and next for a deleted one.
func Changes[T any](fields []Field[T], old, next *T) []Change {
	var list []Change
	for _, f := range fields {
		c := Change{Key: f.Key, Old: f.json(old), New: f.json(next)}
		if !bytes.Equal(c.Old, c.New) {
			list = append(list, c)
		}
	}
	return list
}

// json returns the value of a field as JSON, nil for no value.
func (f *Field[T]) json(r *T) jsontext.Value {
	if r == nil {
		return nil
	}
	v := f.Value(r)
	if v == nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil || string(text) == "null" { // the fields below have only texts, numbers, booleans and lists of them
		return nil
	}
	return text
}

// orNil returns nil for the zero value.
func orNil[V comparable](v V) any {
	var zero V
	if v == zero {
		return nil
	}
	return v
}

// ChannelChanges returns the changes of a channel. old is nil for a new channel, and next for a deleted one. Changes of
// overwrites have entries of their own; a new or deleted channel shows all of its overwrites. Only an edited channel shows
// its position and its tags.
func ChannelChanges(old, next *channel.Settings) []Change {
	fields := ChannelFields[:len(ChannelFields):len(ChannelFields)]
	if old == nil || next == nil {
		fields = append(fields, overwritesField)
	} else {
		fields = append(fields, positionField, tagsField)
	}
	return Changes(fields, old, next)
}

// OverwriteOptions returns the options of an entry about an overwrite. role is the name of the role, empty for a member.
func OverwriteOptions(o permission.Overwrite, role string) map[string]string {
	options := map[string]string{"id": o.ID.String(), "type": "0"}
	if o.Member {
		options["type"] = "1"
	} else {
		options["role_name"] = role
	}
	return options
}

// NamedRole is a role in the list of roles that a member gets or loses.
type NamedRole struct {
	ID   snowflake.Role `json:"id"`
	Name string         `json:"name"`
}

// MemberRoleChanges returns the changes of the roles of a member.
func MemberRoleChanges(added, removed []NamedRole) []Change {
	var list []Change
	for _, row := range []struct {
		key   string
		roles []NamedRole
	}{{"$add", added}, {"$remove", removed}} {
		f := Field[[]NamedRole]{row.key, func(r *[]NamedRole) any { return *r }}
		if len(row.roles) > 0 {
			list = append(list, Changes([]Field[[]NamedRole]{f}, nil, &row.roles)...)
		}
	}
	return list
}

// ReadReason reads the header X-Audit-Log-Reason: percent-encoded UTF-8, in which a plus sign is a plus sign. A text that
// cannot be decoded counts as it is.
func ReadReason(header string) (string, error) {
	reason := strings.TrimSpace(header)
	if text, ok := percentDecoded(reason); ok {
		reason = strings.TrimSpace(text)
	}
	var t jsonbody.Tree
	if jsonbody.Len(reason) > maxReason {
		t.At("X-Audit-Log-Reason").Length(-1, maxReason)
	}
	return strings.ToValidUTF8(reason, "\ufffd"), t.Err()
}

// percentDecoded decodes %XX. It reports whether the text is well formed and valid UTF-8.
func percentDecoded(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		high, low := hexDigit(s[i+1]), hexDigit(s[i+2])
		if high < 0 || low < 0 {
			return "", false
		}
		b.WriteByte(byte(high<<4 | low))
		i += 2
	}
	return b.String(), utf8.ValidString(b.String())
}

// hexDigit returns the value of a hexadecimal digit, -1 for other characters.
func hexDigit(c byte) int {
	if c >= 'A' && c <= 'F' {
		c += 'a' - 'A'
	}
	return strings.IndexByte("0123456789abcdef", c)
}
