package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/payload"
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

// receive gives the files of a request the ids that they will have. Nothing is kept yet.
func (d *Dispatch) receive(uploads []Upload, ephemeral bool) []message.File {
	if len(uploads) == 0 {
		return nil
	}
	files := make([]message.File, len(uploads))
	for i, u := range uploads {
		id := snowflake.Attachment(d.IDs.Next())
		files[i] = message.File{Index: u.Index, Attachment: payload.Attachment{
			ID: id, Filename: u.Name, ContentType: u.ContentType, Size: u.Size, Ephemeral: ephemeral,
		}}
	}
	return files
}

// tooLarge reports whether a file is larger than any may be.
func tooLarge(uploads []Upload) bool {
	return slices.ContainsFunc(uploads, func(u Upload) bool { return u.Size > message.AttachmentSizeLimit })
}

// keep stores those of the files that are among the attachments, under the names that they have there. It returns which
// it stored, also when it failed: they are of no use then.
func (d *Dispatch) keep(
	ctx context.Context, uploads []Upload, files []message.File, attachments []payload.Attachment,
) ([]snowflake.Attachment, error) {
	var kept []snowflake.Attachment
	for i := range files {
		at := slices.IndexFunc(attachments, func(a payload.Attachment) bool { return a.ID == files[i].ID })
		if at < 0 {
			continue
		}
		kept = append(kept, files[i].ID)
		if err := d.put(ctx, uploads[i], attachments[at]); err != nil {
			return kept, err
		}
	}
	return kept, nil
}

func (d *Dispatch) put(ctx context.Context, u Upload, a payload.Attachment) (err error) {
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
