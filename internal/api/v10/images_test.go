package v10_test

import (
	"net/http"
	"strings"
	"testing"
)

// dot is a PNG image of one pixel as a data URI, and dotHash its hash.
const (
	dot     = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	dotHash = "6b7fa434f92a8b80aab02d9bf1a12e49"
)

// TestImageHeaders verifies the bytes and the headers of images: their true type, a long cache, and no guessing by browsers.
func TestImageHeaders(t *testing.T) {
	t.Parallel()
	d := open(t)
	if got := d.ask(t, "bot", "PATCH", "/api/v10/users/@me", `{"avatar":"`+dot+`"}`); !strings.Contains(got.body, `"avatar":"`+dotHash+`"`) {
		t.Fatalf("PATCH /users/@me: %d %s", got.status, got.body)
	}
	for _, path := range []string{"/avatars/1300000000000000001/" + dotHash + ".webp?size=128", "/embed/avatars/3.png"} {
		got := d.ask(t, "anonymous", "GET", path, "")
		if got.status != http.StatusOK || !strings.HasPrefix(got.body, "\x89PNG") {
			t.Errorf("GET %s: %d, %d bytes", path, got.status, len(got.body))
		}
		for name, want := range map[string]string{
			"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Cache-Control": "public, max-age=31536000, immutable",
			"Cross-Origin-Resource-Policy": "cross-origin", "Content-Security-Policy": "sandbox; default-src 'none'",
		} {
			if v := got.header.Get(name); v != want {
				t.Errorf("GET %s: %s is %q, want %q", path, name, v, want)
			}
		}
	}
	again := d.ask(t, "anonymous", "GET", "/avatars/1300000000000000001/"+dotHash+".png", "", "If-None-Match", `"`+dotHash+`"`)
	if again.status != http.StatusNotModified {
		t.Errorf("GET with the tag of the image: %d, want 304", again.status)
	}
}

// TestLargeImage verifies that an image above the limit gets the error of its member, and not one of the body.
func TestLargeImage(t *testing.T) {
	t.Parallel()
	d := open(t)
	got := d.ask(t, "bot", "PATCH", "/api/v10/users/@me", `{"avatar":"data:image/png;base64,`+strings.Repeat("A", 14_000_000)+`"}`)
	if got.status != http.StatusBadRequest || !strings.Contains(got.body, "BINARY_TYPE_MAX_SIZE") || !strings.Contains(got.body, "10240.0 kb") {
		t.Errorf("PATCH /users/@me: %d %s", got.status, got.body)
	}
}

// emoji creates an emoji of an application and returns its id.
func (d *service) emoji(t *testing.T) string {
	t.Helper()
	got := d.ask(t, "bot", "POST", "/api/v10/applications/1300000000000000001/emojis", `{"name":"dot","image":"`+dot+`"}`)
	_, rest, ok := strings.Cut(got.body, `{"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if got.status != http.StatusCreated || !ok {
		t.Fatalf("POST an emoji: %d %s", got.status, got.body)
	}
	return id
}

// event creates a scheduled event with an image and returns its id.
func (d *service) event(t *testing.T) string {
	t.Helper()
	got := d.ask(t, "person", "POST", "/api/v10/guilds/900000000000000001/scheduled-events",
		`{"name":"dot","privacy_level":2,"scheduled_start_time":"2126-05-02T12:00:00Z","scheduled_end_time":"2126-05-03T12:00:00Z","entity_type":3,"entity_metadata":{"location":"Pub"},"image":"`+dot+`"}`)
	_, rest, ok := strings.Cut(got.body, `{"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if got.status != http.StatusOK || !ok {
		t.Fatalf("POST a scheduled event: %d %s", got.status, got.body)
	}
	return id
}

// TestStandardEmoji checks that an emoji of a world file, which has no image, is served with a standard one, and that others are not.
func TestStandardEmoji(t *testing.T) {
	t.Parallel()
	d := open(t)
	const file = `{"guilds":[{"id":"900000000000000001","name":"Lab","owner":"700000000000000001","emojis":[{"id":"77","name":"blob"}]}]}`
	if got := d.ask(t, "anonymous", "POST", "/_dev/world", file); got.status != 200 {
		t.Fatalf("the world: %d %s", got.status, got.body)
	}
	for path, want := range map[string]int{"/emojis/77.png": 200, "/emojis/77.webp?size=64": 200, "/emojis/77.gif": 415, "/emojis/78.png": 404, "/emojis/77.txt": 404} {
		got := d.ask(t, "anonymous", "GET", path, "")
		if got.status != want || want == 200 && got.header.Get("Content-Type") != "image/png" {
			t.Errorf("GET %s: %d %s, want %d", path, got.status, got.header.Get("Content-Type"), want)
		}
	}
}
