package permission

import (
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// MaxEntries is how many entries a set may be given.
const MaxEntries = 100

// ParseEntries reads the body of a request that replaces a set: an object with the member permissions, where null is an
// empty list. Whether what the entries speak of exists is not judged here. An error is a *problem.Tree with everything
// that is wrong.
func ParseEntries(body jsonbody.Value) ([]Entry, error) {
	var t jsonbody.Tree
	if body.Kind() == jsonbody.Absent {
		body = jsonbody.ObjectOf()
	}
	body, ok := jsonbody.AsObject(&t, body)
	if !ok {
		return nil, t.Err()
	}
	list, at := body.Get("permissions"), t.At("permissions")
	switch list.Kind() {
	case jsonbody.Absent:
		at.Required()
		return nil, t.Err()
	case jsonbody.Null:
		return nil, nil
	default:
	}
	items, _ := jsonbody.AsItems(at, list, MaxEntries)
	entries := make([]Entry, len(items))
	for i, item := range items {
		entries[i] = parseEntry(at.Index(i), item)
	}
	return entries, t.Err()
}

func parseEntry(t *jsonbody.Tree, v jsonbody.Value) (e Entry) {
	v, ok := jsonbody.AsItem(t, v)
	if !ok {
		return e
	}
	if id, ok := required(t, v, "id"); ok {
		e.ID, _ = jsonbody.AsID[snowflake.Target](t.At("id"), id)
	}
	if kind, ok := required(t, v, "type"); ok {
		e.Type = parseEntryType(t.At("type"), kind)
	}
	if allow, ok := required(t, v, "permission"); ok {
		e.Allow, _ = jsonbody.AsBool(t.At("permission"), allow)
	}
	return e
}

// required returns a member, else notes that it is missing.
func required(t *jsonbody.Tree, v jsonbody.Value, name string) (jsonbody.Value, bool) {
	member := v.Get(name)
	if !member.IsSet() {
		t.At(name).Required()
	}
	return member, member.IsSet()
}

func parseEntryType(t *jsonbody.Tree, v jsonbody.Value) EntryType {
	n, ok := jsonbody.AsWhole(t, v)
	if ok && (n < int64(ForRole) || n > int64(ForChannel)) {
		jsonbody.NotOneOfInts(t, ForRole, ForUser, ForChannel)
	}
	return EntryType(n)
}
