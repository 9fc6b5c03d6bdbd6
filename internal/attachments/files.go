// Package attachments stores the files of messages and interactions: it reads the forms in which they arrive, stores
// their bytes in a folder, and makes and checks their signed URLs. It does not know which message a file belongs to.
package attachments

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
)

// The errors of files and forms.
var (
	ErrUnknownFile  = errors.New("unknown attachment")
	ErrForm         = errors.New("malformed form")
	ErrFormTooLarge = errors.New("form too large")
	ErrFileTooLarge = errors.New("file too large") // 40005
	// ErrNoRoom says that the disk is full, or that the uploads under way exceed the limit of the spool.
	ErrNoRoom = errors.New("no room for files")
)

// FilesConfig configures Files. All fields but Sealer, Base, Forget, Measure and Exclusively are required.
type FilesConfig struct {
	// Shared says that other processes use the folder too.
	Shared bool
	Clock  clock.Clock
	// Wall is the real time. It differs from Clock when a developer moves Clock.
	Wall clock.Clock
	Log  *slog.Logger
	// Sealer encrypts the key that signs URLs; nil: it is not encrypted.
	Sealer *auth.Sealer
	// Base is the first part of file URLs, such as "https://bellhop.example"; see SetBase.
	Base string
	// Referenced returns the ids that a message refers to. Sweep removes the others.
	Referenced func(ctx context.Context, ids []snowflake.Attachment) ([]snowflake.Attachment, error)
	// Forget is called with the files that Sweep removes, before it removes them. It may be nil.
	Forget func(ctx context.Context, ids []snowflake.Attachment) error
	// Measure is called every minute while Run runs. It may be nil.
	Measure func(ctx context.Context) error
	// Exclusively calls fn unless another process sweeps the folder now. It may be nil if no other process uses the folder.
	Exclusively func(ctx context.Context, fn func(context.Context) error) error
}

// Files stores the files of messages and interactions: it reads the forms in which they arrive, stores their bytes by
// id, and makes and checks their signed URLs. Of their content it reads only the sizes of images. It is safe for
// concurrent use.
//
// A file is on disk before its id is returned to a client. The message that refers to it is committed later, so a crash
// in between leaves a file without a message. Run removes such files.
type Files struct {
	cfg   FilesConfig
	spool *spool
	store *folder
	key   []byte // signs URLs
	base  atomic.Pointer[string]
}

// OpenFiles opens the files in a folder. It creates the folder if it does not exist.
func OpenFiles(dir string, cfg FilesConfig) (*Files, error) {
	f := &Files{cfg: cfg}
	f.SetBase(cfg.Base)
	var err error
	if f.key, err = loadKey(filepath.Join(dir, "key"), cfg.Sealer); err != nil {
		return nil, fmt.Errorf("key of attachments: %w", err)
	}
	if f.spool, err = openSpool(filepath.Join(dir, "spool"), spoolBytes, cfg.Shared, cfg.Wall.Now()); err != nil {
		return nil, err
	}
	f.store, err = openFolder(filepath.Join(dir, "files"))
	return f, err
}

// Put stores a file durably under an id and returns its size. It moves a file that an Upload opened and copies any
// other reader. If the message that refers to the file is not committed, the caller deletes the file. The error wraps
// ErrFormTooLarge, ErrNoRoom, or an error of the disk.
func (f *Files) Put(ctx context.Context, id snowflake.Attachment, _ string, r io.Reader) (size int64, err error) {
	file, ours := received(r)
	if !ours {
		if file, err = f.spool.receive(r, message.AttachmentSizeLimit); err != nil {
			return 0, fmt.Errorf("keep attachment %v: %w", id, err)
		}
		defer func() { err = errors.Join(err, file.drop()) }()
	}
	if err := f.store.put(id, file.file); err != nil {
		return 0, errors.Join(fmt.Errorf("keep attachment %v: %w", id, asNoRoom(err)), f.Delete(ctx, id))
	}
	return file.size, nil
}

// received returns the spooled file that r reads, also through an io.LimitedReader that does not cut it.
func received(r io.Reader) (*spooledFile, bool) {
	limited, ok := r.(*io.LimitedReader)
	if !ok {
		f, ours := r.(*spooledFile)
		return f, ours
	}
	f, ours := limited.R.(*spooledFile)
	return f, ours && f.size <= limited.N
}

// Delete removes files. It is not an error if a file does not exist. It tries every file, even after an error and after
// the end of ctx, because nothing refers to the files any more.
func (f *Files) Delete(ctx context.Context, ids ...snowflake.Attachment) error {
	var all error
	for _, id := range ids {
		if err := f.store.delete(id); err != nil {
			all = errors.Join(all, fmt.Errorf("delete attachment %v: %w", id, err))
		}
	}
	return all
}

// Open returns a file, or ErrUnknownFile. The caller closes it.
func (f *Files) Open(_ context.Context, id snowflake.Attachment) (io.ReadSeekCloser, error) {
	return f.store.open(id)
}

// Times between two measurements, and how many of them a sweep follows.
const (
	measureInterval = time.Minute
	sweepEvery      = 60
)

// Run calls Sweep now and every hour of real time, and Measure every minute, until ctx ends.
func (f *Files) Run(ctx context.Context) error {
	for n := 0; ctx.Err() == nil; n++ {
		var err error
		if n%sweepEvery == 0 {
			err = f.Sweep(ctx)
		}
		if f.cfg.Measure != nil {
			err = errors.Join(err, f.cfg.Measure(ctx))
		}
		if err != nil && ctx.Err() == nil {
			f.cfg.Log.ErrorContext(ctx, "sweep failed", "err", err)
		}
		clock.Wait(ctx, f.cfg.Wall, measureInterval)
	}
	return nil
}

// Sweep removes the files that no message refers to and whose URLs have expired. Before that a client may still use a
// URL, for example that of a file in a command option. Sweep does nothing while another process sweeps the same folder.
func (f *Files) Sweep(ctx context.Context) error {
	if f.cfg.Exclusively == nil {
		return f.sweep(ctx)
	}
	return f.cfg.Exclusively(ctx, f.sweep)
}

func (f *Files) sweep(ctx context.Context) error {
	old := f.cfg.Clock.Now().Add(-urlLifetime - time.Hour)
	removed := 0
	err := f.store.each(ctx, func(ids []snowflake.Attachment) error {
		ids = slices.DeleteFunc(ids, func(id snowflake.Attachment) bool { return !id.Time().Before(old) })
		if len(ids) == 0 {
			return nil
		}
		referenced, err := f.cfg.Referenced(ctx, ids)
		if err != nil {
			return err
		}
		ids = slices.DeleteFunc(ids, func(id snowflake.Attachment) bool { return slices.Contains(referenced, id) })
		if f.cfg.Forget != nil && len(ids) > 0 {
			if err := f.cfg.Forget(ctx, ids); err != nil {
				return err
			}
		}
		removed += len(ids)
		return f.Delete(ctx, ids...)
	})
	if removed > 0 {
		f.cfg.Log.InfoContext(ctx, "unreferenced files removed", "count", removed)
	}
	return err
}
