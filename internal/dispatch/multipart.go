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

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
)

// errParts means that a form lacks payload_json or has too many files.
var errParts = errors.New("invalid multipart answer")

// readMultipart reads an inline answer that is a multipart form: payload_json and files[n]. Package webhook has limited
// its size.
func readMultipart(contentType string, body []byte) (Response, error) {
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
		if err := r.addPart(p, text); err != nil {
			return r, err
		}
	}
	if !r.Body.IsSet() {
		return r, fmt.Errorf("%w: no payload_json", errParts)
	}
	return r, nil
}

// addPart adds a part of a form. It ignores parts with other names than payload_json and files[n].
func (r *Response) addPart(p *multipart.Part, text []byte) (err error) {
	if p.FormName() == "payload_json" {
		r.Body, err = jsonbody.Parse(text)
		return err
	}
	n, ok := fileIndex(p.FormName())
	if !ok {
		return nil
	}
	if len(r.Files) == message.MaxAttachments {
		return fmt.Errorf("%w: too many files", errParts)
	}
	u := attachments.Upload{
		Index: n, Name: p.FileName(), ContentType: p.Header.Get("Content-Type"), Size: int64(len(text)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
	}
	u.Width, u.Height = message.ImageSize(bytes.NewReader(text))
	r.Files = append(r.Files, u)
	return nil
}

// fileIndex returns the n of files[n].
func fileIndex(name string) (int, bool) {
	inner, begins := strings.CutPrefix(name, "files[")
	digits, ends := strings.CutSuffix(inner, "]")
	n, err := strconv.ParseUint(digits, 10, 31)
	return int(n), begins && ends && err == nil
}
