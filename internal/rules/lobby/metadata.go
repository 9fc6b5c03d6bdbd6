package lobby

import (
	"maps"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json"
)

// MaxMetadata is the largest total length of all keys and values, in code points. The number of keys has no limit of its
// own.
const MaxMetadata = 1000

// Limits of moderation metadata.
const (
	MaxModerationKeys  = 5
	MaxModerationKey   = 1024
	MaxModerationValue = 2000
)

// Metadata is a dictionary of strings as JSON, in the order of the request. The empty Metadata is null.
type Metadata string

// MetadataOf returns a dictionary as metadata, sorted by key.
func MetadataOf(dict map[string]string) Metadata {
	var pairs []jsonbody.Member
	for _, k := range slices.Sorted(maps.Keys(dict)) {
		pairs = append(pairs, jsonbody.Member{Name: k, Value: jsonbody.StringOf(dict[k])})
	}
	return text(pairs)
}

// Map returns the dictionary, or nil for null.
func (m Metadata) Map() map[string]string {
	var dict map[string]string
	if m == "" || json.Unmarshal([]byte(m), &dict) != nil {
		return nil
	}
	return dict
}

// AppendJSON appends the dictionary, or null.
func (m Metadata) AppendJSON(b []byte) []byte {
	if m == "" {
		return append(b, "null"...)
	}
	return append(b, m...)
}

// bounds are the limits of a dictionary. 0 means no limit.
type bounds struct{ keys, key, value, total int }

var (
	metadataBounds   = bounds{total: MaxMetadata}
	moderationBounds = bounds{keys: MaxModerationKeys, key: MaxModerationKey, value: MaxModerationValue}
)

// readMetadata reads null or a dictionary of strings.
func readMetadata(t *jsonbody.Tree, v jsonbody.Value, limit bounds) Metadata {
	if v.Kind() == jsonbody.Null {
		return ""
	}
	if _, ok := jsonbody.AsDict(t, v); !ok {
		return ""
	}
	pairs := lastOfEach(v.Members())
	total := 0
	for _, p := range pairs {
		at := t.At(p.Name)
		value, _ := jsonbody.AsString(at, p.Value)
		key, length := jsonbody.Len(p.Name), jsonbody.Len(value)
		total += key + length
		if limit.key > 0 && key > limit.key {
			at.Length(-1, limit.key)
		}
		if limit.value > 0 && length > limit.value {
			at.Length(-1, limit.value)
		}
	}
	if limit.keys > 0 && len(pairs) > limit.keys {
		t.Length(-1, limit.keys)
	}
	if limit.total > 0 && total > limit.total {
		t.Length(-1, limit.total)
	}
	return text(pairs)
}

// lastOfEach returns the last member of each name, in order.
func lastOfEach(members []jsonbody.Member) []jsonbody.Member {
	const usual = 25 // most dictionaries have fewer keys
	seen := make(map[string]bool, min(len(members), usual))
	list := make([]jsonbody.Member, 0, min(len(members), usual))
	for _, m := range slices.Backward(members) {
		if !seen[m.Name] {
			seen[m.Name] = true
			list = append(list, m)
		}
	}
	slices.Reverse(list)
	return list
}

// text returns a dictionary of strings as JSON.
func text(pairs []jsonbody.Member) Metadata {
	b := []byte{'{'}
	for i, p := range pairs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsonbody.AppendString(b, p.Name), ':')
		b = jsonbody.AppendString(b, p.Value.Text())
	}
	return Metadata(append(b, '}'))
}
