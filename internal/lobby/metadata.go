package lobby

import (
	"maps"
	"slices"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/go-json-experiment/json"
)

// How much metadata can hold. Lengths are in code points.
const (
	MaxMetadata     = 1000 // of all keys and values together
	MaxMetadataKeys = 25
)

// How much moderation metadata can hold.
const (
	MaxModerationKeys  = 5
	MaxModerationKey   = 1024
	MaxModerationValue = 2000
)

// Metadata is a dictionary of strings as its JSON text, in the order in which it was sent. The empty Metadata is null.
type Metadata string

// MetadataOf returns a dictionary as metadata, in the order of its keys.
func MetadataOf(dict map[string]string) Metadata {
	var pairs []jsonbody.Member
	for _, k := range slices.Sorted(maps.Keys(dict)) {
		pairs = append(pairs, jsonbody.Member{Name: k, Value: jsonbody.StringOf(dict[k])})
	}
	return text(pairs)
}

// Map returns the dictionary, nil for null.
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

// bounds say how large a dictionary may be. A bound of 0 does not exist.
type bounds struct{ keys, key, value, total int }

var (
	metadataBounds   = bounds{keys: MaxMetadataKeys, total: MaxMetadata}
	moderationBounds = bounds{keys: MaxModerationKeys, key: MaxModerationKey, value: MaxModerationValue}
)

// readMetadata reads null or a dictionary of strings.
func readMetadata(t *jsonbody.Tree, v jsonbody.Value, most bounds) Metadata {
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
		if most.key > 0 && key > most.key {
			at.Length(-1, most.key)
		}
		if most.value > 0 && length > most.value {
			at.Length(-1, most.value)
		}
	}
	if len(pairs) > most.keys {
		t.Length(-1, most.keys)
	}
	if most.total > 0 && total > most.total {
		t.Length(-1, most.total)
	}
	return text(pairs)
}

// lastOfEach returns the members without those that a later one of the same name stands in for.
func lastOfEach(members []jsonbody.Member) []jsonbody.Member {
	seen := make(map[string]bool, min(len(members), MaxMetadataKeys))
	kept := make([]jsonbody.Member, 0, min(len(members), MaxMetadataKeys))
	for _, m := range slices.Backward(members) {
		if !seen[m.Name] {
			seen[m.Name] = true
			kept = append(kept, m)
		}
	}
	slices.Reverse(kept)
	return kept
}

// text writes a dictionary of strings.
func text(pairs []jsonbody.Member) Metadata {
	b := []byte{'{'}
	for i, p := range pairs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, p.Name), ':')
		b = appendText(b, p.Value.Text())
	}
	return Metadata(append(b, '}'))
}
