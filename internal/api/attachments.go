package api

import (
	"errors"
	"mime"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) attachmentRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/attachments/{channel_id}/{attachment_id}/{filename}", root: true, name: "attachments.get",
		doc:   "Read a file that came with a message or an interaction, under the address that it was given.",
		allow: everyone, answer: map[int]string{200: "binary"}, handle: a.getAttachment,
		query: []parameter{
			{"ex", "string", "When the address expires."}, {"is", "string", "When it was made."}, {"hm", "string", "Its signature."},
		},
	}}
}

// sendTime is how long a reader may take for a whole file.
const sendTime = 5 * time.Minute

// getAttachment sends a file. What it holds came from somebody: a browser must neither run it nor guess what it is.
func (a *API) getAttachment(c *call) error {
	channel, err := pathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return errNotFound
	}
	id, err := pathID[snowflake.Attachment](c, "attachment_id")
	filename := c.r.PathValue("filename")
	if err != nil || !a.Attachments.Check(channel, id, filename, c.query().values) {
		return errNotFound
	}
	if err := c.enter(&ratelimit.Caller{Address: c.from}); err != nil {
		return err
	}
	file, err := a.Attachments.Open(c.r.Context(), id)
	if errors.Is(err, attachments.ErrUnknown) {
		return errNotFound
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()                                                         // it was only read
	_ = http.NewResponseController(c.ResponseWriter).SetWriteDeadline(wall.Now().Add(sendTime)) // a recorder has none
	kind, inline := attachments.Shown(filename)
	h := c.Header()
	if !inline {
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": filename}))
	}
	h.Set("Content-Type", kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // the signature decides who reads it, not the page that shows it
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "private, max-age=3600, immutable")
	h.Set("Etag", `"`+id.String()+`"`)
	http.ServeContent(c, c.r, "", time.Time{}, file)
	return nil
}
