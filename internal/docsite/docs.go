// Package docsite renders the documentation of the repository as web pages. It serves them below /docs/, or writes them to a
// folder. Each page is also there as Markdown, and llms.txt lists the pages for programs.
package docsite

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/bellhop/bellhop/internal/console"
)

// docsPath is the path below which the service serves its documentation.
const docsPath = "/docs/"

// Site serves the documentation. It is safe for concurrent use.
type Site struct {
	prepared func() (*console.Console, error) // the files as they are served
}

// New returns a site of the Markdown files that docs/nav.yaml in sources lists. It renders them at the first request.
func New(sources fs.FS) *Site {
	return &Site{sync.OnceValues(func() (*console.Console, error) { return prepare(sources) })}
}

// prepare returns the files of the documentation as they are served.
func prepare(sources fs.FS) (*console.Console, error) {
	site, err := renderDocs(sources)
	if err != nil {
		return nil, fmt.Errorf("render the documentation: %w", err)
	}
	c := console.Empty()
	for name, data := range site.files {
		if err := c.Add(docsPath+name, data); err != nil {
			return nil, err
		}
		if page, ok := strings.CutSuffix(name, ".html"); ok {
			c.Alias(docsPath+page, docsPath+name)
		}
	}
	c.Alias(docsPath, docsPath+"index.html")
	return c, c.Add(IndexPath, site.index("docs/"))
}

// Serves reports whether the documentation answers requests for a path. A nil Site serves none.
func (s *Site) Serves(at string) bool {
	return s != nil && (strings.HasPrefix(at+"/", docsPath) || at == IndexPath)
}

// ServeHTTP sends a file of the documentation.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path+"/" == docsPath {
		w.Header().Set("Location", "docs/") // relative, because the service may be below a path
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	c, err := s.prepared()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	c.ServeHTTP(w, r)
}

// Write writes the documentation to a folder, as pages that need no server. It returns the number of pages and the
// size of all files.
func Write(sources fs.FS, folder string) (pages, size int, err error) {
	site, err := renderDocs(sources)
	if err != nil {
		return 0, 0, err
	}
	for name, data := range site.files {
		if err := writePublic(filepath.Join(folder, filepath.FromSlash(name)), data); err != nil {
			return 0, 0, err
		}
		if path.Ext(name) == ".html" {
			pages++
		}
		size += len(data)
	}
	return pages, size, nil
}

// writePublic writes a file that all users of the machine can read, and the folders above it.
func writePublic(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // a web server reads the folder
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
