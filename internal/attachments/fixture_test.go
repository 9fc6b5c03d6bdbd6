package attachments_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// fixture is Files in a temporary folder, with a clock that the test moves.
type fixture struct {
	*attachments.Files

	dir   string
	clock *clock.Movable
	ids   *store.IDs
	kept  map[snowflake.Attachment]bool // the ids that Referenced returns
}

type stillClock struct{}

func (stillClock) Now() time.Time { return time.Date(2026, 5, 1, 12, 30, 0, 0, time.UTC) }
func (stillClock) AfterFunc(time.Duration, func()) *clock.Timer {
	panic("no test waits")
}

func open(t testing.TB) *fixture {
	t.Helper()
	return openIn(t, t.TempDir())
}

func openIn(t testing.TB, dir string) *fixture {
	t.Helper()
	d := &fixture{dir: dir, clock: clock.NewMovable(stillClock{}), kept: map[snowflake.Attachment]bool{}}
	d.ids = store.NewIDs(0, d.clock.Now, time.Time{})
	var err error
	d.Files, err = attachments.OpenFiles(dir, attachments.FilesConfig{
		Clock: d.clock, Wall: clock.System{}, Log: slog.New(slog.DiscardHandler),
		Base: "http://bellhop.test",
		Referenced: func(_ context.Context, ids []snowflake.Attachment) (list []snowflake.Attachment, _ error) {
			for _, id := range ids {
				if d.kept[id] {
					list = append(list, id)
				}
			}
			return list, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// files returns the names of all files below a folder of the fixture.
func (d *fixture) files(t testing.TB, folder string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(filepath.Join(d.dir, folder), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// part is a part of a form.
type part struct{ name, filename, contentType, content string }

// form returns a multipart body and its content type.
func form(t testing.TB, parts ...part) (body *bytes.Buffer, contentType string) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	for _, p := range parts {
		h := textproto.MIMEHeader{}
		disposition := fmt.Sprintf(`form-data; name=%q`, p.name)
		if p.filename != "" {
			disposition += fmt.Sprintf(`; filename=%q`, p.filename)
		}
		h.Set("Content-Disposition", disposition)
		if p.contentType != "" {
			h.Set("Content-Type", p.contentType)
		}
		content, err := w.CreatePart(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := content.Write([]byte(p.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return body, w.FormDataContentType()
}

// put stores an uploaded file and returns its id.
func (d *fixture) put(t testing.TB, u *attachments.Upload) snowflake.Attachment {
	t.Helper()
	r, err := u.Open()
	if err != nil {
		t.Fatal(err)
	}
	id := snowflake.Attachment(d.ids.Next())
	if size, err := d.Put(t.Context(), id, u.Name, r); err != nil || size != u.Size {
		t.Fatalf("Put() = %d, %v, want %d", size, err, u.Size)
	}
	return id
}

// keep stores a file that was not uploaded in a form and returns its id.
func (d *fixture) keep(t testing.TB, content string) snowflake.Attachment {
	t.Helper()
	id := snowflake.Attachment(d.ids.Next())
	if size, err := d.Put(t.Context(), id, "a", strings.NewReader(content)); err != nil || size != int64(len(content)) {
		t.Fatalf("Put() = %d, %v", size, err)
	}
	return id
}

// content returns the content of a file.
func (d *fixture) content(t testing.TB, id snowflake.Attachment) string {
	t.Helper()
	r, err := d.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
