package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

// excerptSize is how much of the body of a refused request is kept for the error message.
const excerptSize = 256

var (
	errMalformed   = errors.New("malformed HTTP answer")
	errLongLine    = fmt.Errorf("%w: line exceeds the buffer", errMalformed)
	errUnsupported = errors.New("unsupported HTTP answer")
)

// answer is what the generator needs to know of one HTTP answer.
type answer struct {
	status  int
	body    int64  // bytes of the body
	excerpt []byte // first bytes of the body when status is not 2xx
	close   bool   // the connection carries no further answer
}

func (a *answer) ok() bool { return a.status >= 200 && a.status < 300 }

// reader reads the answers of one connection, one after another. It keeps no header and no body.
type reader struct {
	src        io.Reader
	buf        []byte
	start, end int // buf[start:end] was read from src and not yet consumed
}

func newReader(src io.Reader) *reader { return &reader{src: src, buf: make([]byte, 32<<10)} }

// next reads the next final answer, body included. It returns io.EOF when the connection ended before its first byte.
func (r *reader) next() (answer, error) {
	for {
		a, err := r.one()
		if err != nil || a.status >= 200 {
			return a, err
		}
	}
}

// one reads one answer, which may be an interim one.
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

// framing is what the header says about where the body ends.
type framing struct {
	length  int64 // -1 when not given
	chunked bool
	close   bool
}

// header reads the header's lines up to and including the empty one.
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

// note takes over what one line of the header says. The switch on the length spares most lines a comparison.
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

// body skips the body that f announces and notes its size in a.
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

// fill reads more behind what is not yet consumed.
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
		return nil // an error that came with bytes comes again without
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// parseStatus reads a status line. Other versions than HTTP/1.1 have other rules for the end of a body, and 101 ends
// HTTP on the connection: both are refused.
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

// parseNumber reads digits only: no sign, no blank, nothing empty.
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

// noEOF turns the end of the connection into an error: inside an answer it is one.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
