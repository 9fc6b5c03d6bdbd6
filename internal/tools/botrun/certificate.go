package botrun

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"sync"
	"time"

	"software.sslmate.com/src/go-pkcs12"
)

const (
	validity  = 30 * 24 * time.Hour
	clockSkew = time.Hour
	maxHosts  = 1024 // certificates that are kept
)

var errTooManyHosts = errors.New("too many hosts")

// authority signs the certificates of hosts. Its key exists only in the memory of the process.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	hostKey     *ecdsa.PrivateKey // of all hosts
	now         time.Time

	mu    sync.Mutex
	hosts map[string]*tls.Certificate
}

func newAuthority(now time.Time) (*authority, error) {
	a := &authority{now: now, hosts: map[string]*tls.Certificate{}}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	if a.hostKey, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	template := a.template("Bellhop, for one run")
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	a.certificate, err = x509.ParseCertificate(der)
	return a, err
}

func (a *authority) template(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)) // crypto/rand does not fail
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: a.now.Add(-clockSkew), NotAfter: a.now.Add(validity),
	}
}

// forHost returns the certificate of the host that a client asks for.
func (a *authority) forHost(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	host := hello.ServerName
	if c := a.hosts[host]; c != nil {
		return c, nil
	}
	if len(a.hosts) >= maxHosts {
		return nil, errTooManyHosts
	}
	template := a.template(host)
	template.DNSNames = []string{host}
	template.KeyUsage, template.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, a.hostKey.Public(), a.key)
	if err != nil {
		return nil, err
	}
	c := &tls.Certificate{Certificate: [][]byte{der, a.certificate.Raw}, PrivateKey: a.hostKey}
	a.hosts[host] = c
	return c, nil
}

// pem returns the certificate of the authority for OpenSSL, Go and Node.js.
func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// storePassword protects nothing: a trust store holds no secret, but Java wants a password.
const storePassword = "changeit"

// pkcs12 returns the certificate of the authority as a trust store for Java.
func (a *authority) pkcs12() ([]byte, error) {
	return pkcs12.Modern.EncodeTrustStore([]*x509.Certificate{a.certificate}, storePassword)
}
