package attachments

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"

	"github.com/bellhop/bellhop/snowflake"
)

// folder stores files in 256 subfolders of a folder. The name of a file on disk is its id; the name that the sender
// gave it never reaches the file system.
type folder struct{ dir string }

// openFolder returns the folder in dir. It creates dir if it does not exist.
func openFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder for attachments: %w", err)
	}
	return &folder{dir}, nil
}

func shardName(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}

// timeShift is the position of the milliseconds in an id. They spread ids over the subfolders better than the counter
// does.
const timeShift = 22

func (f *folder) shard(id snowflake.Attachment) string {
	return filepath.Join(f.dir, shardName(byte(id>>timeShift)))
}

func (f *folder) path(id snowflake.Attachment) string {
	return filepath.Join(f.shard(id), strconv.FormatUint(uint64(id), 10))
}

// put moves a spooled file into the folder. When it returns, the file survives a crash.
func (f *folder) put(id snowflake.Attachment, spooled *os.File) error {
	if err := spooled.Sync(); err != nil {
		return err
	}
	err := os.Rename(spooled.Name(), f.path(id))
	if errors.Is(err, fs.ErrNotExist) { // the first file of the subfolder
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

// syncDir makes the entries of a folder durable.
func syncDir(dir string) (err error) {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return d.Sync()
}

// open opens a file. The error is ErrUnknownFile if it does not exist.
func (f *folder) open(id snowflake.Attachment) (io.ReadSeekCloser, error) {
	file, err := os.Open(f.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrUnknownFile
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

// delete removes a file. It is not an error if the file does not exist.
func (f *folder) delete(id snowflake.Attachment) error {
	if err := os.Remove(f.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// pageSize is the batch size of each.
const pageSize = 500

// each calls fn with the ids of all files, in batches.
func (f *folder) each(ctx context.Context, fn func([]snowflake.Attachment) error) error {
	for i := range 256 {
		if err := f.eachIn(ctx, filepath.Join(f.dir, shardName(byte(i))), fn); err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) eachIn(ctx context.Context, dir string, fn func([]snowflake.Attachment) error) (err error) {
	d, err := os.Open(dir)
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

// fileName matches the files in a folder of attachments that a copy of the folder needs: all but the spool.
var fileName = regexp.MustCompile(`^(key|files/[0-9a-f]{2}/[0-9]{1,20})$`)

// IsFile reports whether name is the path of a file that WalkFiles finds.
func IsFile(name string) bool { return fileName.MatchString(name) }

// WalkFiles calls fn with the path of each stored file, relative to dir and with slashes, and of the key that signs
// URLs. The service may add and remove files meanwhile. It is not an error if dir does not exist.
func WalkFiles(ctx context.Context, dir string, fn func(name string) error) error {
	if _, err := os.Stat(filepath.Join(dir, "key")); err == nil {
		if err := fn("key"); err != nil {
			return err
		}
	}
	f := &folder{filepath.Join(dir, "files")}
	return f.each(ctx, func(ids []snowflake.Attachment) error {
		for _, id := range ids {
			if err := fn(FileName(id)); err != nil {
				return err
			}
		}
		return nil
	})
}

// FileName returns the path of a stored file relative to the folder of attachments, with slashes.
func FileName(id snowflake.Attachment) string {
	return "files/" + shardName(byte(id>>timeShift)) + "/" + strconv.FormatUint(uint64(id), 10)
}

// asNoRoom wraps the errors of a full disk and of too many open files in ErrNoRoom.
func asNoRoom(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return fmt.Errorf("%w: %w", ErrNoRoom, err)
	}
	return err
}
