package webhook

import (
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/jsonbody"
)

// Answer is what an app answered to an interaction.
type Answer struct {
	// Deferred says that the app will use the callback route. Then there is nothing else but Arrived.
	Deferred bool
	// ContentType is that of Body, with its parameters: application/json or multipart/form-data.
	ContentType string
	Body        []byte
	// Form is the body, read; of JSON only.
	Form jsonbody.Value
	// Arrived is when the headers of the answer were there.
	Arrived time.Time
}

// reply is an HTTP response of which the body was read as far as it matters.
type reply struct {
	status      int
	contentType string
	encoded     bool
	body        []byte
	arrived     time.Time
}

// answer judges a reply to an interaction.
func (r *reply) answer() (Answer, error) {
	a := Answer{Arrived: r.arrived}
	switch {
	case r.status == http.StatusAccepted && len(r.body) == 0:
		a.Deferred = true
		return a, nil
	case r.status == http.StatusAccepted:
		return a, &Error{Kind: BadContent, Status: r.status, Detail: "it has a body"}
	case r.status != http.StatusOK:
		return a, &Error{Kind: Status, Status: r.status}
	case r.encoded:
		return a, &Error{Kind: BadContent, Status: r.status, Detail: "it is encoded, though nobody asked for that"}
	}
	media, parameters, err := mime.ParseMediaType(r.contentType)
	switch {
	case err == nil && media == "application/json":
		if a.Form, err = jsonbody.Parse(r.body); err != nil {
			return a, &Error{Kind: BadContent, Status: r.status, Detail: "it is no JSON"}
		}
	case err == nil && media == "multipart/form-data" && parameters["boundary"] != "":
	default:
		return a, &Error{Kind: BadContent, Status: r.status, Detail: "its content type is neither JSON nor a form"}
	}
	a.ContentType, a.Body = r.contentType, r.body
	return a, nil
}

const (
	firstBuffer = 4 << 10  // for a body of unknown length
	smallBuffer = 64 << 10 // up to here memory is not counted: the number of deliveries bounds it
)

// readBody reads the body of res, up to limit bytes. What a large one takes is claimed at p.
func readBody(res *http.Response, limit int, p *place) ([]byte, error) {
	if res.ContentLength > int64(limit) {
		return nil, &Error{Kind: TooLarge, Status: res.StatusCode, Detail: "body"}
	}
	size := firstBuffer
	if res.ContentLength >= 0 { // one byte more shows the end
		limit = int(res.ContentLength)
		size = min(limit+1, smallBuffer)
	}
	b := make([]byte, 0, size)
	for {
		n, err := res.Body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > limit:
			return nil, &Error{Kind: TooLarge, Status: res.StatusCode, Detail: "body"}
		case err == io.EOF:
			return b, nil
		case err != nil:
			return nil, err
		case len(b) < cap(b):
			continue
		}
		next := min(2*cap(b), limit+1)
		if res.ContentLength >= 0 { // it has begun to keep its promise
			next = limit + 1
		}
		if next > smallBuffer {
			if err := p.claim(next - p.bytes); err != nil {
				return nil, err
			}
		}
		b = append(make([]byte, 0, next), b...)
	}
}
