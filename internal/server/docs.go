package server

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// docsPath is the path below which the service serves its documentation.
const docsPath = "/docs/"

// compressedDocs returns the files of the documentation as they are served. It renders them at the first request.
var compressedDocs = sync.OnceValues(func() (*console, error) {
	site, err := renderDocs()
	if err != nil {
		return nil, fmt.Errorf("render the documentation: %w", err)
	}
	c := &console{files: map[string]consoleFile{}}
	for name, data := range site.files {
		if err := c.add(docsPath+name, data); err != nil {
			return nil, err
		}
	}
	c.files[docsPath] = c.files[docsPath+"index.html"]
	return c, nil
})

// servesDocs reports whether the documentation answers requests for a path.
func servesDocs(at string) bool { return strings.HasPrefix(at+"/", docsPath) }

// serveDocs sends a file of the documentation.
func serveDocs(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path+"/" == docsPath {
		http.Redirect(w, r, docsPath, http.StatusPermanentRedirect)
		return
	}
	c, err := compressedDocs()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	c.ServeHTTP(w, r)
}

// WriteDocs writes the documentation to a folder, as pages that need no server. It returns the number of pages and the
// size of all files.
func WriteDocs(folder string) (pages, size int, err error) {
	site, err := renderDocs()
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
