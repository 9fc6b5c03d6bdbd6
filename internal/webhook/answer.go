package webhook

import (
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Answer is an app's answer to an interaction.
type Answer struct {
	// Deferred says that the app will use the callback route. All other fields but Arrived are empty.
	Deferred bool
	// ContentType is the content type of Body, with its parameters: application/json or multipart/form-data.
	ContentType string
	Body        []byte
	// Form is the parsed body if it is JSON.
	Form jsonbody.Value
	// Arrived is when the headers of the answer had been received.
	Arrived time.Time
	// Request is the id of the delivery in the traffic log; 0: it is not recorded.
	Request uint64
}

// reply is an HTTP response with the part of its body that matters.
type reply struct {
	status      int
	contentType string
	encoded     bool
	body        []byte
	arrived     time.Time
}

// answer returns the app's answer, or an *Error if the reply is not a valid answer to an interaction.
func (r *reply) answer() (Answer, error) {
	a := Answer{Arrived: r.arrived}
	switch {
	case r.status == http.StatusAccepted && len(r.body) == 0:
		a.Deferred = true
		return a, nil
	case r.status == http.StatusAccepted:
		return a, &Error{Kind: BadContent, Status: r.status, Detail: "a body"}
	case r.status != http.StatusOK:
		return a, &Error{Kind: Status, Status: r.status}
	case r.encoded:
		return a, &Error{Kind: BadContent, Status: r.status, Detail: "an unrequested content encoding"}
	}
	media, parameters, err := mime.ParseMediaType(r.contentType)
	switch {
	case err == nil && media == "application/json":
		if a.Form, err = jsonbody.Parse(r.body); err != nil {
			return a, &Error{Kind: BadContent, Status: r.status, Detail: "invalid JSON"}
		}
	case err == nil && media == "multipart/form-data" && parameters["boundary"] != "":
	default:
		return a, &Error{Kind: BadContent, Status: r.status, Detail: "a content type that is neither JSON nor multipart"}
	}
	a.ContentType, a.Body = r.contentType, r.body
	return a, nil
}

// acknowledgement is answer for an event: any status of 2xx acknowledges it, and the body does not matter.
func acknowledgement(r *reply) (Answer, error) {
	if r.status < http.StatusOK || r.status >= http.StatusMultipleChoices {
		return Answer{}, &Error{Kind: Status, Status: r.status}
	}
	return Answer{Arrived: r.arrived}, nil
}

const (
	firstBuffer = 4 << 10  // for a body of unknown length
	smallBuffer = 64 << 10 // smaller buffers are not counted: the number of deliveries limits their memory
)

// readBody reads the body of res, up to limit bytes. It claims the memory of a large body from s.
func readBody(res *http.Response, limit int, s *slot) ([]byte, error) {
	if res.ContentLength > int64(limit) {
		return nil, &Error{Kind: TooLarge, Status: res.StatusCode, Detail: "a body that is too large"}
	}
	size := firstBuffer
	if res.ContentLength >= 0 { // one more byte to detect the end
		limit = int(res.ContentLength)
		size = min(limit+1, smallBuffer)
	}
	b := make([]byte, 0, size)
	for {
		n, err := res.Body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > limit:
			return nil, &Error{Kind: TooLarge, Status: res.StatusCode, Detail: "a body that is too large"}
		case err == io.EOF:
			return b, nil
		case err != nil:
			return nil, err
		case len(b) < cap(b):
			continue
		}
		next := min(2*cap(b), limit+1)
		if res.ContentLength >= 0 { // data arrives, so trust the announced length
			next = limit + 1
		}
		if next > smallBuffer {
			if err := s.claim(next - s.bytes); err != nil {
				return nil, err
			}
		}
		b = append(make([]byte, 0, next), b...)
	}
}
