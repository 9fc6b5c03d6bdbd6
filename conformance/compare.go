package conformance

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// same reports whether two values have the same JSON.
func same(a, b any) bool { return string(encode(a)) == string(encode(b)) }

func encode(v any) []byte {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Append(nil, v)
	}
	return text
}

// mismatch describes the first difference between got and want, or returns "". Got may have members that want does not
// name. A member that is null or false in want may be absent in got.
func mismatch(path string, got, want any) string {
	switch want := want.(type) {
	case map[string]any:
		o, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s is %s, want an object", at(path), encode(got))
		}
		for _, key := range sortedKeys(want) {
			if missing := mismatch(path+"."+key, o[key], want[key]); missing != "" {
				return missing
			}
		}
		return ""
	case []obj:
		items := make([]any, len(want))
		for i, w := range want {
			items[i] = w
		}
		return mismatch(path, got, items)
	case []any:
		l, ok := got.([]any)
		if !ok || len(l) != len(want) {
			return fmt.Sprintf("%s is %s, want a list of %d", at(path), short(encode(got)), len(want))
		}
		for i := range want {
			if missing := mismatch(path+"."+strconv.Itoa(i), l[i], want[i]); missing != "" {
				return missing
			}
		}
		return ""
	}
	if same(got, want) || got == nil && isDefault(want) {
		return ""
	}
	return fmt.Sprintf("%s is %s, want %s", at(path), short(encode(got)), short(encode(want)))
}

// isDefault reports whether a value means the same as an absent member.
func isDefault(v any) bool { return v == nil || v == false }

func at(path string) string {
	if path == "" {
		return "the response"
	}
	return path[1:]
}

func sortedKeys(o obj) []string {
	keys := make([]string, 0, len(o))
	for k := range o {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// wantMembers ends the check unless got has the members of want.
func (p *probe) wantMembers(what string, got obj, want any) {
	if missing := mismatch("", got, want); missing != "" {
		p.fail("%s: %s in %s", what, missing, short(encode(got)))
	}
}

// snowflake returns a member of o. It ends the check unless the member is a snowflake.
func (p *probe) snowflake(o obj, member string) uint64 {
	s, ok := o[member].(string)
	id, err := snowflake.Parse[uint64](s)
	if !ok || err != nil || id == 0 {
		p.fail("%s is %s, want a snowflake as a string, in %s", member, encode(o[member]), short(encode(o)))
	}
	return id
}

// wantAbsent ends the check if o has the member.
func (p *probe) wantAbsent(o obj, member, why string) {
	if v, ok := o[member]; ok {
		p.fail("%s is %s, want it absent: %s, in %s", member, encode(v), why, short(encode(o)))
	}
}
