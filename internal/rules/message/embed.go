package message

import (
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Limits of embeds.
const (
	MaxEmbeds    = 10
	MaxEmbedText = 6000 // of all embeds of a message
	maxColor     = 0xffffff
)

var (
	webURL   = urlWith(maxURL, "http", "https")
	mediaURL = urlWith(maxURL, "http", "https", "attachment")

	pictureShape = shape{{"url", true, mediaURL}}

	embedShape = shape{
		{"title", false, text(0, 256)},
		{"description", false, text(0, 4096)},
		{"url", false, webURL},
		{"timestamp", false, timestamp},
		{"color", false, whole(0, maxColor)},
		{"footer", false, object(shape{{"text", true, text(0, 2048)}, {"icon_url", false, mediaURL}})},
		{"image", false, object(pictureShape)},
		{"thumbnail", false, object(pictureShape)},
		{"author", false, object(shape{{"name", true, text(1, 256)}, {"url", false, webURL}, {"icon_url", false, mediaURL}})},
		{"fields", false, list(0, 25, filled(object(shape{
			{"name", true, text(1, 256)}, {"value", true, text(1, 1024)}, {"inline", false, boolean},
		}), jsonbody.Member{Name: "inline", Value: jsonbody.BoolOf(false)}))},
	}
)

// readEmbeds reads the embeds of a message.
func readEmbeds(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
	items, _ := jsonbody.AsItems(t, v, MaxEmbeds)
	clean := make([]jsonbody.Value, 0, len(items))
	size := 0
	for i, item := range items {
		item, ok := jsonbody.AsItem(t.Index(i), item)
		if !ok {
			continue
		}
		members := append([]jsonbody.Member{{Name: "type", Value: jsonbody.StringOf("rich")}}, embedShape.read(t.Index(i), item)...)
		embed := jsonbody.ObjectOf(members...)
		size += embedSize(embed)
		clean = append(clean, embed)
	}
	if size > MaxEmbedText {
		t.Add(EmbedsTooLarge, "Embed size exceeds maximum size of 6000")
	}
	return jsonbody.ListOf(clean...)
}

// embedSize returns the number of visible code points.
func embedSize(v jsonbody.Value) int {
	n := jsonbody.Len(v.Get("title").Text()) + jsonbody.Len(v.Get("description").Text()) +
		jsonbody.Len(v.Get("footer").Get("text").Text()) + jsonbody.Len(v.Get("author").Get("name").Text())
	for _, f := range v.Get("fields").Items() {
		n += jsonbody.Len(f.Get("name").Text()) + jsonbody.Len(f.Get("value").Text())
	}
	return n
}
