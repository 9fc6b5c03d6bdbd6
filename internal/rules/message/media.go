package message

import (
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
)

// componentPrinter writes the components of a message with the members that the service adds to media.
type componentPrinter struct {
	*wire.Printer

	next uint64 // id of the next media item that is no attachment
}

// list writes a list of components.
func (p *componentPrinter) list(items []jsonbody.Value) {
	p.Raw(`[`)
	for i, item := range items {
		p.Comma(i > 0)
		p.object(item)
	}
	p.Raw(`]`)
}

// object writes a component or an item of a media gallery.
func (p *componentPrinter) object(v jsonbody.Value) {
	p.Raw(`{`)
	for i, m := range v.Members() {
		p.Comma(i > 0)
		p.Quote(m.Name)
		p.Raw(`:`)
		switch m.Name {
		case "components", "items":
			p.list(m.Value.Items())
		case "accessory":
			p.object(m.Value)
		case "media":
			p.media(m.Value)
		case "file":
			if a := p.media(m.Value); a != nil {
				p.Text(`,"name":`, a.Filename)
				p.Integer(`,"size":`, a.Size)
			}
		default:
			p.Value(m.Value)
		}
	}
	p.Raw(`}`)
}

// media writes a media item. It returns the attachment that the item refers to, or nil.
func (p *componentPrinter) media(v jsonbody.Value) *wire.Attachment {
	url := v.Get("url").Text()
	name, own := strings.CutPrefix(url, wire.AttachmentScheme)
	for i := range p.Files {
		a := &p.Files[i]
		if !own || a.Filename != name {
			continue
		}
		p.ID(`{"id":`, uint64(a.ID))
		p.Text(`,"url":`, a.URL)
		p.Text(`,"proxy_url":`, a.Proxy())
		p.size(a.Width, a.Height)
		p.TextOrNull(`,"content_type":`, a.ContentType)
		p.ID(`,"attachment_id":`, uint64(a.ID))
		p.Raw(`}`)
		return a
	}
	p.next++
	p.ID(`{"id":`, p.next)
	p.Text(`,"url":`, url)
	p.Text(`,"proxy_url":`, url)
	p.size(0, 0)
	p.Raw(`,"content_type":null}`)
	return nil
}

// size writes the size of an image. 0 is unknown: Bellhop loads no media from other hosts.
func (p *componentPrinter) size(width, height int) {
	if width == 0 || height == 0 {
		p.Raw(`,"width":null,"height":null`)
		return
	}
	p.Integer(`,"width":`, int64(width))
	p.Integer(`,"height":`, int64(height))
}
