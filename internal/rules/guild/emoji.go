package guild

import (
	"strings"

	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of emojis.
const (
	MaxApplicationEmojis = 2000
	minEmojiName         = 2
	maxEmojiName         = 32
)

// emojiSlots are the numbers of emojis that a guild can have by its tier of boosts. Animated emojis are counted apart.
var emojiSlots = [...]int{50, 100, 150, 250}

// EmojiSlots returns how many emojis of each kind a guild can have.
func EmojiSlots(tier int) int { return emojiSlots[min(max(tier, 0), len(emojiSlots)-1)] }

// EmojiPatch holds the members of an emoji that a request contains.
type EmojiPatch struct {
	Name  optional.Value[string]           // never null
	Roles optional.Value[[]snowflake.Role] // null: every member can use the emoji
	Image imagedata.Image                  // of a new emoji
}

// ReadEmoji reads a request to create an emoji. The error is a *jsonbody.Tree or an *apierror.Error.
func ReadEmoji(body jsonbody.Value) (EmojiPatch, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return EmojiPatch{}, t.Err()
	}
	p := readEmoji(&t, body)
	if p.Name.IsZero() {
		t.At("name").Required()
	}
	var unusable error
	im, ok := imagedata.ReadMember(&t, body, "image", imagedata.MaxEmoji, &unusable).Get()
	if !ok {
		t.At("image").Required()
	}
	p.Image = im
	if err := t.Err(); err != nil {
		return EmojiPatch{}, err
	}
	return p, unusable
}

// ReadEmojiPatch reads a request to edit an emoji.
func ReadEmojiPatch(body jsonbody.Value) (EmojiPatch, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return EmojiPatch{}, t.Err()
	}
	return readEmoji(&t, body), t.Err()
}

func readEmoji(t *jsonbody.Tree, body jsonbody.Value) EmojiPatch {
	return EmojiPatch{
		Name: readRequired(t, body, "name", func(t *jsonbody.Tree, v jsonbody.Value) string {
			s := jsonbody.Text(minEmojiName, maxEmojiName)(t, v)
			if !t.Failed() && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
				t.Add(jsonbody.StringRegex, "String value did not match validation regex.")
			}
			return s
		}),
		Roles: jsonbody.ReadOptional(t, body, "roles", jsonbody.IDs[snowflake.Role](0, MaxRoles)),
	}
}
