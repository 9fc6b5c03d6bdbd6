package sqlite

import (
	"errors"

	"modernc.org/libc"
)

// texts is the memory in which SQLite reads the texts of a statement's arguments. It lies outside of Go's own, which
// SQLite must not see, and is used again for every statement.
type texts struct {
	at   uintptr
	size int // in bytes
	used int
}

// leastTexts is how much memory a connection takes at first.
const leastTexts = 4 << 10

// maxTexts is how much of it a connection keeps from one statement to the next.
const maxTexts = 1 << 20

var errNoMemory = errors.New("no memory for the arguments of a statement")

// reserve makes room for texts of so many bytes and drops those that were there.
func (t *texts) reserve(tls *libc.TLS, size int) error {
	t.used = 0
	if t.at != 0 && size <= t.size && t.size <= maxTexts {
		return nil
	}
	t.free(tls)
	size = max(2*size, leastTexts)
	if t.at = libc.Xmalloc(tls, libc.Tsize_t(size)); t.at == 0 {
		return errNoMemory
	}
	t.size = size
	return nil
}

// addText copies a text to where there is room for it, and returns where.
func addText[T string | []byte](t *texts, text T) uintptr {
	at := t.at + uintptr(t.used)
	t.used += copy(libc.GoBytes(at, len(text)), text)
	return at
}

func (t *texts) free(tls *libc.TLS) {
	if t.at != 0 {
		libc.Xfree(tls, t.at)
	}
	*t = texts{}
}
