package yardstick

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

// Relay is the bare server that stands between people and an app: each request makes it sign and post the same body to
// the app, read the answer, and store what it was sent in one row.
type Relay struct {
	*Durable

	app    string
	body   []byte
	key    ed25519.PrivateKey
	client *http.Client
}

// RelayArgs returns the arguments with which Main relays the body in a file to an app, and stores in the folder data.
func RelayArgs(file, contentType, data, app, body string) []string {
	return append(DurableArgs(file, contentType, data, 1), "-app", app, "-body", body)
}

// NewRelay returns a relay over a durable server. The file holds what is posted to the app.
func NewRelay(d *Durable, app, file string) (*Relay, error) {
	body, err := os.ReadFile(file) //nolint:gosec // G304: whoever starts the yardstick names it
	if err != nil {
		return nil, err
	}
	const idle = 256 // connections that are kept: more than any run has
	return &Relay{
		Durable: d, app: app, body: body, key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: idle, DisableCompression: true}},
	}, nil
}

// ServeHTTP relays a request, stores it and answers it.
func (r *Relay) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if err := r.post(q.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	r.Durable.ServeHTTP(w, q)
}

var errApp = errors.New("the app answered with another status than 200")

func (r *Relay) post(ctx context.Context) error {
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	signature := ed25519.Sign(r.key, append([]byte(stamp), r.body...))
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.app, bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	q.Header = http.Header{
		"Content-Type": {"application/json"}, "X-Signature-Timestamp": {stamp}, "X-Signature-Ed25519": {hex.EncodeToString(signature)},
	}
	answer, err := r.client.Do(q)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // it has been read
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: %s", errApp, answer.Status)
	}
	return nil
}
