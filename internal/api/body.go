package api

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/problem"
)

// maxBody is how large the body of a request for commands may be.
const maxBody = 8 << 20

// readJSON reads a JSON body. A missing one is an absent value.
func (c *call) readJSON() (form.Value, error) { return c.readJSONWithin(maxBody) }

// readJSONWithin reads a JSON body of limit bytes at the most.
func (c *call) readJSONWithin(limit int64) (form.Value, error) {
	data, err := c.readBody(limit)
	if err != nil || len(data) == 0 {
		return form.Value{}, err
	}
	if !isJSON(c.header("Content-Type")) {
		var t problem.Tree
		t.Add(problem.ContentTypeInvalid, `Expected "Content-Type" header to be one of `+
			`{"application/json", "application/x-www-form-urlencoded", "multipart/form-data"}.`)
		return form.Value{}, t.Err()
	}
	return form.Parse(data)
}

// isJSON reports whether a content type is JSON's, whatever its parameters.
func isJSON(contentType string) bool {
	if contentType == jsonType[0] {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == jsonType[0]
}

func (c *call) readBody(limit int64) ([]byte, error) {
	size := c.r.ContentLength
	if size > limit {
		return nil, errTooLarge
	}
	body := http.MaxBytesReader(c.ResponseWriter, c.r.Body, limit)
	var data []byte
	var err error
	if size >= 0 {
		data = make([]byte, size)
		_, err = io.ReadFull(body, data)
	} else {
		data, err = io.ReadAll(body)
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, errGone
	}
	return data, nil
}
