package script_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/bench/script"
)

func TestRequestIsHTTP(t *testing.T) {
	t.Parallel()
	raw := script.Overwrite(3).Render(nil, 42)
	got, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if got.Method != http.MethodPut || got.URL.Path != "/api/v10/applications/1300000000000000003/commands" {
		t.Errorf("request line = %s %s", got.Method, got.URL)
	}
	if auth := got.Header.Get("Authorization"); auth != "Bot bench-bot-00003" {
		t.Errorf("Authorization = %q", auth)
	}
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(raw, body) || int64(len(body)) != got.ContentLength {
		t.Errorf("body has %d bytes, Content-Length says %d", len(body), got.ContentLength)
	}
	if n := strings.Count(string(body), "edition 00000042"); n != script.ListLength {
		t.Errorf("the number stands in %d descriptions, want %d", n, script.ListLength)
	}
}

func TestVariedSendsEverythingAndNothingTwice(t *testing.T) {
	t.Parallel()
	requests := []script.Request{}
	for c := range script.ListLength {
		requests = append(requests, script.Upsert(0, c))
	}
	var numbers script.Serial
	next := script.Varied(requests, &numbers)(0)
	seen, names := map[string]bool{}, map[string]bool{}
	for range 40 * script.ListLength {
		raw := string(next())
		if seen[raw] {
			t.Fatalf("sent twice: %s", raw)
		}
		seen[raw] = true
		_, body, _ := strings.Cut(raw, "\r\n\r\n")
		names[commandName(t, body)] = true
	}
	if len(names) != script.ListLength {
		t.Errorf("%d commands were sent, want %d", len(names), script.ListLength)
	}
}

func commandName(t *testing.T, definition string) string {
	t.Helper()
	var command struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal([]byte(definition), &command); err != nil {
		t.Fatal(err)
	}
	return command.Name
}

func TestDefinitions(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	var total int
	for c := range script.ListLength {
		d := script.Definition(c)
		total += len(d)
		names[commandName(t, d)] = true
		if strings.Count(d, script.Mark) != 1 {
			t.Errorf("%s has not one mark", d)
		}
	}
	if len(names) != script.ListLength {
		t.Errorf("%d names, want %d", len(names), script.ListLength)
	}
	if mean := total / script.ListLength; mean < 240 || mean > 260 {
		t.Errorf("a definition has %d bytes on average, want about 250", mean)
	}
}

func BenchmarkVaried(b *testing.B) {
	b.ReportAllocs()
	var numbers script.Serial
	next := script.Varied([]script.Request{script.Overwrite(0), script.Overwrite(1)}, &numbers)(0)
	for b.Loop() {
		next()
	}
}
