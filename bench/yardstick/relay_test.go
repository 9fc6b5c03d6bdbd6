package yardstick_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/bench/yardstick"
)

// TestRelay checks that the relay stores the request before it posts the signed body to the app, and responds after it.
func TestRelay(t *testing.T) {
	t.Parallel()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public().(ed25519.PublicKey)
	status := http.StatusOK
	posted := 0
	_, db, d := durable(t, 1)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		posted++
		body, _ := io.ReadAll(r.Body)
		signature, _ := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		if string(body) != `{"type":2}` || !ed25519.Verify(key, append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), signature) {
			t.Errorf("posted %s with the signature %x", body, signature)
		}
		var rows int
		if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM rows").Scan(&rows); err != nil || rows != posted {
			t.Errorf("%d rows are stored before post %d: %v", rows, posted, err)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(app.Close)
	file := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(file, []byte(`{"type":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	relay, err := yardstick.NewRelay(d, app.URL, file)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(relay)
	t.Cleanup(server.Close)
	if got := send(t, http.MethodPut, server.URL+"/7", strings.NewReader("row")); got.status != http.StatusOK || posted != 1 {
		t.Errorf("answer %+v, posted %d times", got, posted)
	}
	var row string
	if err := db.QueryRowContext(t.Context(), "SELECT body FROM rows WHERE id = 7").Scan(&row); err != nil || row != "row" {
		t.Errorf("stored %q, %v", row, err)
	}
	status = http.StatusInternalServerError
	if got := send(t, http.MethodPut, server.URL+"/8", strings.NewReader("row")); got.status != http.StatusBadGateway {
		t.Errorf("response if the app fails: %+v", got)
	}
}
