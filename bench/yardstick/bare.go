// Package yardstick holds servers that do one thing and nothing else: what the machine can give to a service that
// speaks HTTP, and to one that also keeps what it is sent. A measured service is compared with them.
package yardstick

import (
	"net/http"
	"strconv"
)

// Answer is what a yardstick says to every request: the bytes that the measured service said to the same request.
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

// ServeHTTP makes an Answer the bare server: it reads nothing and sends the answer.
func (a Answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	header["Content-Type"] = a.contentType
	header["Content-Length"] = a.contentLength
	_, _ = w.Write(a.body) // a client that is gone needs no answer
}
