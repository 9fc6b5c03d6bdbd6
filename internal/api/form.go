package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// maxPayload bounds a JSON body on routes that take files too.
const maxPayload = 1 << 20

// Form is a multipart body: the text of payload_json, nil if there is none, and the files.
type Form struct {
	Payload []byte
	Files   []Upload
	// Close removes the files that no message kept.
	Close func() error
}

// Upload is a file of a form.
type Upload struct {
	Index       int // the n of files[n]
	Name        string
	ContentType string
	Size        int64
	// Width and Height are those of an image, 0: unknown.
	Width, Height int
	// Open returns the bytes. It is called once at most.
	Open func() (io.ReadCloser, error)
}

// Payload is a JSON body with the files that came with it.
type Payload struct {
	Body  jsonbody.Value // an empty object if there is no body
	Files []Upload

	form *Form // nil: the body is JSON
	call *Call
}

// Close removes the files that no message kept.
func (p *Payload) Close() {
	if p.form == nil {
		return
	}
	if err := p.form.Close(); err != nil {
		p.call.h.Log.ErrorContext(p.call.Context(), "files not removed", "id", p.call.id, "err", err)
	}
}

// ReadPayload reads a body that is JSON, or a form with payload_json and files. The caller closes the payload.
func (c *Call) ReadPayload() (*Payload, error) {
	kind, _, err := mime.ParseMediaType(c.RequestHeader("Content-Type"))
	if err == nil && kind == "application/x-www-form-urlencoded" {
		return c.readEncodedPayload()
	}
	if err != nil || kind != "multipart/form-data" {
		body, err := c.readJSON(maxPayload)
		return &Payload{Body: orEmptyObject(body)}, err
	}
	f, err := c.h.ReadForm(c.Request, c.hold)
	if errors.Is(err, http.ErrBodyReadAfterClose) || err != nil && c.Context().Err() != nil {
		return nil, errGone
	}
	if err != nil {
		return nil, err
	}
	p := &Payload{Files: f.Files, form: f, call: c}
	if f.Payload != nil {
		if p.Body, err = jsonbody.Parse(f.Payload); err != nil {
			p.Close()
			return nil, err
		}
	}
	p.Body = orEmptyObject(p.Body)
	return p, nil
}

// readEncodedPayload reads payload_json of a form without files, which some client libraries send as application/x-www-form-urlencoded.
func (c *Call) readEncodedPayload() (*Payload, error) {
	data, err := c.ReadBody(maxPayload)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(data))
	if err != nil {
		return nil, jsonbody.ErrInvalid
	}
	payload := &Payload{Body: jsonbody.ObjectOf()}
	if text := form.Get("payload_json"); text != "" {
		payload.Body, err = jsonbody.Parse([]byte(text))
	}
	return payload, err
}

// orEmptyObject returns body, or an empty object if there is no body.
func orEmptyObject(body jsonbody.Value) jsonbody.Value {
	if body.Kind() == jsonbody.Absent {
		return jsonbody.ObjectOf()
	}
	return body
}
