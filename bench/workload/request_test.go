package workload_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/bench/workload"
)

func TestRequestIsHTTP(t *testing.T) {
	t.Parallel()
	raw := workload.Overwrite(3).Render(nil, 42)
	got, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if got.Method != http.MethodPut || got.URL.Path != "/api/v10/applications/1300000000000000003/commands" {
		t.Errorf("request line = %s %s", got.Method, got.URL)
	}
	if auth := got.Header.Get("Authorization"); auth != "Bot bot-V7mQ2xK9tR4zL8pW3n-00003" {
		t.Errorf("Authorization = %q", auth)
	}
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(raw, body) || int64(len(body)) != got.ContentLength {
		t.Errorf("body has %d bytes, Content-Length says %d", len(body), got.ContentLength)
	}
	if n := strings.Count(string(body), "edition 00000042"); n != workload.ListLength {
		t.Errorf("the number is in %d descriptions, want %d", n, workload.ListLength)
	}
}

func TestVariedSendsEverythingAndNothingTwice(t *testing.T) {
	t.Parallel()
	requests := []workload.Request{}
	for c := range workload.ListLength {
		requests = append(requests, workload.Upsert(0, c))
	}
	var numbers workload.Serial
	next := workload.Varied(requests, &numbers)(0)
	seen, names := map[string]bool{}, map[string]bool{}
	for range 40 * workload.ListLength {
		raw := string(next())
		if seen[raw] {
			t.Fatalf("sent twice: %s", raw)
		}
		seen[raw] = true
		_, body, _ := strings.Cut(raw, "\r\n\r\n")
		names[commandName(t, body)] = true
	}
	if len(names) != workload.ListLength {
		t.Errorf("%d commands were sent, want %d", len(names), workload.ListLength)
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
	for c := range workload.ListLength {
		d := workload.Definition(c)
		total += len(d)
		names[commandName(t, d)] = true
		if strings.Count(d, workload.Mark) != 1 {
			t.Errorf("%s: want one mark", d)
		}
	}
	if len(names) != workload.ListLength {
		t.Errorf("%d names, want %d", len(names), workload.ListLength)
	}
	if mean := total / workload.ListLength; mean < 240 || mean > 260 {
		t.Errorf("a definition has %d bytes on average, want about 250", mean)
	}
}

func BenchmarkVaried(b *testing.B) {
	b.ReportAllocs()
	var numbers workload.Serial
	next := workload.Varied([]workload.Request{workload.Overwrite(0), workload.Overwrite(1)}, &numbers)(0)
	for b.Loop() {
		next()
	}
}
