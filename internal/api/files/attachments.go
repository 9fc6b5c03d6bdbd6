// Package files serves the files of messages and the images of records, under the paths that they have on Discord's CDN. The paths
// belong to no version of the API.
package files

import (
	"mime"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/snowflake"
)

// Routes returns the endpoints of files and images.
func Routes(messages *attachments.Files, shown *images.Images) []api.Route {
	return append((&attachmentHandlers{messages}).routes(), (&imageHandlers{shown}).routes()...)
}

// attachmentHandlers serve the files of messages.
type attachmentHandlers struct {
	attachments *attachments.Files
}

func (h *attachmentHandlers) routes() []api.Route {
	return []api.Route{{
		Method: http.MethodGet, Path: "/attachments/{channel_id}/{attachment_id}/{filename}", Root: true, Name: "attachments.get",
		Doc:   "Read a file of a message or an interaction by its signed URL.",
		Allow: api.Everyone, Answer: map[int]string{200: "binary"}, Handle: h.getAttachment,
		Query: []api.Parameter{
			{Name: "ex", Kind: "string", Doc: "Time at which the URL expires."}, {Name: "is", Kind: "string", Doc: "Time at which the URL was made."}, {Name: "hm", Kind: "string", Doc: "Signature of the URL."},
		},
	}}
}

// sendTime bounds how long a client may take to read a file.
const sendTime = 5 * time.Minute

// getAttachment sends a file. Any user may have uploaded it, so the headers stop browsers from running it or guessing
// its type.
func (h *attachmentHandlers) getAttachment(c *api.Call) error {
	channel, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return api.ErrNotFound
	}
	id, err := api.PathID[snowflake.Attachment](c, "attachment_id")
	filename := c.Request.PathValue("filename")
	if err != nil || !h.attachments.Check(channel, id, filename, c.Query().Values) {
		return api.ErrNotFound
	}
	if err := c.EnterByAddress(); err != nil {
		return err
	}
	file, err := h.attachments.Open(c.Context(), id)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // a file that was only read
	c.SetWriteTimeout(sendTime)
	kind, inline := attachments.ServedType(filename)
	header := c.Header()
	if !inline {
		header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": filename}))
	}
	header.Set("Content-Type", kind)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin") // the signature protects the file, so any page may show it
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "private, max-age=3600, immutable")
	header.Set("Etag", `"`+id.String()+`"`)
	http.ServeContent(c, c.Request, "", time.Time{}, file)
	return nil
}
