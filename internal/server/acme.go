package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// ACMEFolder is the name of the folder for certificates and their keys in the data folder.
const ACMEFolder = "acme"

// ACMEConfig configures certificates that a certificate authority issues automatically (RFC 8555). Names and Folder are required.
type ACMEConfig struct {
	Names     []string // host names of the service
	Directory string   // URL of the directory of the certificate authority; empty: Let's Encrypt
	Email     string   // for messages of the certificate authority; may be empty
	Folder    string   // for keys and certificates; only the user of the process can read it
	Log       *slog.Logger
	// HTTP sends requests to the certificate authority; nil: a client with a deadline.
	HTTP *http.Client
}

// ACME gets certificates from a certificate authority when clients connect, and renews them. It answers the challenges
// TLS-ALPN-01 and HTTP-01. It is safe for concurrent use.
type ACME struct {
	manager autocert.Manager
	names   []string
	log     *slog.Logger

	mu     sync.Mutex
	failed map[string]string // the last error of each name, which is logged once
}

// acmeTimeout bounds one request to the certificate authority.
const acmeTimeout = 30 * time.Second

// maxACMENames bounds the names: certificate authorities limit certificates too.
const maxACMENames = 20

// hostName matches host names with at least two labels, in lower case.
var hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*$`)

// CheckACMENames returns an error if a certificate authority cannot issue certificates for names by the challenges that a service
// answers.
func CheckACMENames(names []string) error {
	if len(names) > maxACMENames {
		return fmt.Errorf("there are %d names, the most are %d", len(names), maxACMENames)
	}
	for _, name := range names {
		if len(name) > 253 || net.ParseIP(name) != nil || !hostName.MatchString(name) {
			return fmt.Errorf("%q is not a host name such as bellhop.example", name)
		}
	}
	return nil
}

// NewACME creates the folder and returns what gets certificates. The terms of the certificate authority are accepted.
func NewACME(cfg ACMEConfig) (*ACME, error) {
	if err := CheckACMENames(cfg.Names); err != nil {
		return nil, err
	}
	// An existing folder may be readable for others.
	if err := errors.Join(os.MkdirAll(cfg.Folder, 0o700), os.Chmod(cfg.Folder, 0o700)); err != nil { //nolint:gosec // it is a folder
		return nil, err
	}
	if cfg.HTTP == nil {
		cfg.HTTP = &http.Client{Timeout: acmeTimeout}
	}
	return &ACME{
		names: cfg.Names, log: cfg.Log, failed: map[string]string{},
		manager: autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(cfg.Folder), HostPolicy: autocert.HostWhitelist(cfg.Names...), Email: cfg.Email,
			Client: &acme.Client{DirectoryURL: cfg.Directory, UserAgent: "bellhop", HTTPClient: cfg.HTTP},
		},
	}, nil
}

// Handler returns a handler that answers the challenge HTTP-01, and leaves all other requests to next.
func (a *ACME) Handler(next http.Handler) http.Handler {
	challenges := a.manager.HTTPHandler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/.well-known/acme-challenge/") {
			if host, _, err := net.SplitHostPort(r.Host); err == nil { // the manager compares the host with the names
				r = r.WithContext(r.Context()) // a copy
				r.Host = host
			}
			challenges.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// TLS returns the configuration of a listener that uses the certificates and answers the challenge TLS-ALPN-01.
func (a *ACME) TLS() *tls.Config {
	return &tls.Config{NextProtos: []string{acme.ALPNProto}, GetCertificate: a.certificate, MinVersion: tls.VersionTLS12}
}

// certificate returns the certificate for a client. The first client of a name waits until it is issued.
func (a *ACME) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	c, err := a.manager.GetCertificate(hello)
	name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	if a.manager.HostPolicy(hello.Context(), name) != nil {
		return c, err // a name of which no certificate is wanted
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err == nil:
		delete(a.failed, name)
	case a.failed[name] != err.Error():
		a.failed[name] = err.Error()
		a.log.ErrorContext(hello.Context(), "no certificate: the certificate authority did not issue one", "name", name, "err", err)
	}
	return c, err
}
