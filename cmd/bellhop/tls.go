package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/bellhop/bellhop/internal/server"
)

// tlsOptions are the flags for serving everything over TLS too.
type tlsOptions struct {
	Listen string `placeholder:"ADDR" help:"Address to serve the same on over TLS."`
	Cert   string `type:"path" placeholder:"FILE" help:"Certificate and those above it, in PEM. With dev controls one is made at start when none is given."`
	Key    string `type:"path" placeholder:"FILE" help:"Key of the certificate, in PEM."`
}

// check says which flag is missing.
func (o tlsOptions) check(dev bool) error {
	switch {
	case o.Listen == "" && (o.Cert != "" || o.Key != ""):
		return usageError{errors.New("--tls-listen: an address is needed for --tls-cert and --tls-key")}
	case (o.Cert == "") != (o.Key == ""):
		return usageError{errors.New("--tls-cert and --tls-key go together")}
	case o.Listen != "" && o.Cert == "" && !dev:
		return usageError{errors.New("--tls-listen: --tls-cert and --tls-key are needed unless the dev controls are on")}
	}
	return nil
}

// listening is where the service listens.
type listening struct {
	address string
	tls     tlsOptions
	out     io.Writer // learns of the secured address
}

// madeCertificate is the name of the certificate that is made at start, in the data folder, for clients that check it.
const madeCertificate = "tls-cert.pem"

// secure opens the listener for TLS, if one is asked for.
func (l listening) secure(ctx context.Context, data string) ([]server.TLSListener, error) {
	if l.tls.Listen == "" {
		return nil, nil
	}
	certificate, note, err := l.certificate(data)
	if err != nil {
		return nil, err
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", l.tls.Listen)
	if err != nil {
		return nil, fmt.Errorf("--tls-listen %s: %w", l.tls.Listen, err)
	}
	if _, err := fmt.Fprintf(l.out, "secured on https://%s%s\n", ln.Addr(), note); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return []server.TLSListener{{Listener: ln, Certificate: certificate}}, nil
}

// certificate reads the certificate that is given, or makes one.
func (l listening) certificate(data string) (c tls.Certificate, note string, err error) {
	if l.tls.Cert != "" {
		c, err = tls.LoadX509KeyPair(l.tls.Cert, l.tls.Key)
		if err != nil {
			return c, "", fmt.Errorf("--tls-cert %s, --tls-key %s: %w", l.tls.Cert, l.tls.Key, err)
		}
		return c, "", nil
	}
	host, _, err := net.SplitHostPort(l.tls.Listen)
	if err != nil {
		return c, "", usageError{fmt.Errorf("--tls-listen %s: %w", l.tls.Listen, err)}
	}
	c, text, err := server.SelfSigned(host, time.Now())
	if err != nil {
		return c, "", err
	}
	file := filepath.Join(data, madeCertificate)
	if err := os.WriteFile(file, text, 0o644); err != nil { //nolint:gosec // a certificate is for everybody
		return c, "", err
	}
	return c, " with the certificate in " + file, nil
}
