package world

import (
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Read reads a single record, such as a User, and completes it. A record with problems is a *jsonbody.Tree. Read does
// not check the rules that depend on a guild; the Complete method of the record does.
func Read[T any, P record[T]](v jsonbody.Value) (T, error) {
	var t jsonbody.Tree
	r := readRecord[T, P](&t, v)
	P(&r).complete(&t)
	if err := t.Err(); err != nil {
		var none T
		return none, err
	}
	return r, nil
}
