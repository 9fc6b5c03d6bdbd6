package v10_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/api"
	v10 "github.com/bellhop/bellhop/internal/api/v10"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/snowflake"
)

// keep stores a file and returns the path and query of its URL.
func (d *service) keep(t testing.TB, id snowflake.Attachment, name, content string) string {
	t.Helper()
	if _, err := d.files.Put(t.Context(), id, name, strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(d.files.URL(900000000000000010, id, name), "http://bellhop.test")
}

func TestAttachments(t *testing.T) {
	t.Parallel()
	d := open(t)
	const html = "<script>alert(1)</script>"
	page, picture := d.keep(t, 1, "page.html", html), d.keep(t, 2, "cat one.png", "PNG")
	for _, tt := range []struct {
		name, path  string
		header      []string
		status      int
		body        string
		contentType string
		disposition string
	}{
		{"an HTML page is downloaded, not shown", page, nil, 200, html, "application/octet-stream", `attachment; filename=page.html`},
		{"an image is shown", picture, nil, 200, "PNG", "image/png", ""},
		{"a range", page, []string{"Range", "bytes=1-6"}, 206, "script", "application/octet-stream", `attachment; filename=page.html`},
		{"a cached file", page, []string{"If-None-Match", `"1"`}, 304, "", "", ""},
		{"a range beyond the end", page, []string{"Range", "bytes=100-"}, 416, "", "", ""},
		{"another signature", strings.Replace(page, "hm=", "hm=0", 1), nil, 404, "", "application/json", ""},
		{"another name", strings.Replace(page, "page.html", "page.png", 1), nil, 404, "", "application/json", ""},
		{"no signature", strings.Split(page, "?")[0], nil, 404, "", "application/json", ""},
		{"wrong ids", "/attachments/x/y/z", nil, 404, "", "application/json", ""},
		{"a deleted file", strings.TrimPrefix(d.files.URL(900000000000000010, 3, "a"), "http://bellhop.test"), nil, 404, "", "application/json", ""},
	} {
		got := d.ask(t, "anonymous", http.MethodGet, tt.path, "", tt.header...)
		if got.status != tt.status || tt.body != "" && got.body != tt.body {
			t.Errorf("%s: %d %q, want %d %q", tt.name, got.status, got.body, tt.status, tt.body)
		}
		if kind := got.header.Get("Content-Type"); tt.contentType != "" && kind != tt.contentType {
			t.Errorf("%s: content type %q, want %q", tt.name, kind, tt.contentType)
		}
		if got.status >= 300 {
			continue
		}
		if how := got.header.Get("Content-Disposition"); how != tt.disposition {
			t.Errorf("%s: disposition %q, want %q", tt.name, how, tt.disposition)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'",
			"Cache-Control": "private, max-age=3600, immutable", "Accept-Ranges": "bytes",
		} {
			if v := got.header.Get(name); v != want {
				t.Errorf("%s: %s is %q, want %q", tt.name, name, v, want)
			}
		}
	}
}

// TestQuotaError checks the answer to a file above the quota.
func TestQuotaError(t *testing.T) {
	t.Parallel()
	want := api.ErrorReply{Err: messages.ErrQuota, Status: http.StatusRequestEntityTooLarge, Code: 40005, Message: "Request entity too large"}
	if !slices.Contains(v10.Errors, want) {
		t.Errorf("no row %+v", want)
	}
}
