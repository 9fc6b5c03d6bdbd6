// Package yardstick provides minimal servers that a measured service is compared with. They show what the machine can do for a
// service that responds over HTTP, and for one that also stores requests.
package yardstick

import (
	"net/http"
	"strconv"
)

// Answer is the response of a yardstick to every request: the bytes with which the measured service responds to the same request.
type Answer struct {
	contentType   []string
	contentLength []string
	body          []byte
}

// NewAnswer returns an answer with status 200.
func NewAnswer(contentType string, body []byte) Answer {
	return Answer{
		contentType:   []string{contentType},
		contentLength: []string{strconv.Itoa(len(body))},
		body:          body,
	}
}

// ServeHTTP sends the answer and reads nothing. It makes Answer the bare server.
func (a Answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	header["Content-Type"] = a.contentType
	header["Content-Length"] = a.contentLength
	_, _ = w.Write(a.body) // the client may have disconnected
}
