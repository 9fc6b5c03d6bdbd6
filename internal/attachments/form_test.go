package attachments_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/google/go-cmp/cmp"
)

type upload struct {
	Index                           int
	Filename, ContentType, Contents string
}

// unbounded lets a form keep any number of bytes.
func unbounded(int) error { return nil }

func TestReadForm(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		parts   []part
		payload string
		files   []upload
	}{
		{"payload first", []part{{name: "payload_json", content: "{}"}, {"files[0]", "a.txt", "text/plain", "A"}}, "{}", []upload{{0, "a.txt", "text/plain", "A"}}},
		{"payload last", []part{{"files[0]", "a.txt", "", "A"}, {name: "payload_json", content: "{}"}}, "{}", []upload{{0, "a.txt", "text/plain; charset=utf-8", "A"}}},
		{"indexes as sent", []part{{"files[7]", "a.bin", "", "A"}, {"files[2]", "b.PNG", "", "B"}}, "", []upload{{7, "a.bin", "", "A"}, {2, "b.PNG", "image/png", "B"}}},
		{"older spellings", []part{{"file", "a", "", "A"}, {"file1", "b", "", "B"}}, "", []upload{{0, "a", "", "A"}, {1, "b", "", "B"}}},
		{"other parts are skipped", []part{{name: "wait", content: "true"}, {name: "filesystem", content: "x"}, {name: "payload_json", content: "{}"}}, "{}", nil},
		{"paths become names", []part{{"files[0]", `..\..\etc/pass wd`, "", ""}}, "", []upload{{0, "pass_wd", "", ""}}},
		{"an empty form", nil, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			body, kind := form(t, tt.parts...)
			if len(tt.parts) == 0 {
				body.WriteString("--x--\r\n")
				kind = "multipart/form-data; boundary=x"
			}
			f, err := d.ReadForm(body, kind, unbounded)
			if err != nil {
				t.Fatal(err)
			}
			var got []upload
			for _, u := range f.Files {
				got = append(got, upload{u.Index, u.Name, u.ContentType, d.content(t, d.put(t, u))})
			}
			if diff := cmp.Diff(tt.files, got); diff != "" || string(f.Payload) != tt.payload {
				t.Errorf("payload %q, want %q; files (-want +got):\n%s", f.Payload, tt.payload, diff)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if left := d.files(t, "spool"); len(left) > 0 {
				t.Errorf("files left in the spool: %q", left)
			}
		})
	}
}

func TestReadFormRefuses(t *testing.T) {
	t.Parallel()
	many := make([]part, 100)
	for i := range many {
		many[i] = part{name: fmt.Sprint("field", i), content: "x"}
	}
	big := strings.Repeat("x", message.AttachmentSizeLimit+1)
	for _, tt := range []struct {
		name  string
		parts []part
		cut   int // bytes to remove from the end
		want  error
	}{
		{"a file one byte too large", []part{{"files[0]", "a", "", big}}, 0, attachments.ErrFormTooLarge},
		{"a payload too large", []part{{name: "payload_json", content: big[:1<<20+1]}}, 0, attachments.ErrFormTooLarge},
		{"too many parts", many, 0, attachments.ErrFormTooLarge},
		{"too many files", []part{{"files[25]", "a", "", ""}}, 0, attachments.ErrFormTooLarge},
		{"headers too large", []part{{"files[0]", big[:1<<17], "", ""}}, 0, attachments.ErrFormTooLarge},
		{"the same file twice", []part{{"files[0]", "a", "", ""}, {"files[0]", "b", "", ""}}, 0, attachments.ErrForm},
		{"the payload twice", []part{{name: "payload_json", content: ""}, {name: "payload_json", content: "{}"}}, 0, attachments.ErrForm},
		{"no end", []part{{"files[0]", "a", "", big[:1000]}}, 10, attachments.ErrForm},
		{"no end in a file", []part{{"files[0]", "a", "", big[:1000]}}, 500, attachments.ErrForm},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			body, kind := form(t, tt.parts...)
			body.Truncate(body.Len() - tt.cut)
			if f, err := d.ReadForm(body, kind, unbounded); !errors.Is(err, tt.want) {
				t.Errorf("ReadForm() = %v, %v, want %v", f, err, tt.want)
			}
			if left := d.files(t, "spool"); len(left) > 0 {
				t.Errorf("files left in the spool: %q", left)
			}
		})
	}
	t.Run("no boundary", func(t *testing.T) {
		t.Parallel()
		if _, err := open(t).ReadForm(strings.NewReader("x"), "multipart/form-data", unbounded); !errors.Is(err, attachments.ErrForm) {
			t.Errorf("ReadForm() = %v, want ErrForm", err)
		}
	})
	t.Run("a body that never ends", func(t *testing.T) {
		t.Parallel()
		if _, err := open(t).ReadForm(endless{}, "multipart/form-data; boundary=x", unbounded); !errors.Is(err, attachments.ErrForm) {
			t.Errorf("ReadForm() = %v, want ErrForm", err)
		}
	})
}

