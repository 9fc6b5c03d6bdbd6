package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
)

// mark stands in a body where a number goes that differs each time: a store skips rows that do not change.
const mark = "########"

// serial hands out the numbers that replace marks.
type serial struct{ last atomic.Uint64 }

// next returns a number that no earlier call returned.
func (s *serial) next() uint64 { return s.last.Add(1) }

// request is the bytes of an HTTP request, and where marks stand in them.
type request struct {
	raw   []byte
	marks []int
}

// newRequest returns a request with the token of a bot. A nil body is none.
func newRequest(method, path, token string, body []byte) request {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: DiscordBot (bench, 1)\r\n", method, path)
	fmt.Fprintf(&b, "Authorization: Bot %s\r\n", token)
	if body != nil {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n")
	b.Write(body)
	r := request{raw: b.Bytes()}
	for at := 0; ; at += len(mark) {
		i := bytes.Index(r.raw[at:], []byte(mark))
		if i < 0 {
			return r
		}
		at += i
		r.marks = append(r.marks, at)
	}
}

// render writes r over buf, with number in the place of each mark, and returns it.
func (r request) render(buf []byte, number uint64) []byte {
	buf = append(buf[:0], r.raw...)
	var digits [len(mark)]byte
	writeDigits(digits[:], number)
	for _, at := range r.marks {
		copy(buf[at:], digits[:])
	}
	return buf
}

// renderEach is render with a number of its own in the place of each mark.
func (r request) renderEach(buf []byte, numbers ...uint64) []byte {
	buf = append(buf[:0], r.raw...)
	for i, number := range numbers {
		writeDigits(buf[r.marks[i]:r.marks[i]+len(mark)], number)
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

// varied returns a source that sends one of requests after another in an order without a pattern, each time with
// another number. It is the same order for every source with as many requests.
func varied(requests []request, numbers *serial) func(int) func() []byte {
	const stride = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio: neighbours land far apart
	return func(int) func() []byte {
		var buf []byte
		return func() []byte {
			number := numbers.next()
			buf = requests[number*stride>>32%uint64(len(requests))].render(buf, number)
			return buf
		}
	}
}

// commandsPath returns the path of an application's global commands, or of what is below.
func commandsPath(application uint64, below string) string {
	return "/api/v10/applications/" + strconv.FormatUint(application, 10) + "/commands" + below
}
