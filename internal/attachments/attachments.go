// Package attachments keeps the files that come with messages and interactions: it reads the forms they arrive in, keeps
// their bytes under an id, and makes and checks the signed addresses under which they are read again. It never looks into
// a file. Who may send one, and what refers to it, is not decided here.
//
// A file is on disk before its id is told to anybody. What refers to it is written after that, so a crash in between
// leaves a file that nothing refers to; [Attachments.Run] removes those.
package attachments

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/snowflake"
)

// What callers meet.
var (
	// ErrUnknown says that there is no such file.
	ErrUnknown = errors.New("unknown attachment")
	// ErrForm says that a body is not the form it is said to be.
	ErrForm = errors.New("malformed form")
	// ErrTooLarge says that a form, or one of its parts, is larger than it may be.
	ErrTooLarge = errors.New("form too large")
	// ErrFull says that too many files are being received at once, or that the disk has no room.
	ErrFull = errors.New("no room for files")
)

// Content keeps bytes under ids. Folder does so on a disk; a bucket of some object store can do so too.
type Content interface {
	// Put makes a file durable under an id. It may take the spooled file away.
	Put(ctx context.Context, id snowflake.Attachment, spooled *os.File) error
	// Open returns what was put, or ErrUnknown.
	Open(ctx context.Context, id snowflake.Attachment) (io.ReadSeekCloser, error)
	// Delete removes what was put. What is not there is no fault.
	Delete(ctx context.Context, id snowflake.Attachment) error
	// Each calls fn for the ids of all files, a bounded number at a time.
	Each(ctx context.Context, fn func([]snowflake.Attachment) error) error
}

var _ Content = (*Folder)(nil)

// Config is what Attachments are made of. All fields but Content and Base are required.
type Config struct {
	// Content keeps the files; nil: a Folder beside the spool does.
	Content Content
	// Shared says that other processes use the folder too.
	Shared bool
	Clock  clock.Clock
	Log    *slog.Logger
	// Base is what addresses begin with, such as "https://bellhop.example"; see SetBase.
	Base string
	// Referenced returns which of the ids something refers to. The others are removed in time.
	Referenced func(ctx context.Context, ids []snowflake.Attachment) ([]snowflake.Attachment, error)
}

// Attachments keeps files. It is safe for concurrent use.
type Attachments struct {
	cfg   Config
	spool *spool
	key   []byte // signs addresses
	base  atomic.Pointer[string]
}

// Open returns the attachments in a folder, which it makes when there is none.
func Open(dir string, cfg Config) (*Attachments, error) {
	a := &Attachments{cfg: cfg}
	a.SetBase(cfg.Base)
	var err error
	if a.key, err = loadKey(filepath.Join(dir, "key")); err != nil {
		return nil, fmt.Errorf("key of attachments: %w", err)
	}
	if a.spool, err = openSpool(filepath.Join(dir, "spool"), spoolBytes, cfg.Shared); err != nil {
		return nil, err
	}
	if cfg.Content == nil {
		a.cfg.Content, err = OpenFolder(filepath.Join(dir, "files"))
	}
	return a, err
}

// Put makes a file durable under an id and returns its size. A file that an Upload opened is moved, anything else copied.
// When what refers to it is not written after all, the caller deletes it. An error is ErrTooLarge, ErrFull, or tells of
// the disk.
func (a *Attachments) Put(ctx context.Context, id snowflake.Attachment, _ string, r io.Reader) (size int64, err error) {
	f, ours := received(r)
	if !ours {
		if f, err = a.spool.receive(r, message.AttachmentSizeLimit); err != nil {
			return 0, fmt.Errorf("keep attachment %v: %w", id, err)
		}
		defer func() { err = errors.Join(err, f.drop()) }()
	}
	if err := a.cfg.Content.Put(ctx, id, f.file); err != nil {
		return 0, errors.Join(fmt.Errorf("keep attachment %v: %w", id, noRoom(err)), a.Delete(ctx, id))
	}
	return f.taken, nil
}

// received returns the spooled file that r reads, also through a limit that it keeps.
func received(r io.Reader) (*spooled, bool) {
	limited, ok := r.(*io.LimitedReader)
	if !ok {
		f, ours := r.(*spooled)
		return f, ours
	}
	f, ours := limited.R.(*spooled)
	return f, ours && f.taken <= limited.N
}

// Delete removes files. Those that are not there are no fault. It goes on after a fault, and when ctx has ended: whoever
// asks does not want them any more.
func (a *Attachments) Delete(ctx context.Context, ids ...snowflake.Attachment) error {
	var faults error
	for _, id := range ids {
		if err := a.cfg.Content.Delete(context.WithoutCancel(ctx), id); err != nil {
			faults = errors.Join(faults, fmt.Errorf("delete attachment %v: %w", id, err))
		}
	}
	return faults
}

// Open returns the bytes of a file, or ErrUnknown. The caller closes it.
func (a *Attachments) Open(ctx context.Context, id snowflake.Attachment) (io.ReadSeekCloser, error) {
	return a.cfg.Content.Open(ctx, id)
}

// sweepEvery is how long the time between two looks at all files is.
const sweepEvery = time.Hour

// Run removes files that nothing refers to, now and every hour until ctx ends.
func (a *Attachments) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := a.Sweep(ctx); err != nil && ctx.Err() == nil {
			a.cfg.Log.ErrorContext(ctx, "sweep failed", "err", err)
		}
		clock.Wait(ctx, clock.System{}, sweepEvery) // a clock that is moved by weeks need not look for every hour of them
	}
	return nil
}

// Sweep removes files that nothing refers to and whose addresses have expired: until then somebody may still have one,
// as with the files that options of a command name.
func (a *Attachments) Sweep(ctx context.Context) error {
	old := a.cfg.Clock.Now().Add(-linkLife - time.Hour)
	removed := 0
	err := a.cfg.Content.Each(ctx, func(ids []snowflake.Attachment) error {
		ids = slices.DeleteFunc(ids, func(id snowflake.Attachment) bool { return !id.Time().Before(old) })
		if len(ids) == 0 {
			return nil
		}
		kept, err := a.cfg.Referenced(ctx, ids)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if slices.Contains(kept, id) {
				continue
			}
			if err := a.Delete(ctx, id); err != nil {
				return err
			}
			removed++
		}
		return nil
	})
	if removed > 0 {
		a.cfg.Log.InfoContext(ctx, "files removed that nothing refers to", "count", removed)
	}
	return err
}
