package load_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/bellhop/bellhop/bench/load"
)

func TestReadAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		give string
		want []load.Answer
		fail bool // an error other than the end of the connection between two answers
	}{
		{
			name: "content length, twice on one connection",
			give: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 201 Created\r\ncontent-length:0\r\n\r\n",
			want: []load.Answer{{Status: 200, Body: 3}, {Status: 201}},
		},
		{
			name: "chunks with an extension and a trailer",
			give: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\nabcd\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n" +
				"HTTP/1.1 204 No Content\r\n\r\n",
			want: []load.Answer{{Status: 200, Body: 14}, {Status: 204}},
		},
		{
			name: "no length: the body ends with the connection",
			give: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nabcdef",
			want: []load.Answer{{Status: 200, Body: 6, Close: true}},
		},
		{
			name: "connection close among other words",
			give: "HTTP/1.1 200 OK\r\nConnection: te, Close\r\nContent-Length: 0\r\n\r\n",
			want: []load.Answer{{Status: 200, Close: true}},
		},
		{
			name: "interim answers are passed over",
			give: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
			want: []load.Answer{{Status: 200, Body: 1}},
		},
		{
			name: "a refusal keeps the head of its body",
			give: "HTTP/1.1 429 Too Many\r\nContent-Length: 300\r\n\r\n" + strings.Repeat("x", 300),
			want: []load.Answer{{Status: 429, Body: 300, Excerpt: strings.Repeat("x", 256)}},
		},
		{
			name: "body larger than the buffer",
			give: "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100_000) +
				"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
			want: []load.Answer{{Status: 200, Body: 100_000}, {Status: 200, Body: 1}},
		},
		{name: "nothing", give: ""},
		{name: "end within the header", give: "HTTP/1.1 200 OK\r\nContent-Le", fail: true},
		{name: "end between header lines", give: "HTTP/1.1 200 OK\r\n", fail: true},
		{name: "end within the body", give: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", fail: true},
		{name: "end within a chunk", give: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", fail: true},
		{name: "no line end after a chunk", give: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", fail: true},
		{name: "negative length", give: "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", fail: true},
		{name: "length beyond 63 bits", give: "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\n", fail: true},
		{name: "two lengths", give: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", fail: true},
		{name: "other transfer encoding", give: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", fail: true},
		{name: "header line without a colon", give: "HTTP/1.1 200 OK\r\nabc\r\n\r\n", fail: true},
		{name: "header line without an end", give: "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", 64<<10), fail: true},
		{name: "another version", give: "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", fail: true},
		{name: "status of two digits", give: "HTTP/1.1 20\r\n\r\n", fail: true},
		{name: "status of four digits", give: "HTTP/1.1 2000\r\n\r\n", fail: true},
		{name: "switching protocols", give: "HTTP/1.1 101 Switching Protocols\r\n\r\n", fail: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := load.ReadAnswers(strings.NewReader(tt.give))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ReadAnswers (-want +got):\n%s", diff)
			}
			if failed := err != io.EOF; failed != tt.fail {
				t.Errorf("error = %v, want failure: %t", err, tt.fail)
			}
		})
	}
}

// FuzzReadAnswers checks that the result does not depend on how the bytes arrive, and that it agrees with net/http if both accept
// a response.
func FuzzReadAnswers(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x\r\nabcd\r\n0\r\nX: y\r\n\r\n",
		"HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\nabc",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, wholeErr := load.ReadAnswers(bytes.NewReader(in))
		bytewise, bytewiseErr := load.ReadAnswers(iotest.OneByteReader(bytes.NewReader(in)))
		if diff := cmp.Diff(whole, bytewise); diff != "" || (wholeErr == io.EOF) != (bytewiseErr == io.EOF) {
			t.Fatalf("at once %v, byte by byte %v:\n%s", wholeErr, bytewiseErr, diff)
		}
		standard := readStandard(in)
		for i := range min(len(whole), len(standard)) {
			whole[i].Excerpt = ""
			if whole[i] != standard[i] {
				t.Fatalf("answer %d = %+v, net/http reads %+v", i, whole[i], standard[i])
			}
		}
	})
}

// readStandard is ReadAnswers with net/http, up to the first response that net/http rejects.
func readStandard(in []byte) []load.Answer {
	r := bufio.NewReader(bytes.NewReader(in))
	var answers []load.Answer
	for {
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			return answers
		}
		size, err := io.Copy(io.Discard, response.Body)
		if err = errors.Join(err, response.Body.Close()); err != nil {
			return answers
		}
		if response.StatusCode < 200 {
			continue
		}
		answers = append(answers, load.Answer{Status: response.StatusCode, Body: size, Close: response.Close})
		if response.Close {
			return slices.Clip(answers)
		}
	}
}
