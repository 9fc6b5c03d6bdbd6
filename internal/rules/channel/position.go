package channel

import (
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/snowflake"
)

// Move is one entry of a request that moves channels.
type Move struct {
	ID       snowflake.Channel
	Position optional.Value[int]               // never null
	Parent   optional.Value[snowflake.Channel] // null removes the channel from its category
	Lock     bool                              // the channel takes the overwrites of its new category
}

// ReadMoves reads a request that moves channels of a guild.
func ReadMoves(body jsonbody.Value) ([]Move, error) {
	var t jsonbody.Tree
	items, _ := jsonbody.AsItems(&t, body, MaxPerGuild)
	moves := make([]Move, 0, len(items))
	for i, item := range items {
		at := t.Index(i)
		if item, ok := jsonbody.AsItem(at, item); ok {
			moves = append(moves, Move{
				ID:       jsonbody.ReadID[snowflake.Channel](at, item, "id", true),
				Position: jsonbody.ReadGiven(at, item, "position", jsonbody.Int(0, 1<<31-1)),
				Parent:   jsonbody.ReadOptional(at, item, "parent_id", jsonbody.ID[snowflake.Channel]),
				Lock:     jsonbody.ReadGiven(at, item, "lock_permissions", jsonbody.Boolean).Or(false),
			})
		}
	}
	return moves, t.Err()
}

// CheckParents checks that at most one channel gets a new category. parentOf returns the category of a channel, 0 for
// none. The error is an *apierror.Error.
func CheckParents(moves []Move, parentOf func(snowflake.Channel) snowflake.Channel) error {
	moved := 0
	for _, m := range moves {
		if old := parentOf(m.ID); m.Parent.Or(old) != old {
			moved++
		}
	}
	if moved > 1 {
		return apierror.OneParentOnly
	}
	return nil
}

// CheckParent checks the category of a channel. kind is the type of the channel with the id in parent_id, and children is
// the number of other channels in it.
func CheckParent(kind Type, children int) error {
	var t jsonbody.Tree
	switch {
	case kind != Category:
		t.At("parent_id").Add(ParentType, "Not a category")
	case children >= MaxChildren:
		t.At("parent_id").Add(ParentFull, "Maximum number of channels in category reached (50)")
	}
	return t.Err()
}
