package main

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestNodesFiles reads on every node what was uploaded on one, under the address that this one gave.
func TestNodesFiles(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 1, "--limits", "off", "--attachments", filepath.Join(t.TempDir(), "files"))
	if err := os.WriteFile(f.world, []byte(meeting), 0o600); err != nil {
		t.Fatal(err)
	}
	f.nodes = append(f.nodes, f.start(t, 1), f.start(t, 2))
	words := beginSpeaking(t, f.nodes[1])
	form := "--x\r\nContent-Disposition: form-data; name=\"files[0]\"; filename=\"note.txt\"\r\n\r\nwritten on one node\r\n--x--\r\n"
	text := exchange(t, http.MethodPost, f.nodes[1].base+words.path, "multipart/form-data; boundary=x", form)
	var message struct {
		Attachments []struct {
			URL string `json:"url"`
		} `json:"attachments"`
	}
	if err := json.Unmarshal([]byte(text), &message); err != nil || len(message.Attachments) != 1 {
		t.Fatalf("%s %v", text, err)
	}
	_, path, _ := strings.Cut(message.Attachments[0].URL, "/attachments/")
	for i, p := range f.nodes {
		if got := exchange(t, http.MethodGet, p.base+"/attachments/"+path, "", ""); got != "written on one node" {
			t.Errorf("node %d shows %q", i, got)
		}
	}
}

// exchange makes a request that is answered with 200, and returns the answer.
func exchange(t *testing.T, method, url, contentType, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d %s %v", method, url, resp.StatusCode, text, err)
	}
	return string(text)
}
