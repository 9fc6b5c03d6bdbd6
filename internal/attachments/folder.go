package attachments

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/bellhop/bellhop/snowflake"
)

// Folder keeps files in a folder, spread over 256 others. A file is called by its id alone: nothing of what its sender
// named it touches the file system.
type Folder struct{ dir string }

// OpenFolder returns the folder below dir, which it makes when there is none.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder for attachments: %w", err)
	}
	return &Folder{dir}, nil
}

func shardName(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}

// timeShift is how far the milliseconds of an id stand to the left; they spread ids better than its counter.
const timeShift = 22

func (f *Folder) shard(id snowflake.Attachment) string {
	return filepath.Join(f.dir, shardName(byte(id>>timeShift)))
}

func (f *Folder) path(id snowflake.Attachment) string {
	return filepath.Join(f.shard(id), strconv.FormatUint(uint64(id), 10))
}

// Put moves a spooled file to its place. It is there, whole, after a crash too.
func (f *Folder) Put(_ context.Context, id snowflake.Attachment, spooled *os.File) error {
	if err := spooled.Sync(); err != nil {
		return err
	}
	err := os.Rename(spooled.Name(), f.path(id))
	if errors.Is(err, fs.ErrNotExist) { // the first in its shard
		if err := os.MkdirAll(f.shard(id), 0o700); err != nil {
			return err
		}
		if err := syncDir(f.dir); err != nil {
			return err
		}
		err = os.Rename(spooled.Name(), f.path(id))
	}
	if err != nil {
		return err
	}
	return syncDir(f.shard(id))
}

// syncDir makes the names in a folder durable.
func syncDir(dir string) (err error) {
	d, err := os.Open(dir) //nolint:gosec // a folder of our own
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return d.Sync()
}

// Open returns a file.
func (f *Folder) Open(_ context.Context, id snowflake.Attachment) (io.ReadSeekCloser, error) {
	file, err := os.Open(f.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

// Delete removes a file.
func (f *Folder) Delete(_ context.Context, id snowflake.Attachment) error {
	if err := os.Remove(f.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// pageSize is how many ids Each hands out at a time.
const pageSize = 500

// Each lists all files.
func (f *Folder) Each(ctx context.Context, fn func([]snowflake.Attachment) error) error {
	for i := range 256 {
		if err := f.eachIn(ctx, filepath.Join(f.dir, shardName(byte(i))), fn); err != nil {
			return err
		}
	}
	return nil
}

func (f *Folder) eachIn(ctx context.Context, dir string, fn func([]snowflake.Attachment) error) (err error) {
	d, err := os.Open(dir) //nolint:gosec // a folder of our own
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	for ctx.Err() == nil {
		names, err := d.Readdirnames(pageSize)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var ids []snowflake.Attachment
		for _, name := range names {
			if id, err := snowflake.Parse[snowflake.Attachment](name); err == nil {
				ids = append(ids, id)
			}
		}
		if err := fn(ids); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// noRoom puts the faults of a full disk into our own words.
func noRoom(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}
