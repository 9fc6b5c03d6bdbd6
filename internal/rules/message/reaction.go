package message

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Emoji is a custom emoji, which has an id, or a standard emoji, which has only a name: its characters.
type Emoji struct {
	ID       snowflake.Emoji
	Name     string
	Animated bool
}

// maxEmoji bounds the bytes of a standard emoji. The longest are families and flags of regions.
const maxEmoji = 64

// maxEmojiName bounds the characters of the name of a custom emoji.
const maxEmojiName = 32

// variation is the character that asks for the colored form of an emoji. Emojis are equal with and without it.
const variation = "\ufe0f"

// ParseEmoji reads the emoji in the path of a reaction, which the router has decoded once: the characters of a standard
// emoji, or name:id or a:name:id of a custom one. The error is apierror.UnknownReaction.
func ParseEmoji(text string) (Emoji, error) {
	parts := strings.Split(text, ":")
	if n := len(parts); n > 1 {
		id, err := snowflake.Parse[snowflake.Emoji](parts[n-1])
		if err != nil || id == 0 || n > 3 || n == 3 && parts[0] != "a" && parts[0] != "" || !isEmojiName(parts[n-2]) {
			return Emoji{}, apierror.UnknownReaction
		}
		return Emoji{ID: id, Name: parts[n-2], Animated: n == 3 && parts[0] == "a"}, nil
	}
	if !isEmoji(text) {
		return Emoji{}, apierror.UnknownReaction
	}
	return Emoji{Name: text}, nil
}

// isEmojiName reports whether a custom emoji can have a name. It accepts an empty name: requests may leave it out.
func isEmojiName(s string) bool {
	return len(s) <= maxEmojiName && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// Key returns a text that is the same for equal emojis: the id of a custom emoji, whatever its name, and the characters
// of a standard one without variation selectors.
func (e Emoji) Key() string {
	if e.ID != 0 {
		return e.ID.String()
	}
	return strings.ReplaceAll(e.Name, variation, "")
}

// symbols are the characters that are emojis by themselves.
var symbols = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00a9, Hi: 0x00a9, Stride: 1},
		{Lo: 0x00ae, Hi: 0x00ae, Stride: 1},
		{Lo: 0x203c, Hi: 0x203c, Stride: 1},
		{Lo: 0x2049, Hi: 0x2049, Stride: 1},
		{Lo: 0x2122, Hi: 0x2122, Stride: 1},
		{Lo: 0x2139, Hi: 0x2139, Stride: 1},
		{Lo: 0x2194, Hi: 0x2bff, Stride: 1},
		{Lo: 0x3030, Hi: 0x3030, Stride: 1},
		{Lo: 0x303d, Hi: 0x303d, Stride: 1},
		{Lo: 0x3297, Hi: 0x3299, Stride: 2},
	},
	R32:         []unicode.Range32{{Lo: 0x1f000, Hi: 0x1faff, Stride: 1}},
	LatinOffset: 2,
}

// isEmoji reports whether a text consists of the characters of one emoji. It knows the blocks of emojis, not the list of
// all emojis.
func isEmoji(s string) bool {
	const keycap, joiner = '\u20e3', '\u200d'
	if s == "" || len(s) > maxEmoji || !utf8.ValidString(s) {
		return false
	}
	if base, ok := strings.CutSuffix(s, string(keycap)); ok {
		base = strings.TrimSuffix(base, variation)
		return len(base) == 1 && strings.Contains("0123456789#*", base)
	}
	pictures := 0 // without a joiner between them
	joined := false
	for _, r := range s {
		switch {
		case r == joiner:
			joined = true
		case string(r) == variation, r >= 0xe0020 && r <= 0xe007f, r >= 0x1f3fb && r <= 0x1f3ff && pictures > 0:
			// the variation, the tags of a region, or a skin tone
		case unicode.Is(symbols, r):
			if !joined {
				pictures++
			}
			joined = false
		default:
			return false
		}
	}
	flag := strings.ContainsFunc(s, isRegional)
	return pictures == 1 || pictures == 2 && flag
}

// isRegional reports whether a character is a letter of a flag. A flag has two of them.
func isRegional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// MaxReactions is the number of different reactions that a message can have.
const MaxReactions = 20

// Reaction is one emoji below a message, with the number of users who reacted with it.
type Reaction struct {
	Emoji Emoji
	Count int
	Me    bool // the reader of the message is one of them
}

// PrintEmoji writes the emoji as reactions and their events show it. A custom emoji that no longer exists has no name.
func (e Emoji) PrintEmoji(p *wire.Printer, key string) {
	p.Raw(key)
	p.IDOrNull(`{"id":`, uint64(e.ID))
	p.TextOrNull(`,"name":`, e.Name)
	if e.Animated {
		p.Raw(`,"animated":true`)
	}
	p.Raw(`}`)
}

// printReactions writes the reactions of a message. Bellhop has no burst reactions: all reactions are normal.
func printReactions(p *wire.Printer, list []Reaction) {
	if len(list) == 0 {
		return
	}
	p.Raw(`,"reactions":[`)
	for i, r := range list {
		p.Comma(i > 0)
		r.Emoji.PrintEmoji(p, `{"emoji":`)
		p.Integer(`,"count":`, int64(r.Count))
		p.Integer(`,"count_details":{"burst":0,"normal":`, int64(r.Count))
		p.Bool(`},"burst_colors":[],"me_burst":false,"me":`, r.Me)
		p.Raw(`}`)
	}
	p.Raw(`]`)
}

// StickerItem is a sticker as messages show it.
type StickerItem struct {
	ID     snowflake.Sticker
	Name   string
	Format int // by its number in the API: 1 PNG, 2 APNG, 3 Lottie, 4 GIF
}

// printStickers writes the stickers of a message.
func printStickers(p *wire.Printer, list []StickerItem) {
	if len(list) == 0 {
		return
	}
	p.Raw(`,"sticker_items":[`)
	for i, s := range list {
		p.Comma(i > 0)
		p.ID(`{"id":`, uint64(s.ID))
		p.Text(`,"name":`, s.Name)
		p.Integer(`,"format_type":`, int64(s.Format))
		p.Raw(`}`)
	}
	p.Raw(`]`)
}
