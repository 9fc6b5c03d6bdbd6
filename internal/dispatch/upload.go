package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/snowflake"
)

// Upload is a file that came with a request.
type Upload struct {
	Index       int // the n of files[n]
	Name        string
	ContentType string
	Size        int64
	// Open returns the bytes. It is called once at the most.
	Open func() (io.ReadCloser, error)
}

// uploads are the files of a request. A decision may keep some of them, and may be made again.
type uploads struct {
	d     *Dispatch
	list  []Upload
	files []message.File // of list, with the ids that they will have

	kept []snowflake.Attachment // that are on disk, also those that were only begun
	used []payload.Attachment   // by the decision that was made last
}

// receive gives the files of a request the ids that they will have. Nothing is kept yet.
func (d *Dispatch) receive(list []Upload, ephemeral bool) *uploads {
	u := &uploads{d: d, list: list}
	for _, f := range list {
		id := snowflake.Attachment(d.IDs.Next())
		u.files = append(u.files, message.File{Index: f.Index, Attachment: payload.Attachment{
			ID: id, Filename: f.Name, ContentType: f.ContentType, Size: f.Size, Ephemeral: ephemeral,
		}})
	}
	return u
}

// tooLarge reports whether a file is larger than any may be.
func (u *uploads) tooLarge() bool {
	return slices.ContainsFunc(u.list, func(f Upload) bool { return f.Size > message.AttachmentSizeLimit })
}

// keep stores those of the files that are among the attachments, under the names that they have there. Those that an
// earlier decision kept are not stored again. The caller calls release or discard in the end.
func (u *uploads) keep(ctx context.Context, attachments []payload.Attachment) error {
	u.used = attachments
	for i := range u.files {
		id := u.files[i].ID
		at := slices.IndexFunc(attachments, func(a payload.Attachment) bool { return a.ID == id })
		if at < 0 || slices.Contains(u.kept, id) {
			continue
		}
		u.kept = append(u.kept, id)
		if err := u.d.keepFile(ctx, u.list[i], attachments[at]); err != nil {
			return err
		}
	}
	return nil
}

// release removes the files that were kept and that the decision does not use after all.
func (u *uploads) release(ctx context.Context) {
	u.d.discard(ctx, slices.DeleteFunc(u.kept, func(id snowflake.Attachment) bool {
		return slices.ContainsFunc(u.used, func(a payload.Attachment) bool { return a.ID == id })
	}))
}

// discard removes all files that were kept.
func (u *uploads) discard(ctx context.Context) { u.d.discard(ctx, u.kept) }

// keepFile stores a file of a request under the name of an attachment.
func (d *Dispatch) keepFile(ctx context.Context, u Upload, a payload.Attachment) (err error) {
	r, err := u.Open()
	if err != nil {
		return fmt.Errorf("read a file of the request: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	size, err := d.Files.Put(ctx, a.ID, a.Filename, io.LimitReader(r, message.AttachmentSizeLimit+1))
	if err != nil {
		return fmt.Errorf("keep a file: %w", err)
	}
	if size > message.AttachmentSizeLimit {
		return ErrFileTooLarge
	}
	return nil
}

// discard removes files that nothing refers to any more. One that stays costs room on the disk and is seen by nobody.
func (d *Dispatch) discard(ctx context.Context, ids []snowflake.Attachment) {
	if len(ids) == 0 {
		return
	}
	if err := d.Files.Delete(context.WithoutCancel(ctx), ids...); err != nil {
		d.Log.ErrorContext(ctx, "files not removed", "count", len(ids), "err", err)
	}
}

// lost returns the files that a message had and has no more.
func lost(before, after []payload.Attachment) []snowflake.Attachment {
	var ids []snowflake.Attachment
	for _, a := range before {
		if !slices.ContainsFunc(after, func(b payload.Attachment) bool { return b.ID == a.ID }) {
			ids = append(ids, a.ID)
		}
	}
	return ids
}
