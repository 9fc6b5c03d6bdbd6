package api

import (
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/dispatch"
)

// parcel is a body with the files that came along.
type parcel struct {
	body  form.Value
	files []dispatch.Upload
	form  *attachments.Form // nil: it came as JSON
	call  *call
}

// response returns the parcel as an app's answer.
func (p *parcel) response() dispatch.Response { return dispatch.Response{Body: p.body, Files: p.files} }

// drop removes the files that nobody kept.
func (p *parcel) drop() {
	if p.form == nil {
		return
	}
	if err := p.form.Close(); err != nil {
		p.call.api.Log.ErrorContext(p.call.r.Context(), "files not removed", "id", p.call.id, "err", err)
	}
}

// readAnswer reads what an app sends under an interaction's token. When the token opens nothing, nothing is read: the
// request is refused anyway, and whoever has no token cannot fill the disk.
func (c *call) readAnswer() (*parcel, error) {
	if c.principal.Application == 0 {
		return &parcel{}, nil
	}
	return c.readParcel()
}

// readParcel reads a body that is JSON, or a form with payload_json and files. The caller drops it.
func (c *call) readParcel() (*parcel, error) {
	contentType := c.header("Content-Type")
	if !attachments.IsForm(contentType) {
		body, err := c.readJSONWithin(attachments.MaxPayload)
		return &parcel{body: orEmpty(body)}, err
	}
	if c.r.ContentLength > attachments.MaxForm {
		return nil, errTooLarge
	}
	f, err := c.api.Attachments.ReadForm(c.r.Body, contentType)
	switch {
	case errors.Is(err, attachments.ErrForm), errors.Is(err, attachments.ErrTooLarge), errors.Is(err, attachments.ErrFull):
		return nil, err
	case errors.Is(err, http.ErrBodyReadAfterClose), err != nil && c.r.Context().Err() != nil:
		return nil, errGone
	case err != nil:
		return nil, err
	}
	p := &parcel{form: f, call: c}
	if f.Payload != nil {
		if p.body, err = form.Parse(f.Payload); err != nil {
			p.drop()
			return nil, err
		}
	}
	p.body = orEmpty(p.body)
	for _, u := range f.Files {
		p.files = append(p.files, dispatch.Upload{
			Index: u.Index, Name: u.Filename, ContentType: u.ContentType, Size: u.Size, Open: u.Open,
		})
	}
	return p, nil
}

// orEmpty returns an object in place of no body at all.
func orEmpty(body form.Value) form.Value {
	if body.Kind() == form.Absent {
		return form.ObjectOf()
	}
	return body
}
