package message

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// form has the members that one kind of request can set, in addition to those that all kinds have.
type form struct {
	flags    Flags // an edit cannot remove IsComponentsV2
	edit     bool
	tts      bool
	stickers bool
	theme    bool
	trim     bool            // blanks around the text are removed
	long     bool            // the error about a very long text names another limit: see longContent
	mentions AllowedMentions // of a request without allowed_mentions
}

// The forms of requests.
var (
	response     = form{flags: SuppressEmbeds | Ephemeral | SuppressNotifications | IsVoiceMessage | IsComponentsV2, tts: true}
	responseEdit = form{flags: SuppressEmbeds | IsComponentsV2, edit: true}
	channelForm  = form{
		flags: SuppressEmbeds | SuppressNotifications | IsVoiceMessage | IsComponentsV2,
		tts:   true, stickers: true, theme: true, trim: true, long: true, mentions: allMentions,
	}
	channelEdit = form{flags: SuppressEmbeds | IsComponentsV2, edit: true, trim: true, long: true, mentions: allMentions}
	postForm    = form{flags: SuppressEmbeds | SuppressNotifications | IsComponentsV2, stickers: true, trim: true, long: true, mentions: allMentions}
	webhookForm = form{flags: SuppressEmbeds | SuppressNotifications | IsComponentsV2, tts: true, trim: true}
	webhookEdit = form{flags: SuppressEmbeds | IsComponentsV2, edit: true, trim: true}
)

// Limits of stickers and themes.
const (
	maxStickers    = 3
	maxThemeColors = 5
	colorDigits    = 6
)

// readExtras reads the members that only some forms have. An edit can only remove stickers.
func (c *Content) readExtras(t *jsonbody.Tree, body jsonbody.Value, f *form) {
	if v := body.Get("sticker_ids"); f.edit && v.Kind() != jsonbody.Absent && len(v.Items()) == 0 {
		c.Stickers = nil
	} else if v.IsSet() && f.stickers {
		c.Stickers = slices.Compact(ids[snowflake.Sticker](readStickers(t.At("sticker_ids"), v)))
	}
	if v := body.Get("shared_client_theme"); v.IsSet() && f.theme {
		c.Theme = readTheme(t.At("shared_client_theme"), v)
	}
}

var (
	readStickers = list(0, maxStickers, id)
	readTheme    = object(shape{
		{"colors", true, list(1, maxThemeColors, hexColor)},
		{"gradient_angle", true, whole(0, 360)},
		{"base_mix", true, whole(0, 100)},
		{"base_theme", false, whole(0, 4)},
	})
)

// hexColor accepts six hexadecimal digits.
func hexColor(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
	s, ok := jsonbody.AsString(t, v)
	if !ok {
		return v
	}
	if len(s) != colorDigits {
		t.Length(colorDigits, colorDigits)
	} else if _, err := strconv.ParseUint(strings.ToLower(s), 16, 32); err != nil {
		t.Add(jsonbody.StringRegex, "String value did not match validation regex.")
	}
	return v
}
