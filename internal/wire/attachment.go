package wire

import "github.com/bellhop/bellhop/snowflake"

// Attachment is a file of a message or of an interaction.
type Attachment struct {
	ID          snowflake.Attachment
	Filename    string
	Title       string
	Description string
	ContentType string
	Size        int64
	URL         string
	ProxyURL    string // empty: the same as URL
	Ephemeral   bool
}

// AttachmentScheme is the URL scheme by which a message refers to its own files.
const AttachmentScheme = "attachment://"

// Print writes the attachment.
func (a *Attachment) Print(p *Printer) {
	p.ID(`{"id":`, uint64(a.ID))
	p.Text(`,"filename":`, a.Filename)
	p.optionalText(`,"title":`, a.Title)
	p.optionalText(`,"description":`, a.Description)
	p.optionalText(`,"content_type":`, a.ContentType)
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
