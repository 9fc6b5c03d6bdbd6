package wire

import (
	"cmp"

	"github.com/bellhop/bellhop/snowflake"
)

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
	// Width and Height are those of an image, 0: unknown.
	Width, Height int
	Ephemeral     bool
	Spoiler       bool
	// Duration, in seconds, and Waveform are those of a voice message.
	Duration float64
	Waveform string
}

// spoilerFlag is the flag of attachments that are hidden until a user selects them.
const spoilerFlag = 1 << 3

// Proxy returns the URL of the attachment behind the proxy.
func (a *Attachment) Proxy() string { return cmp.Or(a.ProxyURL, a.URL) }

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
	p.Text(`,"proxy_url":`, a.Proxy())
	if a.Width > 0 && a.Height > 0 {
		p.Integer(`,"width":`, int64(a.Width))
		p.Integer(`,"height":`, int64(a.Height))
	}
	if a.Ephemeral {
		p.Raw(`,"ephemeral":true`)
	}
	if a.Duration > 0 {
		p.Raw(`,"duration_secs":`)
		p.Float(a.Duration)
	}
	p.optionalText(`,"waveform":`, a.Waveform)
	if a.Spoiler {
		p.Integer(`,"flags":`, spoilerFlag)
	}
	p.Raw(`}`)
}
