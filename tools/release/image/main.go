// Command image packs the binary for Linux into a container image, an OCI archive, without a container engine.
//
//	image -binary FILE -arch amd64 -version 1.2.3 -out FILE
//
// The image has the same content as that of the Dockerfile: the binary, certificates of authorities, and an empty data
// folder. The same input gives the same archive.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// nonRoot is the id of the user and the group of the process.
const nonRoot = 65532

// options are the flags.
type options struct {
	binary, certificates, arch, version, out string
	created                                  time.Time
}

func main() {
	o := options{created: time.Unix(0, 0).UTC()}
	flag.StringVar(&o.binary, "binary", "", "the binary for Linux")
	flag.StringVar(&o.certificates, "certificates", "/etc/ssl/certs/ca-certificates.crt", "certificates of authorities, in PEM")
	flag.StringVar(&o.arch, "arch", "amd64", "the architecture of the binary, as Go calls it")
	flag.StringVar(&o.version, "version", "dev", "the version")
	flag.StringVar(&o.out, "out", "bellhop.oci.tar", "the archive to write")
	flag.Parse()
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		o.created = time.Unix(seconds, 0).UTC()
	}
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(o options) (err error) {
	image, err := build(o)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "bellhop-image-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	index, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	name := map[string]string{"org.opencontainers.image.ref.name": "bellhop:" + o.version}
	if err := index.AppendImage(image, layout.WithAnnotations(name), layout.WithPlatform(v1.Platform{OS: "linux", Architecture: o.arch})); err != nil {
		return err
	}
	return pack(folder, o.out, o.created)
}

// build returns the image: a layer that rarely changes, and a layer with the binary.
func build(o options) (v1.Image, error) {
	certificates, err := os.ReadFile(o.certificates)
	if err != nil {
		return nil, err
	}
	binary, err := os.ReadFile(o.binary)
	if err != nil {
		return nil, err
	}
	user := fmt.Sprintf("root:x:0:0:root:/:/sbin/nologin\nbellhop:x:%d:%d:bellhop:/data:/sbin/nologin\n", nonRoot, nonRoot)
	layers := [][]tar.Header{
		{
			{Name: "etc/", Mode: 0o755},
			{Name: "etc/ssl/", Mode: 0o755},
			{Name: "etc/ssl/certs/", Mode: 0o755},
			{Name: "etc/ssl/certs/ca-certificates.crt", Mode: 0o644},
			{Name: "etc/passwd", Mode: 0o644},
			{Name: "data/", Mode: 0o700, Uid: nonRoot, Gid: nonRoot},
			{Name: "tmp/", Mode: 0o1777},
		},
		{{Name: "usr/", Mode: 0o755}, {Name: "usr/bin/", Mode: 0o755}, {Name: "usr/bin/bellhop", Mode: 0o755}},
	}
	contents := map[string][]byte{
		"etc/ssl/certs/ca-certificates.crt": certificates, "etc/passwd": []byte(user), "usr/bin/bellhop": binary,
	}
	image := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	image = mutate.ConfigMediaType(image, types.OCIConfigJSON)
	for _, headers := range layers {
		layer, err := newLayer(headers, contents, o.created)
		if err != nil {
			return nil, err
		}
		if image, err = mutate.AppendLayers(image, layer); err != nil {
			return nil, err
		}
	}
	return configure(image, o)
}

// newLayer returns a layer with folders, whose names end with a slash, and files.
func newLayer(headers []tar.Header, contents map[string][]byte, modified time.Time) (v1.Layer, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		h.Typeflag, h.ModTime, h.Size = tar.TypeReg, modified, int64(len(contents[h.Name]))
		if h.Name[len(h.Name)-1] == '/' {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := w.Write(contents[h.Name]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
}

// configure sets how the image starts.
func configure(image v1.Image, o options) (v1.Image, error) {
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Created = "linux", o.arch, v1.Time{Time: o.created}
	file.Config = v1.Config{
		User:         fmt.Sprintf("%d:%d", nonRoot, nonRoot),
		Entrypoint:   []string{"/usr/bin/bellhop"},
		Cmd:          []string{"serve"},
		Env:          []string{"PATH=/usr/bin", "BELLHOP_DATA=/data", "BELLHOP_LISTEN=0.0.0.0:8080"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Volumes:      map[string]struct{}{"/data": {}},
		WorkingDir:   "/data",
		StopSignal:   "SIGTERM",
		Healthcheck: &v1.HealthConfig{
			Test: []string{"CMD", "/usr/bin/bellhop", "healthcheck"}, Interval: 10 * time.Second, Timeout: 6 * time.Second, StartPeriod: 10 * time.Second,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title": "bellhop", "org.opencontainers.image.version": o.version, "org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return mutate.ConfigFile(image, file)
}

// pack writes the files of a folder to an archive, ordered by their names.
func pack(folder, out string, modified time.Time) (err error) {
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := tar.NewWriter(file)
	files := os.DirFS(folder)
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		h := tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(content)), ModTime: modified}
		if err := w.WriteHeader(&h); err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	})
	return errors.Join(err, w.Close())
}
