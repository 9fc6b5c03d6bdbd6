package server

import (
	"context"
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// CertificateFiles is a certificate in two PEM files. It is loaded again when a file has changed. It is safe for
// concurrent use.
type CertificateFiles struct {
	cert, key string
	clock     clock.Clock
	log       *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	loaded  [2]os.FileInfo // the files that current is from
	checked time.Time      // when the files were last looked at
	failed  string         // the last error, which is logged once
}

// certificateCheck is the interval at which the files are looked at.
const certificateCheck = time.Second

// LoadCertificate loads a certificate chain and its key.
func LoadCertificate(cert, key string, c clock.Clock, log *slog.Logger) (*CertificateFiles, error) {
	f := &CertificateFiles{cert: cert, key: key, clock: c, log: log, checked: c.Now()}
	return f, f.load()
}

// TLS returns the configuration of a listener that uses the certificate.
func (f *CertificateFiles) TLS() *tls.Config {
	return &tls.Config{
		GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) { return f.Certificate(h.Context()), nil },
		MinVersion:     tls.VersionTLS12,
	}
}

// load loads the files. It is called with the lock, or before the certificate is shared.
func (f *CertificateFiles) load() error {
	files, err := f.stat() // before the files are read, so that a later change is noticed
	if err != nil {
		return err
	}
	c, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return err
	}
	f.current, f.loaded = &c, files
	return nil
}

// stat returns the state of both files.
func (f *CertificateFiles) stat() (files [2]os.FileInfo, err error) {
	for i, name := range [2]string{f.cert, f.key} {
		if files[i], err = os.Stat(name); err != nil {
			return files, err
		}
	}
	return files, nil
}

// Certificate returns the certificate of the files. It looks at them once per second at most. If they cannot be loaded,
// the certificate that was loaded before stays in use.
func (f *CertificateFiles) Certificate(ctx context.Context) *tls.Certificate {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock.Now()
	if now.Sub(f.checked) < certificateCheck {
		return f.current
	}
	f.checked = now
	files, err := f.stat()
	if err == nil && f.isLoaded(files) {
		return f.current
	}
	if err == nil {
		err = f.load()
	}
	switch {
	case err == nil:
		f.failed = ""
		f.log.InfoContext(ctx, "certificate loaded again", "file", f.cert)
	case err.Error() != f.failed:
		f.failed = err.Error()
		f.log.ErrorContext(ctx, "certificate not loaded: the previous one stays in use", "file", f.cert, "err", err)
	}
	return f.current
}

// isLoaded reports whether the current certificate is from these files.
func (f *CertificateFiles) isLoaded(files [2]os.FileInfo) bool {
	for i, was := range f.loaded {
		if is := files[i]; !os.SameFile(is, was) || !is.ModTime().Equal(was.ModTime()) || is.Size() != was.Size() {
			return false
		}
	}
	return true
}
