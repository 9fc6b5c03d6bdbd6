package attachments

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/message"
)

// Limits of a form, in bytes.
const (
	MaxForm    = 101 << 20 // the whole form
	maxPayload = 1 << 20   // payload_json
	maxParts   = interaction.MaxFiles + 8
	maxHead    = 16 << 10 // the headers of one part
)

// Form is a multipart/form-data body. Its files are in the spool until it is closed.
type Form struct {
	Payload []byte // the content of payload_json; nil: there is none
	Files   []*Upload

	spooled []*spooledFile
	hold    func(n int) error
}

// Close removes the files of the form from the spool. Files that were stored with Put stay.
func (f *Form) Close() error {
	var all error
	for _, file := range f.spooled {
		all = errors.Join(all, file.drop())
	}
	f.Files, f.spooled = nil, nil
	return all
}

// ReadForm reads a form with payload_json and files[n] in any order. It skips other parts. The error wraps ErrForm,
// ErrFormTooLarge, ErrNoRoom or an error of the body or of hold. hold is called with the number of bytes that the form keeps in
// memory, as they arrive. The caller closes the form.
func (f *Files) ReadForm(body io.Reader, contentType string, hold func(n int) error) (_ *Form, err error) {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["boundary"] == "" {
		return nil, fmt.Errorf("%w: no boundary", ErrForm)
	}
	m := &meter{r: body, all: MaxForm}
	parts := multipart.NewReader(m, params["boundary"])
	form := &Form{hold: hold}
	defer func() {
		if err != nil {
			err = errors.Join(err, form.Close())
		}
	}()
	for n := 0; ; n++ {
		m.head()
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err != nil {
			return nil, m.classify(err)
		}
		if n == maxParts {
			return nil, fmt.Errorf("%w: too many parts", ErrFormTooLarge)
		}
		m.content()
		if err := f.readPart(form, part); err != nil {
			return nil, m.classify(err)
		}
	}
}

// readPart reads one part to its end.
func (f *Files) readPart(form *Form, part *multipart.Part) error {
	name := part.FormName()
	if name == "payload_json" {
		if form.Payload != nil {
			return fmt.Errorf("%w: duplicate payload_json", ErrForm)
		}
		return form.readPayload(part)
	}
	index, ok := fileIndex(name)
	if !ok {
		_, err := io.Copy(io.Discard, part)
		return err
	}
	if index >= interaction.MaxFiles {
		return fmt.Errorf("%w: files[%d]", ErrFormTooLarge, index)
	}
	for _, u := range form.Files {
		if u.Index == index {
			return fmt.Errorf("%w: duplicate files[%d]", ErrForm, index)
		}
	}
	file, err := f.spool.receive(part, message.AttachmentSizeLimit)
	if err != nil {
		return err
	}
	filename := Filename(part.FileName())
	form.spooled = append(form.spooled, file)
	u := &Upload{
		Index: index, Name: filename, ContentType: contentType(part.Header.Get("Content-Type"), filename), Size: file.size,
		Open: func() (io.ReadCloser, error) { return file, nil },
	}
	u.Width, u.Height = message.ImageSize(io.NewSectionReader(file, 0, file.size))
	form.Files = append(form.Files, u)
	return nil
}

func (f *Form) readPayload(part io.Reader) error {
	var b bytes.Buffer
	n, err := b.ReadFrom(io.LimitReader(heldPart{part, f.hold}, maxPayload+1))
	if err != nil {
		return err
	}
	if n > maxPayload {
		return fmt.Errorf("%w: payload_json", ErrFormTooLarge)
	}
	f.Payload = b.Bytes()
	if f.Payload == nil {
		f.Payload = []byte{}
	}
	return nil
}

// heldPart is a part of a form that stays in memory.
type heldPart struct {
	io.Reader

	hold func(n int) error
}

// Read reads from the part.
func (p heldPart) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if full := p.hold(n); full != nil {
		return 0, full
	}
	return n, err
}

// fileIndex returns the n of files[n]. It also accepts the older names file and file0.
func fileIndex(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, "files[")
	if ok {
		digits, ok = strings.CutSuffix(digits, "]")
	} else if digits, ok = strings.CutPrefix(name, "file"); ok && digits == "" {
		digits = "0"
	}
	if !ok || digits == "" || len(digits) > 3 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

// meter limits the bytes that are read of a form. The headers of a part have a limit of their own, because they are
// held in memory.
type meter struct {
	r    io.Reader
	all  int64 // bytes left for the form
	part int64 // bytes left for the headers of the part; -1: reading its content
	over bool  // a limit was exceeded
}

// readAhead is the number of bytes that multipart.Reader reads ahead.
const readAhead = 8 << 10

func (m *meter) head()    { m.part = maxHead + readAhead }
func (m *meter) content() { m.part = -1 }

// Read reads up to the limits and then returns ErrFormTooLarge.
func (m *meter) Read(p []byte) (int, error) {
	room := m.all
	if m.part >= 0 {
		room = min(room, m.part)
	}
	if room <= 0 {
		m.over = true
		return 0, ErrFormTooLarge
	}
	if int64(len(p)) > room {
		p = p[:room]
	}
	n, err := m.r.Read(p)
	m.all -= int64(n)
	if m.part >= 0 {
		m.part -= int64(n)
	}
	return n, err
}

// classify wraps an error of reading the form in ErrForm or ErrFormTooLarge where one of them fits.
func (m *meter) classify(err error) error {
	_, beyond := errors.AsType[*http.MaxBytesError](err)
	switch {
	case m.over || beyond || errors.Is(err, multipart.ErrMessageTooLarge):
		return fmt.Errorf("%w: %w", ErrFormTooLarge, err)
	case errors.Is(err, ErrForm), errors.Is(err, ErrFormTooLarge), errors.Is(err, ErrNoRoom):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), strings.HasPrefix(err.Error(), "multipart: "),
		strings.HasPrefix(err.Error(), "malformed MIME header"):
		return fmt.Errorf("%w: %w", ErrForm, err)
	}
	return err
}
