package interaction

import (
	"fmt"
	"strconv"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/snowflake"
)

// Doc returns the content as it is kept: a JSON object that ParseContent reads.
func (c Content) Doc() []byte {
	var p printer
	p.text(`{"content":`, c.Text)
	p.flag(`,"tts":`, c.TTS)
	p.integer(`,"flags":`, int64(c.Flags))
	if c.Embeds.IsSet() {
		p.raw(`,"embeds":`)
		p.value(c.Embeds)
	}
	if !c.Components.Empty() {
		p.raw(`,"components":`)
		p.value(c.Components.list)
	}
	if c.Poll.IsSet() {
		p.raw(`,"poll":`)
		p.value(c.Poll)
	}
	printAttachments(&p, c.Attachments)
	p.raw(`}`)
	return p.b
}

func printAttachments(p *printer, list []Attachment) {
	p.raw(`,"attachments":[`)
	for i := range list {
		p.comma(i > 0)
		list[i].print(p, "")
	}
	p.raw(`]`)
}

// ParseContent reads what Doc wrote. It does not judge. Whom the message may call is not kept: it was called.
func ParseContent(doc []byte) (Content, error) {
	v, err := form.Parse(doc)
	if err != nil {
		return Content{}, fmt.Errorf("content of a message: %w", err)
	}
	flags, _ := strconv.ParseUint(v.Get("flags").Text(), 10, 32) // none in documents without
	c := Content{
		Text: v.Get("content").Text(), TTS: isTrue(v, "tts"), Flags: Flags(flags),
		Embeds: v.Get("embeds"), Components: ParseComponents(v.Get("components")), Poll: v.Get("poll"),
	}
	for _, item := range v.Get("attachments").Items() {
		c.Attachments = append(c.Attachments, parseAttachment(item))
	}
	return c, nil
}

func parseAttachment(v form.Value) Attachment {
	id, _ := snowflake.Parse[snowflake.Attachment](v.Get("id").Text()) // none in documents without
	size, _ := strconv.ParseInt(v.Get("size").Text(), 10, 64)          // likewise
	a := Attachment{
		ID: id, Size: size, Filename: v.Get("filename").Text(), Title: v.Get("title").Text(),
		Description: v.Get("description").Text(), ContentType: v.Get("content_type").Text(),
		URL: v.Get("url").Text(), ProxyURL: v.Get("proxy_url").Text(), Ephemeral: isTrue(v, "ephemeral"),
	}
	if a.ProxyURL == a.URL {
		a.ProxyURL = ""
	}
	return a
}
