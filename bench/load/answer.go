package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

// excerptSize is the number of bytes of a rejected request's body that the error message contains.
const excerptSize = 256

var (
	errMalformed   = errors.New("malformed HTTP answer")
	errLongLine    = fmt.Errorf("%w: line exceeds the buffer", errMalformed)
	errUnsupported = errors.New("unsupported HTTP answer")
)

// answer is the properties of an HTTP response that the load generator needs.
type answer struct {
	status  int
	body    int64  // bytes of the body
	excerpt []byte // first bytes of the body if the status is not 2xx
	close   bool   // the connection has no further responses
}

func (a *answer) ok() bool { return a.status >= 200 && a.status < 300 }

// reader reads the responses of one connection. It keeps no headers and no bodies.
type reader struct {
	src        io.Reader
	buf        []byte
	start, end int // buf[start:end] was read from src and not yet consumed
}

func newReader(src io.Reader) *reader { return &reader{src: src, buf: make([]byte, 32<<10)} }

// next reads the next final response with its body. It returns io.EOF if the connection ends before its first byte.
func (r *reader) next() (answer, error) {
	for {
		a, err := r.one()
		if err != nil || a.status >= 200 {
			return a, err
		}
	}
}

// one reads one response, which may be an interim one.
func (r *reader) one() (answer, error) {
	line, err := r.line()
	if err != nil {
		return answer{}, err
	}
	var a answer
	if a.status, err = parseStatus(line); err != nil {
		return answer{}, err
	}
	frame, err := r.header()
	if err != nil {
		return answer{}, noEOF(err)
	}
	a.close = frame.close
	if err := r.body(&a, frame); err != nil {
		return answer{}, noEOF(err)
	}
	return a, nil
}

// framing is the header fields that determine the end of the body.
type framing struct {
	length  int64 // -1 if unknown
	chunked bool
	close   bool
}

// header reads the header, up to and including the empty line.
func (r *reader) header() (framing, error) {
	f := framing{length: -1}
	for {
		line, err := r.line()
		if err != nil || len(line) == 0 {
			return f, err
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			return f, errMalformed
		}
		if err := f.note(name, bytes.Trim(value, " \t")); err != nil {
			return f, err
		}
	}
}

// note reads one line of the header. The comparison of lengths avoids most comparisons of names.
func (f *framing) note(name, value []byte) error {
	switch {
	case len(name) == 14 && bytes.EqualFold(name, []byte("Content-Length")):
		length, ok := parseNumber(value, 10)
		if !ok || f.length >= 0 && f.length != length {
			return errMalformed
		}
		f.length = length
	case len(name) == 17 && bytes.EqualFold(name, []byte("Transfer-Encoding")):
		if f.chunked || !bytes.EqualFold(value, []byte("chunked")) {
			return errUnsupported
		}
		f.chunked = true
	case len(name) == 10 && bytes.EqualFold(name, []byte("Connection")):
		for token := range bytes.SplitSeq(value, []byte(",")) {
			f.close = f.close || bytes.EqualFold(bytes.Trim(token, " \t"), []byte("close"))
		}
	}
	return nil
}

// body skips the body and adds its size to a.
func (r *reader) body(a *answer, f framing) error {
	switch {
	case a.status < 200 || a.status == 204 || a.status == 304:
		return nil
	case f.chunked:
		return r.chunks(a)
	case f.length >= 0:
		return r.skip(a, f.length)
	default: // the body ends with the connection
		a.close = true
		err := r.skip(a, math.MaxInt64)
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

func (r *reader) chunks(a *answer) error {
	for {
		line, err := r.line()
		if err != nil {
			return err
		}
		digits, _, _ := bytes.Cut(line, []byte(";"))
		size, ok := parseNumber(bytes.TrimRight(digits, " \t"), 16)
		if !ok {
			return errMalformed
		}
		if size == 0 {
			return r.trailer()
		}
		if err := r.skip(a, size); err != nil {
			return err
		}
		if line, err = r.line(); err != nil {
			return err
		}
		if len(line) != 0 {
			return errMalformed
		}
	}
}

func (r *reader) trailer() error {
	for {
		line, err := r.line()
		if err != nil || len(line) == 0 {
			return err
		}
	}
}

// skip consumes n bytes of the body of a.
func (r *reader) skip(a *answer, n int64) error {
	for n > 0 {
		if r.start == r.end {
			if err := r.fill(); err != nil {
				return err
			}
		}
		part := r.buf[r.start:r.end]
		part = part[:min(n, int64(len(part)))]
		if room := excerptSize - len(a.excerpt); !a.ok() && room > 0 {
			a.excerpt = append(a.excerpt, part[:min(room, len(part))]...)
		}
		r.start += len(part)
		a.body += int64(len(part))
		n -= int64(len(part))
	}
	return nil
}

// line consumes a line and returns it without its end. It is valid until the next call of any method.
func (r *reader) line() ([]byte, error) {
	searched := 0
	for {
		if i := bytes.IndexByte(r.buf[r.start+searched:r.end], '\n'); i >= 0 {
			line := r.buf[r.start : r.start+searched+i]
			r.start += len(line) + 1
			return bytes.TrimSuffix(line, []byte("\r")), nil
		}
		searched = r.end - r.start
		if err := r.fill(); err != nil {
			if searched > 0 {
				return nil, noEOF(err)
			}
			return nil, err
		}
	}
}

// fill reads more bytes into the buffer.
func (r *reader) fill() error {
	if r.start == r.end {
		r.start, r.end = 0, 0
	}
	if r.end == len(r.buf) {
		if r.start == 0 {
			return errLongLine
		}
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	n, err := r.src.Read(r.buf[r.end:])
	r.end += n
	if n > 0 {
		return nil // the next read returns the error again
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// parseStatus parses a status line. It rejects versions other than HTTP/1.1, because they have other rules for the end
// of a body, and status 101, because it ends HTTP on the connection.
func parseStatus(line []byte) (int, error) {
	rest, ok := bytes.CutPrefix(line, []byte("HTTP/1.1 "))
	if !ok || len(rest) < 3 || len(rest) > 3 && rest[3] != ' ' {
		return 0, errMalformed
	}
	status, ok := parseNumber(rest[:3], 10)
	if !ok || status < 100 {
		return 0, errMalformed
	}
	if status == 101 {
		return 0, errUnsupported
	}
	return int(status), nil
}

// parseNumber parses a number of digits only, without sign or blanks.
func parseNumber(digits []byte, base int64) (int64, bool) {
	var n int64
	for _, c := range digits {
		var digit int64
		switch {
		case c >= '0' && c <= '9':
			digit = int64(c - '0')
		case base == 16 && c|0x20 >= 'a' && c|0x20 <= 'f':
			digit = int64(c|0x20-'a') + 10
		default:
			return 0, false
		}
		if n > (math.MaxInt64-digit)/base {
			return 0, false
		}
		n = n*base + digit
	}
	return n, len(digits) > 0
}

// noEOF converts io.EOF to io.ErrUnexpectedEOF, for an end of the connection inside a response.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
