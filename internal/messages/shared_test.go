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
	"github.com/bellhop/bellhop/snowflake"
)

// TestSharedFolder has several nodes start together with one folder: each reads what another keeps, under addresses that
// any of them has made.
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
	nodes := make([]*attachments.Attachments, 8)
	var wg sync.WaitGroup
	for i := range nodes {
		wg.Go(func() {
			var err error
			nodes[i], err = attachments.Open(dir, attachments.Config{
				Shared: true, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler), Base: "http://bellhop.test",
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
		t.Errorf("in the spool lie %v %v, want what another node is receiving", left, err)
	}
	ids := snowflake.NewGenerator(0, time.Now, time.Time{})
	for i, a := range nodes {
		id := snowflake.Attachment(ids.Next())
		if _, err := a.Put(t.Context(), id, "a.txt", strings.NewReader("hello")); err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(a.URL(7, id, "a.txt"))
		if err != nil {
			t.Fatal(err)
		}
		for j, b := range nodes {
			if !b.Check(7, id, "a.txt", u.Query()) {
				t.Errorf("node %d refuses an address of node %d", j, i)
			}
			f, err := b.Open(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(f)
			if err != nil || string(text) != "hello" {
				t.Errorf("node %d reads %q %v", j, text, err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
