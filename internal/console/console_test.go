package console

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/permission"
)

func openConsole(t *testing.T, s Settings) *Console {
	t.Helper()
	c, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func askConsole(t *testing.T, c *Console, method, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	return w
}

func readText(t *testing.T, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestConsoleFiles(t *testing.T) {
	t.Parallel()
	c := openConsole(t, Settings{Dev: true, Version: "1.2.3"})
	for _, tt := range []struct {
		name, method, path string
		headers            []string
		status             int
		kind, holds        string
	}{
		{"the page", "GET", "/", nil, 200, "text/html; charset=utf-8", `<script type="module" src="assets/main.js">`},
		{"a script", "GET", "/assets/main.js", nil, 200, "text/javascript; charset=utf-8", "import"},
		{"the style", "GET", "/assets/style.css", nil, 200, "text/css; charset=utf-8", "box-sizing"},
		{"the settings", "GET", "/assets/settings.json", nil, 200, "application/json", `{"dev":true,"version":"1.2.3"}`},
		{"head", "HEAD", "/assets/main.js", nil, 200, "text/javascript; charset=utf-8", ""},
		{"an unknown file", "GET", "/assets/other.js", nil, 404, "text/plain; charset=utf-8", "not found"},
		{"a parent folder", "GET", "/assets/../../console.go", nil, 404, "text/plain; charset=utf-8", "not found"},
		{"another method", "POST", "/", nil, 405, "text/plain; charset=utf-8", "not allowed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := askConsole(t, c, tt.method, tt.path, tt.headers...)
			body := readText(t, r.Body)
			if r.Code != tt.status || r.Header().Get("Content-Type") != tt.kind || !strings.Contains(body, tt.holds) {
				t.Errorf("%d %s\n%s", r.Code, r.Header().Get("Content-Type"), body)
			}
			for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
				if got := r.Header().Get(name); got != want {
					t.Errorf("%s: %q", name, got)
				}
			}
			policy := r.Header().Get("Content-Security-Policy")
			if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
				t.Errorf("Content-Security-Policy: %s", policy)
			}
		})
	}
}

func TestConsoleCompressed(t *testing.T) {
	t.Parallel()
	c := openConsole(t, Settings{})
	plain := askConsole(t, c, "GET", "/assets/main.js")
	small := askConsole(t, c, "GET", "/assets/main.js", "Accept-Encoding", "gzip")
	z, err := gzip.NewReader(small.Body)
	if err != nil {
		t.Fatal(err)
	}
	if small.Header().Get("Content-Encoding") != "gzip" || readText(t, z) != readText(t, plain.Body) {
		t.Error("the compressed file differs from the plain one")
	}
	if again := askConsole(t, c, "GET", "/assets/main.js", "If-None-Match", plain.Header().Get("Etag")); again.Code != http.StatusNotModified {
		t.Errorf("a file with a known Etag: status %d", again.Code)
	}
}

// consoleSources returns the files of the application by path.
func consoleSources(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir("static", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		found[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// loadedWith adds a file of the application and everything that it loads with itself to loaded. What a function imports is loaded later.
func loadedWith(sources map[string]string, path string, loaded map[string]bool) {
	if loaded[path] {
		return
	}
	loaded[path] = true
	for _, m := range regexp.MustCompile(`(?:from '|(?:href|src)=")(?:\./|assets/)([\w./-]+)(?:';|")`).FindAllStringSubmatch(sources[path], -1) {
		loadedWith(sources, "static/"+m[1], loaded)
	}
}

// TestConsoleFirstLoad limits the compressed size of what the browser loads before it shows a page, so that each appears on slow
// connections: 176 KiB take 3.5 s at 50 KiB per second.
func TestConsoleFirstLoad(t *testing.T) {
	t.Parallel()
	c, sources := openConsole(t, Settings{}), consoleSources(t)
	pages := regexp.MustCompile(`import\('\./([\w-]+\.js)'\)`).FindAllStringSubmatch(sources["static/main.js"], -1)
	if len(pages) < 7 {
		t.Fatalf("main.js imports %d pages, want 7", len(pages))
	}
	for _, page := range pages {
		loaded := map[string]bool{"static/text.de.js": true, "static/icons/sprite.svg": true}
		loadedWith(sources, "static/index.html", loaded)
		loadedWith(sources, "static/"+page[1], loaded)
		total := 0
		for path := range loaded {
			total += len(readText(t, askConsole(t, c, "GET", "/assets/"+strings.TrimPrefix(path, "static/"), "Accept-Encoding", "gzip").Body))
		}
		t.Logf("%s: %d files, %d bytes", page[1], len(loaded), total)
		if total > 176<<10 {
			t.Errorf("first load of %d bytes for %s, want under 176 KiB", total, page[1])
		}
	}
}

// TestConsoleSelfContained looks for code that loads from other hosts, runs text as code or inserts text as markup. In
// JavaScript, "@import {" is a comment with types.
func TestConsoleSelfContained(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|new Function|@import [^{]|(src|href)="https?:`)
	for path, text := range consoleSources(t) {
		if strings.Contains(path, "vendor") {
			continue
		}
		if found := forbidden.FindString(text); found != "" {
			t.Errorf("%s contains %s", path, found)
		}
	}
}

// TestConsoleLanguages compares the languages of the application with the languages of the service.
func TestConsoleLanguages(t *testing.T) {
	t.Parallel()
	list, _, _ := strings.Cut(consoleSources(t)["static/locales.js"], "];")
	var codes []string
	for _, m := range regexp.MustCompile(`'([\w-]+)'`).FindAllStringSubmatch(list, -1) {
		codes = append(codes, m[1])
	}
	if want := locale.All(); !slices.Equal(codes, want) {
		t.Errorf("languages %v, want %v", codes, want)
	}
}

// TestConsolePermissionNames checks that the console knows the permissions by the same bits as the service.
func TestConsolePermissionNames(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("static/bits.js")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(source), "permissionNames = [")
	list, _, _ = strings.Cut(list, "]")
	var bits permission.Bits
	for i, m := range regexp.MustCompile(`'(\w*)'`).FindAllStringSubmatch(list, -1) {
		if b, ok := permission.Bits(0).With(m[1]); ok && b != 1<<i || !ok && m[1] != "" {
			t.Errorf("the console has %q as bit %d", m[1], i)
		} else {
			bits |= b
		}
	}
	if bits != permission.All {
		t.Errorf("the console lacks %v", (permission.All &^ bits).Names())
	}
}

// TestSignInPageHasProviders checks that the page for signing in shows the identity providers of operators.
func TestSignInPageHasProviders(t *testing.T) {
	t.Parallel()
	page, err := Static("main.js")
	if err != nil || !strings.Contains(string(page), "settings.operator_sign_in?.map(") {
		t.Errorf("main.js has no links to identity providers: %v", err)
	}
	c := openConsole(t, Settings{OperatorSignIn: []Link{{Name: "Staff", URL: "/oauth2/signin/upstream?as=operator"}}})
	w := httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/assets/settings.json", nil))
	if want := `"operator_sign_in":[{"name":"Staff","url":"/oauth2/signin/upstream?as=operator"}]`; !strings.Contains(w.Body.String(), want) {
		t.Errorf("settings %s, want %s", w.Body.String(), want)
	}
}
