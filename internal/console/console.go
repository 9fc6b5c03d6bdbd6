// Package console serves the console: a web application in which users invoke commands, and operators manage applications,
// permissions and lobbies. It uses the HTTP API and the gateway.
package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// consoleFiles are the files of the application.
//
//go:embed static/*.css static/*.html static/*.js static/*.svg static/icons static/vendor/*.js static/vendor/LICENSE-*
var consoleFiles embed.FS

// Policy is the Content-Security-Policy of the application. The application shows texts of apps as text; if it did not,
// the policy would still prevent scripts, styles and requests from elsewhere. Frames show the activities that the user opens.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; frame-src http: https:; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// Settings tells the application about the service. The application reads it from /assets/settings.json.
type Settings struct {
	// Dev says that the dev controls exist and that users need not sign in.
	Dev     bool   `json:"dev"`
	Version string `json:"version"`
	// SignIn is the path of the service at which users sign in with their accounts; empty if they cannot.
	SignIn string `json:"sign_in,omitzero"`
	// OperatorSignIn are the identity providers at which operators sign in.
	OperatorSignIn []Link `json:"operator_sign_in,omitzero"`
}

// Link is a link with a name. URL is a path of the service.
type Link struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// consoleFile is a file of the application in the forms in which it is sent.
type consoleFile struct {
	kind  string
	tag   string
	plain []byte
	small func() []byte // compresses the file with gzip when it is first sent so; nil if that is not smaller
}

// Console serves the application at "/" and its files below "/assets/".
type Console struct {
	files map[string]consoleFile
}

// Empty returns a Console without files, for other pages that are sent in the same way.
func Empty() *Console { return &Console{files: map[string]consoleFile{}} }

// Static returns a file of the application.
func Static(name string) ([]byte, error) { return consoleFiles.ReadFile("static/" + name) }

// Alias sends the file of another path at a path.
func (c *Console) Alias(at, other string) { c.files[at] = c.files[other] }

// commonFiles returns the files that are the same for every service. Their compressed forms are made once per process.
var commonFiles = sync.OnceValues(func() (map[string]consoleFile, error) {
	c := &Console{files: map[string]consoleFile{}}
	err := fs.WalkDir(consoleFiles, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := consoleFiles.ReadFile(name)
		if err != nil {
			return err
		}
		return c.Add("/assets/"+strings.TrimPrefix(name, "static/"), data)
	})
	return c.files, err
})

// New returns the console of a service.
func New(s Settings) (*Console, error) {
	files, err := commonFiles()
	if err != nil {
		return nil, fmt.Errorf("prepare the console: %w", err)
	}
	c := &Console{files: maps.Clone(files)}
	c.files["/"] = c.files["/assets/index.html"]
	delete(c.files, "/assets/index.html") // its relative URLs begin at "/"
	settings, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("prepare the console: %w", err)
	}
	return c, c.Add("/assets/settings.json", settings)
}

// consoleKinds are the media types by extension.
var consoleKinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json", "": "text/plain; charset=utf-8",
	".txt": "text/plain; charset=utf-8", ".md": "text/markdown; charset=utf-8",
}

// Add adds a file.
func (c *Console) Add(at string, data []byte) error {
	kind, known := consoleKinds[path.Ext(at)]
	if !known {
		return fmt.Errorf("%s: unknown kind of file", at)
	}
	sum := sha256.Sum256(data)
	c.files[at] = consoleFile{
		kind: kind, tag: `"` + hex.EncodeToString(sum[:8]) + `"`,
		plain: data, small: sync.OnceValue(func() []byte { return compress(data) }),
	}
	return nil
}

// compress compresses a file with gzip. It returns nil if that is not smaller.
func compress(data []byte) []byte {
	var small bytes.Buffer
	z, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	if err != nil {
		return nil // the level is valid
	}
	_, err = z.Write(data)
	if err = errors.Join(err, z.Close()); err != nil || small.Len() >= len(data) {
		return nil // a write to memory does not fail
	}
	return small.Bytes()
}

// Serves reports whether the console answers requests for a path.
func (c *Console) Serves(at string) bool { return at == "/" || strings.HasPrefix(at, "/assets/") }

// ServeHTTP sends a file of the application.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	f, found := c.files[r.URL.Path]
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	case !found:
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("Etag", f.tag)
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.kind)
	body := f.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		if small := f.small(); small != nil {
			h.Set("Content-Encoding", "gzip")
			body = small
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(body) // the client may have disconnected
}
