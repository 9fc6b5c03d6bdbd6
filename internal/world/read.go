package world

import (
	"github.com/bellhop/bellhop/internal/jsonbody"
)

// Read reads one record of a world that stands alone, such as a User, and completes it. Its error is a *problem.Tree. What
// depends on the guild around a part of it is not judged; the part's Complete does that.
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
