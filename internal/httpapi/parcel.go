package httpapi

import (
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/jsonbody"
)

// Parcel is a body with the files that came along.
type Parcel struct {
	Body  jsonbody.Value
	Files []dispatch.Upload
	// Unread says that the body was not read, because the token of the interaction opened nothing.
	Unread bool

	form *attachments.Form // nil: it came as JSON
	call *Call
}

// Response returns the parcel as an app's answer.
func (p *Parcel) Response() dispatch.Response {
	return dispatch.Response{Body: p.Body, Files: p.Files, Unread: p.Unread}
}

// Drop removes the files that nobody kept.
func (p *Parcel) Drop() {
	if p.form == nil {
		return
	}
	if err := p.form.Close(); err != nil {
		p.call.frame.Log.ErrorContext(p.call.Request.Context(), "files not removed", "id", p.call.id, "err", err)
	}
}

// ReadAnswer reads what an app sends under an interaction's token. When the token opens nothing, nothing is read: the
// request is refused anyway, and whoever has no token cannot fill the disk.
func (c *Call) ReadAnswer() (*Parcel, error) {
	if c.Principal.Application == 0 {
		return &Parcel{Unread: true}, nil
	}
	return c.ReadParcel()
}

// ReadParcel reads a body that is JSON, or a form with payload_json and files. The caller drops it.
func (c *Call) ReadParcel() (*Parcel, error) {
	contentType := c.RequestHeader("Content-Type")
	if !attachments.IsForm(contentType) {
		body, err := c.readJSONWithin(attachments.MaxPayload)
		return &Parcel{Body: orEmpty(body)}, err
	}
	if c.Request.ContentLength > attachments.MaxForm {
		return nil, errTooLarge
	}
	f, err := c.frame.Attachments.ReadForm(c.Request.Body, contentType)
	switch {
	case errors.Is(err, attachments.ErrForm), errors.Is(err, attachments.ErrTooLarge), errors.Is(err, attachments.ErrFull):
		return nil, err
	case errors.Is(err, http.ErrBodyReadAfterClose), err != nil && c.Context().Err() != nil:
		return nil, errGone
	case err != nil:
		return nil, err
	}
	p := &Parcel{form: f, call: c}
	if f.Payload != nil {
		if p.Body, err = jsonbody.Parse(f.Payload); err != nil {
			p.Drop()
			return nil, err
		}
	}
	p.Body = orEmpty(p.Body)
	for _, u := range f.Files {
		p.Files = append(p.Files, dispatch.Upload{
			Index: u.Index, Name: u.Filename, ContentType: u.ContentType, Size: u.Size, Open: u.Open,
		})
	}
	return p, nil
}

// orEmpty returns an object in place of no body at all.
func orEmpty(body jsonbody.Value) jsonbody.Value {
	if body.Kind() == jsonbody.Absent {
		return jsonbody.ObjectOf()
	}
	return body
}
