package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellhop/bellhop"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/tools/system"
)

// tlsOptions are the flags of the TLS listener, which serves the same as the plain one.
type tlsOptions struct {
	Listen string `type:"listen" placeholder:"ADDR" help:"Address for TLS connections, in addition to --listen."`
	Cert   string `type:"path" placeholder:"FILE" help:"Certificate chain, in PEM. With dev controls the default is a new self-signed certificate."`
	Key    string `type:"path" placeholder:"FILE" help:"Private key of the certificate, in PEM."`

	ACME          []string `name:"acme" placeholder:"NAME" help:"Host name for which a certificate authority issues certificates automatically (ACME), with acceptance of its terms. Can be repeated. Needs --tls-listen on port 443 of that host, and a single node."`
	ACMEDirectory string   `name:"acme-directory" placeholder:"URL" help:"Directory of the certificate authority. Default: Let's Encrypt."`
	ACMEEmail     string   `name:"acme-email" placeholder:"ADDRESS" help:"Address for messages of the certificate authority."`
}

// check returns an error if a flag is missing.
func (o tlsOptions) check(dev bool) error {
	if len(o.ACME) > 0 || o.ACMEDirectory != "" || o.ACMEEmail != "" {
		return o.checkACME(dev)
	}
	switch {
	case o.Listen == "" && (o.Cert != "" || o.Key != ""):
		return usageError{errors.New("--tls-cert and --tls-key require --tls-listen")}
	case (o.Cert == "") != (o.Key == ""):
		return usageError{errors.New("--tls-cert and --tls-key must be used together")}
	case o.Listen != "" && o.Cert == "" && !dev:
		return usageError{errors.New("--tls-listen requires --tls-cert and --tls-key, unless the dev controls are enabled")}
	}
	return nil
}

// checkACME returns an error if the flags of automatic certificates do not fit.
func (o tlsOptions) checkACME(dev bool) error {
	switch {
	case len(o.ACME) == 0:
		return usageError{errors.New("--tls-acme-directory and --tls-acme-email require --tls-acme")}
	case dev:
		return usageError{errors.New("--tls-acme cannot be used with dev controls: the certificate makes the service public")}
	case o.Listen == "":
		return usageError{errors.New("--tls-acme requires --tls-listen, such as 0.0.0.0:443")}
	case o.Cert != "" || o.Key != "":
		return usageError{errors.New("--tls-acme and --tls-cert cannot be used together")}
	}
	if u, err := url.Parse(o.ACMEDirectory); o.ACMEDirectory != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		return usageError{errors.New("--tls-acme-directory: want an https URL")}
	}
	if err := server.CheckACMENames(o.ACME); err != nil {
		return usageError{fmt.Errorf("--tls-acme: %w", err)}
	}
	return nil
}

// addresses are the addresses that the service listens on.
type addresses struct {
	listen string
	tls    tlsOptions
	out    io.Writer // for a line with the TLS address
	log    *slog.Logger
}

// selfSignedFile is the name of the self-signed certificate in the data folder. Clients can use it to verify the service.
const selfSignedFile = "tls-cert.pem"

// listenTLS opens the TLS listener if --tls-listen is set. line tells its address, once the service is ready.
func (l addresses) listenTLS(ctx context.Context, data string) (listeners []bellhop.TLSListener, line string, err error) {
	if l.tls.Listen == "" {
		return nil, "", nil
	}
	secured, note, err := l.certificate(data) //nolint:contextcheck // reading a certificate uses the context of the connection
	if err != nil {
		return nil, "", err
	}
	ln, err := system.Listen(ctx, "--tls-listen", l.tls.Listen)
	if err != nil {
		return nil, "", err
	}
	secured.Listener = ln
	if len(l.tls.ACME) > 0 {
		secured.URL = acmeURL(l.tls.ACME[0], ln)
	}
	return []bellhop.TLSListener{secured}, fmt.Sprintf("secured on https://%s%s\n", ln.Addr(), note), nil
}

// acmeURL returns the URL of a TLS listener with automatic certificates for a host name.
func acmeURL(host string, ln net.Listener) string {
	if _, port, err := net.SplitHostPort(ln.Addr().String()); err == nil && port != "443" {
		host = net.JoinHostPort(host, port)
	}
	return "https://" + host
}

// checkIssuer returns an error if there is no --public-url, and the address of the TLS listener cannot be part of a URL.
func (o tlsOptions) checkIssuer(public string) error {
	if o.Listen == "" || public != "" || len(o.ACME) > 0 {
		return nil
	}
	host, _, err := net.SplitHostPort(o.Listen)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return usageError{fmt.Errorf("--tls-listen %s requires --public-url, such as https://bellhop.example: users need a host name", o.Listen)}
	}
	return nil
}

// certificate reads the certificate of the flags. Without one it creates a self-signed certificate and describes it in note.
func (l addresses) certificate(data string) (c bellhop.TLSListener, note string, err error) {
	if len(l.tls.ACME) > 0 {
		issued, err := server.NewACME(server.ACMEConfig{
			Names: l.tls.ACME, Directory: l.tls.ACMEDirectory, Email: l.tls.ACMEEmail, Folder: filepath.Join(data, server.ACMEFolder), Log: l.log,
		})
		if err != nil {
			return c, "", err
		}
		c.Config, c.Handler = issued.TLS(), issued.Handler
		return c, " for " + strings.Join(l.tls.ACME, ", "), nil
	}
	if l.tls.Cert != "" {
		files, err := server.LoadCertificate(l.tls.Cert, l.tls.Key, clock.System{}, l.log)
		if err != nil {
			return c, "", fmt.Errorf("--tls-cert %s, --tls-key %s: %w", l.tls.Cert, l.tls.Key, err)
		}
		c.Config = files.TLS()
		return c, "", nil
	}
	host, _, err := net.SplitHostPort(l.tls.Listen)
	if err != nil {
		return c, "", usageError{fmt.Errorf("--tls-listen %s: %w", l.tls.Listen, err)}
	}
	certificate, text, err := server.SelfSigned(host, time.Now())
	if err != nil {
		return c, "", err
	}
	c.Config = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return c, "", err
	}
	file := filepath.Join(data, selfSignedFile)
	if err := os.WriteFile(file, text, 0o644); err != nil { //nolint:gosec // a certificate is public
		return c, "", err
	}
	return c, " with the certificate in " + file, nil
}
