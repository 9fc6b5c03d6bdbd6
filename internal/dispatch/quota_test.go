package dispatch_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/snowflake"
)

// storedMetric returns the line of the metric of stored bytes.
func storedMetric(t *testing.T, d *fixture) string {
	t.Helper()
	w := httptest.NewRecorder()
	d.metrics.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "bellhop_attachment_bytes ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// TestQuota stores files up to the quota of an application and of a guild, and frees room by an edit.
func TestQuota(t *testing.T) {
	t.Parallel()
	for name, quota := range map[string]messages.Quota{
		"of an application": {Application: 10}, "of a guild": {Guild: 10}, "of both": {Application: 20, Guild: 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, func(c *dispatch.Config) { c.Messages.Quota = quota })
			id, token := invokePing(d)
			if err := d.callback(id, token, hello, upload(0, "a.txt", "six by")); err != nil {
				t.Fatal(err)
			}
			follow := func(text string) error {
				_, err := d.FollowUp(t.Context(), echo, token, d.response(`{"content":"x"}`, upload(0, "b.txt", text)))
				return err
			}
			if err := follow("5 byt"); !errors.Is(err, messages.ErrQuota) {
				t.Errorf("a file above the quota: %v, want ErrQuota", err)
			}
			if got := d.files.texts(); len(got) != 1 {
				t.Errorf("stored %q, want the first file", got)
			}
			if err := follow("four"); err != nil {
				t.Errorf("a file within the quota: %v", err)
			}
			if got := storedMetric(t, d); got != "bellhop_attachment_bytes 10" {
				t.Errorf("metric %q, want 10 bytes", got)
			}
			if _, err := d.EditMessage(t.Context(), echo, token, dispatch.Original, d.response(`{"content":"bare","attachments":[]}`)); err != nil {
				t.Fatal(err)
			}
			if err := follow("5 byt"); err != nil {
				t.Errorf("a file after another one was removed: %v", err)
			}
			if got := storedMetric(t, d); got != "bellhop_attachment_bytes 9" {
				t.Errorf("metric %q, want 9 bytes", got)
			}
			if err := d.config.Messages.MeasureFiles(t.Context()); err != nil || storedMetric(t, d) != "bellhop_attachment_bytes 9" {
				t.Errorf("MeasureFiles() = %v, metric %q, want 9 bytes", err, storedMetric(t, d))
			}
			if err := d.config.Messages.ForgetFiles(t.Context(), d.files.ids()); err != nil || storedMetric(t, d) != "bellhop_attachment_bytes 0" {
				t.Errorf("ForgetFiles() = %v, metric %q, want 0 bytes", err, storedMetric(t, d))
			}
		})
	}
}

// TestQuotaIsExact sends files at the same time.
func TestQuotaIsExact(t *testing.T) {
	t.Parallel()
	d := open(t, func(c *dispatch.Config) { c.Messages.Quota = messages.Quota{Application: 10} })
	var wg sync.WaitGroup
	results := make([]error, 8)
	for i := range results {
		id, token := invokePing(d)
		wg.Go(func() {
			results[i] = d.callback(id, token, hello, upload(0, fmt.Sprintf("%d.txt", i), "four"))
		})
	}
	wg.Wait()
	stored := 0
	for _, err := range results {
		switch {
		case err == nil:
			stored++
		case !errors.Is(err, messages.ErrQuota):
			t.Errorf("callback: %v, want ErrQuota", err)
		}
	}
	if stored != 2 || len(d.files.texts()) != 2 {
		t.Errorf("%d answers with files, %d files, want 2", stored, len(d.files.texts()))
	}
}

// ids returns the ids of the stored files.
func (f *memoryFiles) ids() []snowflake.Attachment {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []snowflake.Attachment
	for id := range f.files {
		ids = append(ids, id)
	}
	return ids
}
