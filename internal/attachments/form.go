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

	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/message"
)

// Bounds of a form.
const (
	MaxForm    = 101 << 20 // all of it
	MaxPayload = 1 << 20   // its JSON
	maxParts   = interaction.MaxFiles + 8
	maxHead    = 16 << 10 // the headers of a part
)

// Upload is a file that came in a form. It lies in the spool until the form is closed.
type Upload struct {
	Index       int // the n of files[n]
	Filename    string
	ContentType string
	Size        int64

	spooled *spooled
}

// Form is a body of the kind multipart/form-data that has been read.
type Form struct {
	Payload []byte // what stood under payload_json; nil: nothing
	Files   []*Upload
}

// Open returns the bytes of the file.
func (u *Upload) Open() (io.ReadCloser, error) { return u.spooled, nil }

// Close drops the files of the form; those that were kept stay.
func (f *Form) Close() error {
	var faults error
	for _, u := range f.Files {
		faults = errors.Join(faults, u.spooled.drop())
	}
	f.Files = nil
	return faults
}

// IsForm reports whether a content type is that of a form.
func IsForm(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "multipart/form-data"
}

// ReadForm reads a form: payload_json and files[n], in any order; parts of other names are skipped. An error is ErrForm,
// ErrTooLarge, ErrFull or what reading the body met. The caller closes the form.
func (a *Attachments) ReadForm(body io.Reader, contentType string) (_ *Form, err error) {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["boundary"] == "" {
		return nil, fmt.Errorf("%w: no boundary", ErrForm)
	}
	m := &meter{r: body, all: MaxForm}
	parts := multipart.NewReader(m, params["boundary"])
	f := &Form{}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	for n := 0; ; n++ {
		m.head()
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err != nil {
			return nil, m.fault(err)
		}
		if n == maxParts {
			return nil, fmt.Errorf("%w: too many parts", ErrTooLarge)
		}
		m.content()
		if err := a.readPart(f, part); err != nil {
			return nil, m.fault(err)
		}
	}
}

// readPart reads one part to its end.
func (a *Attachments) readPart(f *Form, part *multipart.Part) error {
	name := part.FormName()
	if name == "payload_json" {
		if f.Payload != nil {
			return fmt.Errorf("%w: payload_json stands twice", ErrForm)
		}
		return f.readPayload(part)
	}
	index, ok := fileIndex(name)
	if !ok {
		_, err := io.Copy(io.Discard, part)
		return err
	}
	if index >= interaction.MaxFiles {
		return fmt.Errorf("%w: files[%d]", ErrTooLarge, index)
	}
	for _, u := range f.Files {
		if u.Index == index {
			return fmt.Errorf("%w: files[%d] stands twice", ErrForm, index)
		}
	}
	file, err := a.spool.receive(part, message.AttachmentSizeLimit)
	if err != nil {
		return err
	}
	filename := Filename(part.FileName())
	f.Files = append(f.Files, &Upload{
		Index: index, Filename: filename, ContentType: contentType(part.Header.Get("Content-Type"), filename), Size: file.taken, spooled: file,
	})
	return nil
}

func (f *Form) readPayload(part io.Reader) error {
	var b bytes.Buffer
	n, err := b.ReadFrom(io.LimitReader(part, MaxPayload+1))
	if err != nil {
		return err
	}
	if n > MaxPayload {
		return fmt.Errorf("%w: payload_json", ErrTooLarge)
	}
	f.Payload = b.Bytes()
	if f.Payload == nil {
		f.Payload = []byte{}
	}
	return nil
}

// fileIndex returns the n of files[n]. The older spellings file and file0 are read too.
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

// meter counts what is read of a form. What stands before the content of a part is bounded on its own, since it is held in
// memory.
type meter struct {
	r    io.Reader
	all  int64 // bytes left of the form
	part int64 // bytes left of the headers of a part; -1: in its content
	over bool
}

// readAhead is what the reader of parts takes beyond what it hands on.
const readAhead = 8 << 10

func (m *meter) head()    { m.part = maxHead + readAhead }
func (m *meter) content() { m.part = -1 }

// Read reads within the bounds.
func (m *meter) Read(p []byte) (int, error) {
	room := m.all
	if m.part >= 0 {
		room = min(room, m.part)
	}
	if room <= 0 {
		m.over = true
		return 0, ErrTooLarge
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

// fault says what is wrong with a form that could not be read to its end.
func (m *meter) fault(err error) error {
	_, beyond := errors.AsType[*http.MaxBytesError](err)
	switch {
	case m.over || beyond || errors.Is(err, multipart.ErrMessageTooLarge):
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	case errors.Is(err, ErrForm), errors.Is(err, ErrTooLarge), errors.Is(err, ErrFull):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), strings.HasPrefix(err.Error(), "multipart: "),
		strings.HasPrefix(err.Error(), "malformed MIME header"):
		return fmt.Errorf("%w: %w", ErrForm, err)
	}
	return err
}
