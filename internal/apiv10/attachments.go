package apiv10

import (
	"errors"
	"mime"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) attachmentRoutes() []httpapi.Route {
	return []httpapi.Route{{
		Method: http.MethodGet, Path: "/attachments/{channel_id}/{attachment_id}/{filename}", Root: true, Name: "attachments.get",
		Doc:   "Read a file that came with a message or an interaction, under the address that it was given.",
		Allow: httpapi.Everyone, Answer: map[int]string{200: "binary"}, Handle: a.getAttachment,
		Query: []httpapi.Parameter{
			{Name: "ex", Kind: "string", Doc: "When the address expires."}, {Name: "is", Kind: "string", Doc: "When it was made."}, {Name: "hm", Kind: "string", Doc: "Its signature."},
		},
	}}
}

// sendTime is how long a reader may take for a whole file.
const sendTime = 5 * time.Minute

// getAttachment sends a file. What it holds came from somebody: a browser must neither run it nor guess what it is.
func (a *API) getAttachment(c *httpapi.Call) error {
	channel, err := httpapi.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return httpapi.ErrNotFound
	}
	id, err := httpapi.PathID[snowflake.Attachment](c, "attachment_id")
	filename := c.Request.PathValue("filename")
	if err != nil || !a.Attachments.Check(channel, id, filename, c.Query().Values) {
		return httpapi.ErrNotFound
	}
	if err := c.EnterByAddress(); err != nil {
		return err
	}
	file, err := a.Attachments.Open(c.Context(), id)
	if errors.Is(err, attachments.ErrUnknown) {
		return httpapi.ErrNotFound
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()                                                                   // it was only read
	_ = http.NewResponseController(c.ResponseWriter).SetWriteDeadline(clock.System{}.Now().Add(sendTime)) // a recorder has none
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
	http.ServeContent(c, c.Request, "", time.Time{}, file)
	return nil
}
