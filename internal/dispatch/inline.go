package dispatch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/message"
)

// errParts says that a form lacks what an answer needs, or has more than one may.
var errParts = errors.New("not the parts of an answer")

// readParts reads an inline answer that is a form: payload_json and files[n]. Its size was bounded when it came in.
func readParts(contentType string, body []byte) (Response, error) {
	_, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return Response{}, err
	}
	var r Response
	for parts := multipart.NewReader(bytes.NewReader(body), parameters["boundary"]); ; {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return r, err
		}
		text, err := io.ReadAll(p)
		if err != nil {
			return r, err
		}
		if err := r.part(p, text); err != nil {
			return r, err
		}
	}
	if !r.Body.IsSet() {
		return r, fmt.Errorf("%w: no payload_json", errParts)
	}
	return r, nil
}

func (r *Response) part(p *multipart.Part, text []byte) (err error) {
	if p.FormName() == "payload_json" {
		r.Body, err = jsonbody.Parse(text)
		return err
	}
	inner, ok := strings.CutPrefix(p.FormName(), "files[")
	digits, end := strings.CutSuffix(inner, "]")
	n, err := strconv.ParseUint(digits, 10, 31)
	if !ok || !end || err != nil {
		return nil //nolint:nilerr // parts of other names are of no interest
	}
	if len(r.Files) == message.MaxAttachments {
		return fmt.Errorf("%w: too many files", errParts)
	}
	r.Files = append(r.Files, Upload{
		Index: int(n), Name: p.FileName(), ContentType: p.Header.Get("Content-Type"), Size: int64(len(text)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
	})
	return nil
}
