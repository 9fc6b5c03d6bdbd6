package payload

import "github.com/bellhop/bellhop/snowflake"

// Attachment is a file as messages and resolved data show it.
type Attachment struct {
	ID          snowflake.Attachment
	Filename    string
	Title       string
	Description string
	ContentType string
	Size        int64
	URL         string
	ProxyURL    string // empty: the same
	Ephemeral   bool
}

// Print writes the attachment object after open.
func (a *Attachment) Print(p *Printer, open string) {
	p.Raw(open)
	p.ID(`{"id":`, uint64(a.ID))
	p.Text(`,"filename":`, a.Filename)
	if a.Title != "" {
		p.Text(`,"title":`, a.Title)
	}
	if a.Description != "" {
		p.Text(`,"description":`, a.Description)
	}
	if a.ContentType != "" {
		p.Text(`,"content_type":`, a.ContentType)
	}
	p.Integer(`,"size":`, a.Size)
	p.Text(`,"url":`, a.URL)
	proxy := a.ProxyURL
	if proxy == "" {
		proxy = a.URL
	}
	p.Text(`,"proxy_url":`, proxy)
	if a.Ephemeral {
		p.Raw(`,"ephemeral":true`)
	}
	p.Raw(`}`)
}
