package message

import (
	"fmt"
	"strconv"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Doc returns the content as it is stored: a JSON object that ParseContent reads.
func (c Content) Doc() []byte {
	var p wire.Printer
	p.Text(`{"content":`, c.Text)
	p.Bool(`,"tts":`, c.TTS)
	p.Integer(`,"flags":`, int64(c.Flags))
	if c.Embeds.IsSet() {
		p.Raw(`,"embeds":`)
		p.Value(c.Embeds)
	}
	if !c.Components.Empty() {
		p.Raw(`,"components":`)
		p.Value(c.Components.list)
	}
	if c.Poll.IsSet() {
		p.Raw(`,"poll":`)
		p.Value(c.Poll)
	}
	if len(c.Stickers) > 0 {
		p.Raw(`,"sticker_ids":[`)
		for i, id := range c.Stickers {
			p.Comma(i > 0)
			p.ID("", uint64(id))
		}
		p.Raw(`]`)
	}
	if c.Theme.IsSet() {
		p.Raw(`,"shared_client_theme":`)
		p.Value(c.Theme)
	}
	printAttachments(&p, c.Attachments)
	p.Raw(`}`)
	return p.Out
}

func printAttachments(p *wire.Printer, list []wire.Attachment) {
	p.Raw(`,"attachments":[`)
	for i := range list {
		p.Comma(i > 0)
		list[i].Print(p)
	}
	p.Raw(`]`)
}

// ParseContent parses what Doc wrote. It does not validate it. Allowed mentions are not stored, because they only apply
// when the message is sent.
func ParseContent(doc []byte) (Content, error) {
	v, err := jsonbody.Parse(doc)
	if err != nil {
		return Content{}, fmt.Errorf("parse the content of a message: %w", err)
	}
	flags, _ := strconv.ParseUint(v.Get("flags").Text(), 10, 32) // 0 if absent
	c := Content{
		Text: v.Get("content").Text(), TTS: jsonbody.IsTrue(v, "tts"), Flags: Flags(flags),
		Embeds: v.Get("embeds"), Components: ParseComponents(v.Get("components")), Poll: v.Get("poll"),
		Stickers: ids[snowflake.Sticker](v.Get("sticker_ids")), Theme: v.Get("shared_client_theme"),
	}
	for _, item := range v.Get("attachments").Items() {
		c.Attachments = append(c.Attachments, parseAttachment(item))
	}
	return c, nil
}

func parseAttachment(v jsonbody.Value) wire.Attachment {
	id, _ := snowflake.Parse[snowflake.Attachment](v.Get("id").Text()) // 0 if absent
	size, _ := strconv.ParseInt(v.Get("size").Text(), 10, 64)          // 0 if absent
	a := wire.Attachment{
		ID: id, Size: size, Filename: v.Get("filename").Text(), Title: v.Get("title").Text(),
		Description: v.Get("description").Text(), ContentType: v.Get("content_type").Text(),
		URL: v.Get("url").Text(), ProxyURL: v.Get("proxy_url").Text(), Ephemeral: jsonbody.IsTrue(v, "ephemeral"),
	}
	a.Width, a.Height = Component{v}.Number("width", 0), Component{v}.Number("height", 0)
	a.Duration, _ = strconv.ParseFloat(v.Get("duration_secs").Text(), 64) // 0 if absent
	a.Waveform, a.Spoiler = v.Get("waveform").Text(), v.Get("flags").IsSet()
	if a.ProxyURL == a.URL {
		a.ProxyURL = ""
	}
	return a
}
