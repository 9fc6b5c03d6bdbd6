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

// Relay is the bare server between users and an app. For each request it stores a row, signs and posts the same body to the app,
// reads the response, and stores the row again: an interaction must be on disk before the app gets it, and its answer before a user
// sees it.
type Relay struct {
	*Durable

	app    string
	body   []byte
	key    ed25519.PrivateKey
	client *http.Client
}

// RelayArgs returns the arguments that make Main relay the content of file body to an app and store requests in the folder data.
func RelayArgs(file, contentType, data, app, body string) []string {
	return append(DurableArgs(file, contentType, data, 1), "-app", app, "-body", body)
}

// NewRelay returns a relay over a durable server. file contains the body for the app.
func NewRelay(d *Durable, app, file string) (*Relay, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	const idle = 256 // idle connections to keep: more than any run uses
	return &Relay{
		Durable: d, app: app, body: body, key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: idle, DisableCompression: true}},
	}, nil
}

// ServeHTTP stores the request, posts to the app, stores its answer and responds.
func (r *Relay) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	j := r.pool.Get().(*job)
	defer r.pool.Put(j)
	if err := j.read(q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := r.store(j); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if err := r.post(q.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if err := r.store(j); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	r.answer.ServeHTTP(w, q)
}

var errApp = errors.New("the app responded with a status other than 200")

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
	defer func() { _ = answer.Body.Close() }() // it was read to its end
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: %s", errApp, answer.Status)
	}
	return nil
}
