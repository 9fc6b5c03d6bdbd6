package permissions

import (
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// maxEntries is the highest number of entries in a request.
const maxEntries = 100

// ParseEntries reads the body of a request that replaces a set: an object whose member permissions is a list; null
// counts as an empty list. It does not check that the targets of the entries exist. The error is a *jsonbody.Tree.
func ParseEntries(body jsonbody.Value) ([]permission.Entry, error) {
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
	items, _ := jsonbody.AsItems(at, list, maxEntries)
	entries := make([]permission.Entry, len(items))
	for i, item := range items {
		entries[i] = parseEntry(at.Index(i), item)
	}
	return entries, t.Err()
}

func parseEntry(t *jsonbody.Tree, v jsonbody.Value) (e permission.Entry) {
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

// required returns a member, or reports that it is missing.
func required(t *jsonbody.Tree, v jsonbody.Value, name string) (jsonbody.Value, bool) {
	member := v.Get(name)
	if !member.IsSet() {
		t.At(name).Required()
	}
	return member, member.IsSet()
}

func parseEntryType(t *jsonbody.Tree, v jsonbody.Value) permission.EntryType {
	n, ok := jsonbody.AsWhole(t, v)
	if ok && (n < int64(permission.ForRole) || n > int64(permission.ForChannel)) {
		jsonbody.NotOneOfInts(t, permission.ForRole, permission.ForUser, permission.ForChannel)
	}
	return permission.EntryType(n)
}