// endless is a reader that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("x"), len(p))), nil }

// FuzzReadForm checks that every body gives a form or one of the package's errors, and that nothing stays in the spool.
func FuzzReadForm(f *testing.F) {
	body, _ := form(f, part{name: "payload_json", content: "{}"}, part{"files[0]", "a.png", "image/png", "data"})
	boundary := strings.TrimPrefix(strings.SplitN(body.String(), "\r\n", 2)[0], "--")
	f.Add(strings.ReplaceAll(body.String(), boundary, "x"))
	f.Add("--x\r\n\r\n--x--")
	f.Add("--x\nContent-Disposition: form-data; name=files[0]\n\n\n--x--")
	d := open(f)
	f.Fuzz(func(t *testing.T, body string) {
		got, err := d.ReadForm(strings.NewReader(body), "multipart/form-data; boundary=x", unbounded)
		if err != nil {
			if !errors.Is(err, attachments.ErrForm) && !errors.Is(err, attachments.ErrFormTooLarge) {
				t.Errorf("ReadForm() = %v, want ErrForm or ErrFormTooLarge", err)
			}
		} else {
			for _, u := range got.Files {
				if u.Name != attachments.Filename(u.Name) || u.Size > int64(len(body)) {
					t.Errorf("file %+v of a body of %d bytes", u, len(body))
				}
			}
			if err := got.Close(); err != nil {
				t.Error(err)
			}
		}
		if left := d.files(t, "spool"); len(left) > 0 {
			t.Errorf("files left in the spool: %q", left)
		}
	})
}

// TestReadFormImage checks that the size of an image is read, and that the whole file is stored after that.
func TestReadFormImage(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 7, 5))); err != nil {
		t.Fatal(err)
	}
	d := open(t)
	body, kind := form(t, part{"files[0]", "a.png", "image/png", picture.String()})
	f, err := d.ReadForm(body, kind, unbounded)
	if err != nil {
		t.Fatal(err)
	}
	if u := f.Files[0]; u.Width != 7 || u.Height != 5 || d.content(t, d.put(t, u)) != picture.String() {
		t.Errorf("%d by %d, %d bytes stored, want 7 by 5, %d bytes", u.Width, u.Height, u.Size, picture.Len())
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestReadFormCountsPayload checks that the bytes of payload_json count as they arrive, and those of files do not.
func TestReadFormCountsPayload(t *testing.T) {
	t.Parallel()
	full, held := errors.New("full"), 0
	hold := func(n int) error {
		if held += n; held > 100 {
			return full
		}
		return nil
	}
	d := open(t)
	body, kind := form(t, part{"files[0]", "a.txt", "", strings.Repeat("x", 1000)}, part{name: "payload_json", content: strings.Repeat("x", 100)})
	f, err := d.ReadForm(body, kind, hold)
	if err != nil || held != 100 {
		t.Fatalf("ReadForm() = %v with %d bytes in memory, want 100", err, held)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	held = 0
	body, kind = form(t, part{name: "payload_json", content: strings.Repeat("x", 101)})
	if _, err := d.ReadForm(body, kind, hold); !errors.Is(err, full) {
		t.Errorf("ReadForm() = %v, want the error of hold", err)
	}
}
