package api

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// maxBody bounds the JSON body of a request.
const maxBody = 8 << 20

// ReadJSON parses a JSON body. A missing body is an absent value.
func (c *Call) ReadJSON() (jsonbody.Value, error) { return c.readJSON(maxBody) }

// maxImages bounds a JSON body with images, which are base64 in data URIs.
const maxImages = 16 << 20

// ReadImages parses a JSON body with images. A missing body counts as {}.
func (c *Call) ReadImages() (jsonbody.Value, error) {
	body, err := c.readJSON(maxImages)
	if err != nil {
		return body, err
	}
	return orEmptyObject(body), nil
}

// ReadObject parses a JSON body. A missing body counts as {}.
func (c *Call) ReadObject() (jsonbody.Value, error) {
	body, err := c.readJSON(maxBody)
	if err != nil {
		return body, err
	}
	return orEmptyObject(body), nil
}

// ReadRawJSON reads a JSON body and leaves the parsing to its caller. A missing body is empty.
func (c *Call) ReadRawJSON() ([]byte, error) { return c.readRawJSON(maxBody) }

// readJSON parses a JSON body of at most limit bytes.
func (c *Call) readJSON(limit int64) (jsonbody.Value, error) {
	data, err := c.readRawJSON(limit)
	if err != nil || len(data) == 0 {
		return jsonbody.Value{}, err
	}
	return jsonbody.Parse(data)
}

// readRawJSON reads a body of at most limit bytes and checks that its content type is JSON.
func (c *Call) readRawJSON(limit int64) ([]byte, error) {
	data, err := c.ReadBody(limit)
	if err != nil || len(data) == 0 {
		return nil, err
	}
	if !isJSON(c.RequestHeader("Content-Type")) {
		var t jsonbody.Tree
		t.Add(jsonbody.ContentTypeInvalid, `Expected "Content-Type" header to be one of `+
			`{"application/json", "application/x-www-form-urlencoded", "multipart/form-data"}.`)
		return nil, t.Err()
	}
	return data, nil
}

// isJSON reports whether a content type is application/json, with or without parameters.
func isJSON(contentType string) bool {
	if contentType == jsonType[0] {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == jsonType[0]
}

// ReadBody reads a body of at most limit bytes.
func (c *Call) ReadBody(limit int64) ([]byte, error) {
	if c.body != nil {
		return c.body, nil
	}
	size := c.Request.ContentLength
	if size > limit {
		return nil, errTooLarge
	}
	var data []byte
	var err error
	body := heldBody{c.Request.Body, c}
	if size >= 0 {
		data, err = readFull(body, int(size))
	} else {
		data, err = io.ReadAll(http.MaxBytesReader(c.ResponseWriter, body, limit))
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, errTooLarge
	}
	if errors.Is(err, ErrShare) || errors.Is(err, ErrBusy) {
		return nil, err
	}
	if err != nil {
		return nil, errGone
	}
	_ = c.Request.Body.Close() // the body is complete, so closing it cannot fail
	c.body = data
	return data, nil
}

// firstPiece is the size of the first buffer for a body, before any of the body has arrived.
const firstPiece = 16 << 10

// readFull reads size bytes. Its memory grows with what has arrived: a client that declares a large body and sends nothing
// costs firstPiece at most.
func readFull(r io.Reader, size int) ([]byte, error) {
	data := make([]byte, 0, min(size, firstPiece))
	for len(data) < size {
		if len(data) == cap(data) {
			data = append(make([]byte, 0, min(2*len(data), size)), data...)
		}
		n, err := io.ReadFull(r, data[len(data):min(cap(data), size)])
		data = data[:len(data)+n]
		if err != nil {
			return nil, err
		}
	}
	return data, nil
}
