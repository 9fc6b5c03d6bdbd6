package cluster

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

// TestNodesFiles uploads an attachment to one node and reads it from every node.
func TestNodesFiles(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1, "--limits", "off", "--attachments", filepath.Join(t.TempDir(), "files"))
	if err := os.WriteFile(cl.world, []byte(guildWorld), 0o600); err != nil {
		t.Fatal(err)
	}
	cl.nodes = append(cl.nodes, cl.start(t, 1), cl.start(t, 2))
	sender := newMessageSender(t, cl.nodes[1])
	form := "--x\r\nContent-Disposition: form-data; name=\"files[0]\"; filename=\"note.txt\"\r\n\r\nwritten on one node\r\n--x--\r\n"
	text := request200(t, http.MethodPost, cl.nodes[1].Base+sender.path, "multipart/form-data; boundary=x", form)
	var message struct {
		Attachments []struct {
			URL string `json:"url"`
		} `json:"attachments"`
	}
	if err := json.Unmarshal([]byte(text), &message); err != nil || len(message.Attachments) != 1 {
		t.Fatalf("%s %v", text, err)
	}
	_, path, _ := strings.Cut(message.Attachments[0].URL, "/attachments/")
	for i, p := range cl.nodes {
		if got := request200(t, http.MethodGet, p.Base+"/attachments/"+path, "", ""); got != "written on one node" {
			t.Errorf("node %d: attachment = %q", i, got)
		}
	}
}

// request200 sends a request and returns the body of the response. The status must be 200.
func request200(t *testing.T, method, url, contentType, body string) string {
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
