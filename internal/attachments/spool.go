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
)

// spool holds uploaded files until their request is decided. It is safe for concurrent use.
type spool struct {
	dir  string
	most int64 // maximum bytes of all files
	used atomic.Int64
}

// spoolBytes is the maximum size of the spool.
const spoolBytes = 1 << 30

// abandonedAfter is the age at which a file in a shared spool belongs to no running request, because no request takes
// that long.
const abandonedAfter = time.Hour

// openSpool returns the spool in a folder, which must be on the same file system as the folder of stored files. It removes the files of
// an earlier process. If other processes share the folder, it removes only files older than abandonedAfter.
func openSpool(dir string, most int64, shared bool, now time.Time) (*spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("spool for attachments: %w", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("spool for attachments: %w", err)
	}
	for _, entry := range left {
		info, err := entry.Info()
		if err == nil && (!shared || now.Sub(info.ModTime()) > abandonedAfter) {
			err = os.Remove(filepath.Join(dir, entry.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("spool for attachments: %w", err)
		}
	}
	return &spool{dir: dir, most: most}, nil
}

// spooledFile is a file in the spool. It can be read once. Close does nothing; drop removes the file.
type spooledFile struct {
	*io.SectionReader

	spool *spool
	file  *os.File
	size  int64 // bytes that it uses in the spool
}

// receive copies r into a new file. The error is ErrFormTooLarge if r has more than limit bytes. The caller drops the
// file.
func (s *spool) receive(r io.Reader, limit int64) (_ *spooledFile, err error) {
	file, err := os.CreateTemp(s.dir, "upload-")
	if err != nil {
		return nil, asNoRoom(err)
	}
	f := &spooledFile{spool: s, file: file}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.drop())
		}
	}()
	size, err := io.Copy(spoolWriter{f}, io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, ErrFormTooLarge
	}
	f.SectionReader = io.NewSectionReader(file, 0, size)
	return f, nil
}

// Close does nothing.
func (f *spooledFile) Close() error { return nil }

// spoolWriter writes to a spooledFile.
type spoolWriter struct{ *spooledFile }

// Write writes p if the spool has room for it.
func (f spoolWriter) Write(p []byte) (int, error) {
	n := int64(len(p))
	if f.spool.used.Add(n) > f.spool.most {
		f.spool.used.Add(-n)
		return 0, ErrNoRoom
	}
	f.size += n
	written, err := f.file.Write(p)
	return written, asNoRoom(err)
}

// drop removes the file, unless Put has moved it, and frees its room in the spool.
func (f *spooledFile) drop() error {
	f.spool.used.Add(-f.size)
	f.size = 0
	err := f.file.Close()
	if gone := os.Remove(f.file.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
