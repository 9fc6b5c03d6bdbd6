package attachments

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// spool is where files lie while their request is judged. It is safe for concurrent use.
type spool struct {
	dir  string
	most int64 // bytes that may lie here at once
	used atomic.Int64
}

// spoolBytes is how much may lie in the spool at once.
const spoolBytes = 1 << 30

// abandoned is how old a file is that no process can still be receiving: none reads a request for so long.
const abandoned = time.Hour

// openSpool returns a spool in a folder that has to be on the same file system as the Folder that its files go to. What an
// earlier process left there is removed; where others use it too, what is too old to be theirs.
func openSpool(dir string, most int64, shared bool) (*spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("spool for attachments: %w", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("spool for attachments: %w", err)
	}
	now := clock.System{}.Now()
	for _, entry := range left {
		info, err := entry.Info()
		if err == nil && (!shared || now.Sub(info.ModTime()) > abandoned) {
			err = os.Remove(filepath.Join(dir, entry.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("spool for attachments: %w", err)
		}
	}
	return &spool{dir: dir, most: most}, nil
}

// spooled is a file in the spool. It can be read once; closing it changes nothing, since its form drops it.
type spooled struct {
	*io.SectionReader

	spool *spool
	file  *os.File
	taken int64 // of the spool's room: its size
}

// receive copies r into a new file, of limit bytes at the most. The caller drops it.
func (s *spool) receive(r io.Reader, limit int64) (_ *spooled, err error) {
	file, err := os.CreateTemp(s.dir, "upload-")
	if err != nil {
		return nil, noRoom(err)
	}
	f := &spooled{spool: s, file: file}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.drop())
		}
	}()
	size, err := io.Copy(writer{f}, io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, ErrTooLarge
	}
	f.SectionReader = io.NewSectionReader(file, 0, size)
	return f, nil
}

// Close does nothing.
func (f *spooled) Close() error { return nil }

// writer fills a spooled file.
type writer struct{ *spooled }

// Write takes a piece of the file when there is room for it.
func (f writer) Write(p []byte) (int, error) {
	n := int64(len(p))
	if f.spool.used.Add(n) > f.spool.most {
		f.spool.used.Add(-n)
		return 0, ErrFull
	}
	f.taken += n
	written, err := f.file.Write(p)
	return written, noRoom(err)
}

// drop gives the room back and removes the file, unless it was moved to where it is kept.
func (f *spooled) drop() error {
	f.spool.used.Add(-f.taken)
	f.taken = 0
	err := f.file.Close()
	if gone := os.Remove(f.file.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
