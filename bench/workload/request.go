// Package workload provides what benchmarks send: raw HTTP requests in which only numbers change, and the commands and
// applications that they are for.
package workload

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
)

// Mark is the placeholder for a number that differs each time. Without it a store could skip rows that do not change.
const Mark = "########"

// Serial returns the numbers that replace marks.
type Serial struct{ last atomic.Uint64 }

// Next returns a number that no earlier call returned.
func (s *Serial) Next() uint64 { return s.last.Add(1) }

// Request is the bytes of an HTTP request and the positions of the marks in them.
type Request struct {
	Raw   []byte // with the marks
	marks []int
}

// New returns a request with a bot token. A nil body means no body.
func New(method, path, token string, body []byte) Request {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: DiscordBot (bench, 1)\r\n", method, path)
	fmt.Fprintf(&b, "Authorization: Bot %s\r\n", token)
	if body != nil {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n")
	b.Write(body)
	r := Request{Raw: b.Bytes()}
	for at := 0; ; at += len(Mark) {
		i := bytes.Index(r.Raw[at:], []byte(Mark))
		if i < 0 {
			return r
		}
		at += i
		r.marks = append(r.marks, at)
	}
}

// Render writes r to buf, with number in place of each mark, and returns buf.
func (r Request) Render(buf []byte, number uint64) []byte {
	buf = append(buf[:0], r.Raw...)
	var digits [len(Mark)]byte
	writeDigits(digits[:], number)
	for _, at := range r.marks {
		copy(buf[at:], digits[:])
	}
	return buf
}

// RenderEach is like Render, with a different number for each mark.
func (r Request) RenderEach(buf []byte, numbers ...uint64) []byte {
	buf = append(buf[:0], r.Raw...)
	for i, number := range numbers {
		writeDigits(buf[r.marks[i]:r.marks[i]+len(Mark)], number)
	}
	return buf
}

// writeDigits fills b with the last digits of number.
func writeDigits(b []byte, number uint64) {
	for i := range slices.Backward(b) {
		b[i] = byte('0' + number%10)
		number /= 10
	}
}

// Varied returns a source that sends the requests in a scattered order, each time with a new number. The order is the same for all
// sources with the same number of requests.
func Varied(requests []Request, numbers *Serial) func(int) func() []byte {
	const stride = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio spreads neighbours
	return func(int) func() []byte {
		var buf []byte
		return func() []byte {
			number := numbers.Next()
			buf = requests[number*stride>>32%uint64(len(requests))].Render(buf, number)
			return buf
		}
	}
}

// CommandsPath returns the path of the global commands of an application, followed by below.
func CommandsPath(application uint64, below string) string {
	return "/api/v10/applications/" + strconv.FormatUint(application, 10) + "/commands" + below
}

// List returns the request for all commands of application i.
func List(i int) Request {
	return New(http.MethodGet, CommandsPath(ApplicationID(i), ""), BotToken(i), nil)
}

// Upsert returns the request that creates or overwrites command c of application i.
func Upsert(i, c int) Request {
	return New(http.MethodPost, CommandsPath(ApplicationID(i), ""), BotToken(i), []byte(Definition(c)))
}

// Overwrite returns the request that overwrites all commands of application i.
func Overwrite(i int) Request {
	return New(http.MethodPut, CommandsPath(ApplicationID(i), ""), BotToken(i), Definitions())
}

// RowWrites returns count requests to the bare durable server. Each stores the given number of rows; no row is stored twice.
func RowWrites(count, rows int, body func(i int) []byte) []Request {
	writes := make([]Request, count)
	for i := range writes {
		writes[i] = New(http.MethodPut, "/"+strconv.Itoa(i*rows), BotToken(0), body(i))
	}
	return writes
}
