package channel

import (
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// ReadBits reads a set of permissions: a decimal string or a number. Bits without a meaning are dropped.
func ReadBits(t *jsonbody.Tree, v jsonbody.Value) permission.Bits {
	n, _ := jsonbody.AsUint(t, v)
	return permission.Bits(n) & permission.All
}

// ReadOverwrite reads a request to set the overwrite of a role or a member.
func ReadOverwrite(id snowflake.Target, body jsonbody.Value) (permission.Overwrite, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return permission.Overwrite{}, t.Err()
	}
	o := readOverwrite(&t, body)
	o.ID = id
	return o, t.Err()
}

// readOverwrite reads an overwrite without its id.
func readOverwrite(t *jsonbody.Tree, v jsonbody.Value) permission.Overwrite {
	var o permission.Overwrite
	if kind := v.Get("type"); kind.IsSet() {
		o.Member = jsonbody.OneOf(0, 1)(t.At("type"), kind) == 1
	} else {
		t.At("type").Required()
	}
	o.Allow = jsonbody.ReadGiven(t, v, "allow", ReadBits).Or(0)
	o.Deny = jsonbody.ReadGiven(t, v, "deny", ReadBits).Or(0)
	return o
}

// readOverwrites reads a list of overwrites. Of several overwrites for the same target, the last one counts.
func readOverwrites(t *jsonbody.Tree, v jsonbody.Value, most int) []permission.Overwrite {
	items, _ := jsonbody.AsItems(t, v, most)
	list := make([]permission.Overwrite, 0, len(items))
	for i, item := range items {
		item, ok := jsonbody.AsItem(t.Index(i), item)
		if !ok {
			continue
		}
		o := readOverwrite(t.Index(i), item)
		o.ID = jsonbody.ReadID[snowflake.Target](t.Index(i), item, "id", true)
		list = slices.DeleteFunc(list, func(other permission.Overwrite) bool { return sameTarget(o, other) })
		list = append(list, o)
	}
	return list
}

func sameTarget(a, b permission.Overwrite) bool { return a.ID == b.ID && a.Member == b.Member }

// OverwriteChange is the difference of one overwrite between two lists. Old or New is nil if the overwrite is new or gone.
type OverwriteChange struct{ Old, New *permission.Overwrite }

// Operation returns the operation that makes the change.
func (c OverwriteChange) Operation() permission.Operation {
	switch {
	case c.Old == nil:
		return permission.OpCreateOverwrite
	case c.New == nil:
		return permission.OpDeleteOverwrite
	default:
		return permission.OpEditOverwrite
	}
}

// OverwriteChanges returns the differences between two lists of overwrites: new and changed ones in the order of next,
// then those that are gone.
func OverwriteChanges(old, next []permission.Overwrite) []OverwriteChange {
	var list []OverwriteChange
	for i := range next {
		j := slices.IndexFunc(old, func(o permission.Overwrite) bool { return sameTarget(o, next[i]) })
		switch {
		case j < 0:
			list = append(list, OverwriteChange{New: &next[i]})
		case old[j] != next[i]:
			list = append(list, OverwriteChange{Old: &old[j], New: &next[i]})
		}
	}
	for i := range old {
		if !slices.ContainsFunc(next, func(o permission.Overwrite) bool { return sameTarget(o, old[i]) }) {
			list = append(list, OverwriteChange{Old: &old[i]})
		}
	}
	return list
}

// Synced reports whether two channels have the same overwrites in any order. A channel that is synced with its category
// follows the category's changes.
func Synced(a, b []permission.Overwrite) bool { return len(OverwriteChanges(a, b)) == 0 }
