package attachments_test

import (
	"context"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// TestSharedFolder starts several nodes at once with one folder. Each node reads the files of the others and accepts
// their URLs.
func TestSharedFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shared")
	spool := filepath.Join(dir, "spool")
	if err := os.MkdirAll(spool, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{"under way": time.Minute, "left behind": 2 * time.Hour} {
		file := filepath.Join(spool, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, time.Now(), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	nodes := make([]*attachments.Files, 8)
	var wg sync.WaitGroup
	for i := range nodes {
		wg.Go(func() {
			var err error
			nodes[i], err = attachments.OpenFiles(dir, attachments.FilesConfig{
				Shared: true, Clock: clock.System{}, Wall: clock.System{}, Log: slog.New(slog.DiscardHandler), Base: "http://bellhop.test",
				Referenced: func(context.Context, []snowflake.Attachment) ([]snowflake.Attachment, error) { return nil, nil },
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	if left, err := os.ReadDir(spool); err != nil || len(left) != 1 || left[0].Name() != "under way" {
		t.Errorf("files in the spool: %v %v, want the one that another node is receiving", left, err)
	}
	ids := store.NewIDs(0, time.Now, time.Time{})
	for _, a := range nodes {
		id := snowflake.Attachment(ids.Next())
		if _, err := a.Put(t.Context(), id, "a.txt", strings.NewReader("hello")); err != nil {
			t.Fatal(err)
		}
		for _, b := range nodes {
			wantReadable(t, b, a.URL(7, id, "a.txt"), id)
		}
	}
}

// TestSweepClaimed checks that a node leaves the files of a shared folder alone while another node sweeps it.
func TestSweepClaimed(t *testing.T) {
	t.Parallel()
	claimed := true
	now := clock.NewMovable(stillClock{})
	node, err := attachments.OpenFiles(t.TempDir(), attachments.FilesConfig{
		Shared: true, Clock: now, Wall: clock.System{}, Log: slog.New(slog.DiscardHandler), Base: "http://bellhop.test",
		Referenced: func(context.Context, []snowflake.Attachment) ([]snowflake.Attachment, error) { return nil, nil },
		Exclusively: func(ctx context.Context, sweep func(context.Context) error) error {
			if claimed {
				return nil
			}
			return sweep(ctx)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	id := snowflake.Attachment(store.NewIDs(0, now.Now, time.Time{}).Next())
	if _, err := node.Put(t.Context(), id, "a.txt", strings.NewReader("hello")); err != nil {
		t.Fatal(err)
	}
	now.Advance(26 * time.Hour)
	for _, claimed = range []bool{true, false} {
		if err := node.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		f, err := node.Open(t.Context(), id)
		if (err == nil) != claimed {
			t.Errorf("Open() = %v after Sweep, claimed by another node: %v", err, claimed)
		}
		if err == nil {
			_ = f.Close() // only read
		}
	}
}

// wantReadable checks that a node accepts the URL of a file and reads the file.
func wantReadable(t *testing.T, node *attachments.Files, address string, id snowflake.Attachment) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if !node.Check(7, id, "a.txt", u.Query()) {
		t.Errorf("Check(%s) = false", address)
	}
	f, err := node.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err != nil || string(text) != "hello" {
		t.Errorf("content = %q, %v", text, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
