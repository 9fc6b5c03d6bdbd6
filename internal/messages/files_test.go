package messages_test

import (
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/snowflake"
)

// fixture is attachments.Files in a temporary folder, with a clock that the test moves.
type fixture struct {
	*attachments.Files

	dir   string
	clock *clock.Movable
}

type stillClock struct{}

func (stillClock) Now() time.Time { return time.Date(2026, 5, 1, 12, 30, 0, 0, time.UTC) }
func (stillClock) AfterFunc(time.Duration, func()) *clock.Timer {
	panic("no test waits")
}

func open(t testing.TB) *fixture {
	t.Helper()
	d := &fixture{dir: t.TempDir(), clock: clock.NewMovable(stillClock{})}
	var err error
	d.Files, err = attachments.OpenFiles(d.dir, attachments.FilesConfig{
		Clock: d.clock, Wall: clock.System{}, Log: slog.New(slog.DiscardHandler), Base: "http://bellhop.test",
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// files returns the names of the stored files.
func (d *fixture) files(t testing.TB) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(filepath.Join(d.dir, "files")), ".", func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, e.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// content returns the bytes of a stored file.
func (d *fixture) content(t testing.TB, id snowflake.Attachment) string {
	t.Helper()
	f, err := d.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	return string(text)
}
