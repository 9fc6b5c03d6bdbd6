package main

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// TestBuild checks how the image starts and what it contains, and that the same input gives the same image.
func TestBuild(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	o := options{
		binary: filepath.Join(folder, "bellhop"), certificates: filepath.Join(folder, "certificates"), arch: "arm64", version: "1.2.3",
		created: time.Unix(1e9, 0).UTC(),
	}
	for _, name := range []string{o.binary, o.certificates} {
		if err := os.WriteFile(name, []byte(filepath.Base(name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	image, err := build(o)
	if err != nil {
		t.Fatal(err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if c := file.Config; c.User != "65532:65532" || strings.Join(append(c.Entrypoint, c.Cmd...), " ") != "/usr/bin/bellhop serve" ||
		c.Healthcheck == nil || strings.Join(c.Healthcheck.Test, " ") != "CMD /usr/bin/bellhop healthcheck" || file.Architecture != "arm64" {
		t.Errorf("configuration %+v of %s", c, file.Architecture)
	}
	want := map[string]string{
		"etc/ssl/certs/ca-certificates.crt": "certificates", "usr/bin/bellhop": "bellhop",
		"etc/passwd": "root:x:0:0:root:/:/sbin/nologin\nbellhop:x:65532:65532:bellhop:/data:/sbin/nologin\n",
	}
	for r := tar.NewReader(mutate.Extract(image)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil || string(content) != want[h.Name] {
			t.Errorf("%s contains %q, want %q (%v)", h.Name, content, want[h.Name], err)
		}
		if h.Name == "data/" && (h.Uid != nonRoot || h.Mode != 0o700) {
			t.Errorf("the data folder belongs to %d with mode %o", h.Uid, h.Mode)
		}
		delete(want, h.Name)
	}
	if len(want) > 0 {
		t.Errorf("the image lacks %v", want)
	}
	again, err := build(o)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := image.Digest()
	if second, err := again.Digest(); err != nil || first != second {
		t.Errorf("the digests differ: %v, %v (%v)", first, second, err)
	}
}
