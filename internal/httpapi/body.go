package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/bellhop/bellhop/internal/jsonbody"
)

// maxBody is how large the body of a request for commands may be.
const maxBody = 8 << 20

// ReadJSON reads a JSON body. A missing one is an absent value.
func (c *Call) ReadJSON() (jsonbody.Value, error) { return c.readJSONWithin(maxBody) }

// readJSONWithin reads a JSON body of limit bytes at the most.
func (c *Call) readJSONWithin(limit int64) (jsonbody.Value, error) {
	data, err := c.ReadBody(limit)
	if err != nil || len(data) == 0 {
		return jsonbody.Value{}, err
	}
	if !isJSON(c.RequestHeader("Content-Type")) {
		var t jsonbody.Tree
		t.Add(jsonbody.ContentTypeInvalid, `Expected "Content-Type" header to be one of `+
			`{"application/json", "application/x-www-form-urlencoded", "multipart/form-data"}.`)
		return jsonbody.Value{}, t.Err()
	}
	return jsonbody.Parse(data)
}

// isJSON reports whether a content type is JSON's, whatever its parameters.
func isJSON(contentType string) bool {
	if contentType == jsonType[0] {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == jsonType[0]
}

// ReadBody reads a body of limit bytes at the most.
func (c *Call) ReadBody(limit int64) ([]byte, error) {
	size := c.Request.ContentLength
	if size > limit {
		return nil, errTooLarge
	}
	var data []byte
	var err error
	if size >= 0 {
		data = make([]byte, size)
		_, err = io.ReadFull(c.Request.Body, data)
	} else {
		data, err = io.ReadAll(http.MaxBytesReader(c.ResponseWriter, c.Request.Body, limit))
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, errGone
	}
	_ = c.Request.Body.Close() // whole: the server need not look for more of it
	return data, nil
}

// ReadObject reads a JSON body of which a missing one says as much as an empty object.
func (c *Call) ReadObject() (jsonbody.Value, error) {
	body, err := c.ReadJSON()
	if err == nil && body.Kind() == jsonbody.Absent {
		body = jsonbody.ObjectOf()
	}
	return body, err
}
