package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Upload is a file of a request.
type Upload struct {
	Index       int // the n of files[n]
	Name        string
	ContentType string
	Size        int64
	// Width and Height are those of an image, 0: unknown.
	Width, Height int
	// Open returns the content. It is called at most once.
	Open func() (io.ReadCloser, error)
}

// uploads are the files of a request. A decision stores the files that it uses; when it runs again it may use others.
type uploads struct {
	service *service
	list    []Upload
	files   []message.File // of list, with new ids

	stored []snowflake.Attachment // includes files whose storing failed
	used   []wire.Attachment      // by the last run of the decision
	charge charge                 // of the last run of the decision
}

// receive assigns ids to the files of a request. It stores nothing yet.
func (s *service) receive(list []Upload, ephemeral bool) *uploads {
	u := &uploads{service: s, list: list}
	for _, f := range list {
		id := snowflake.Attachment(s.IDs.Next())
		u.files = append(u.files, message.File{Index: f.Index, Attachment: wire.Attachment{
			ID: id, Filename: f.Name, ContentType: f.ContentType, Size: f.Size,
			Width: f.Width, Height: f.Height, Ephemeral: ephemeral,
		}})
	}
	return u
}

// tooLarge reports whether a file exceeds the size limit.
func (u *uploads) tooLarge() bool {
	return slices.ContainsFunc(u.list, func(f Upload) bool { return f.Size > message.AttachmentSizeLimit })
}

// store stores the files that are among the attachments, under the names that they have there, unless they exceed the
// quota of their owner. It does not store a file twice. The caller adds u.charge to the change, and calls release or
// discard after the decision.
func (u *uploads) store(ctx context.Context, of owner, attachments []wire.Attachment) (err error) {
	u.used = attachments
	if u.charge, err = u.service.charge(ctx, of, u.among(attachments)); err != nil {
		return err
	}
	for i := range u.files {
		id := u.files[i].ID
		at := slices.IndexFunc(attachments, func(a wire.Attachment) bool { return a.ID == id })
		if at < 0 || slices.Contains(u.stored, id) {
			continue
		}
		u.stored = append(u.stored, id)
		if err := u.service.storeFile(ctx, u.list[i], attachments[at]); err != nil {
			return err
		}
	}
	return nil
}

// among returns the attachments that are files of the request.
func (u *uploads) among(attachments []wire.Attachment) []wire.Attachment {
	var list []wire.Attachment
	for _, f := range u.files {
		if slices.ContainsFunc(attachments, func(a wire.Attachment) bool { return a.ID == f.ID }) {
			list = append(list, f.Attachment)
		}
	}
	return list
}

// release deletes the stored files that the last run of the decision does not use.
func (u *uploads) release(ctx context.Context) {
	u.service.stored.Add(float64(u.charge.added))
	u.service.deleteFiles(ctx, slices.DeleteFunc(u.stored, func(id snowflake.Attachment) bool {
		return slices.ContainsFunc(u.used, func(a wire.Attachment) bool { return a.ID == id })
	}))
}

// discard deletes all stored files.
func (u *uploads) discard(ctx context.Context) { u.service.deleteFiles(ctx, u.stored) }

// storeFile stores a file of a request under the name of an attachment.
func (s *service) storeFile(ctx context.Context, u Upload, a wire.Attachment) (err error) {
	r, err := u.Open()
	if err != nil {
		return fmt.Errorf("read a file of the request: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	size, err := s.Files.Put(ctx, a.ID, a.Filename, io.LimitReader(r, message.AttachmentSizeLimit+1))
	if err != nil {
		return fmt.Errorf("store a file: %w", err)
	}
	if size > message.AttachmentSizeLimit {
		return ErrFileTooLarge
	}
	return nil
}

// deleteFiles deletes files that are no longer referenced. A file that cannot be deleted only takes disk space, so an
// error is logged.
func (s *service) deleteFiles(ctx context.Context, ids []snowflake.Attachment) {
	if len(ids) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	err := s.forgetFiles(ctx, ids)
	if err == nil { // otherwise the sweep of the files deletes them later
		err = s.Files.Delete(ctx, ids...)
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "files not deleted", "count", len(ids), "err", err)
	}
}

// removedFiles returns the files that an edit removes from a message.
func removedFiles(before, after []wire.Attachment) []snowflake.Attachment {
	var ids []snowflake.Attachment
	for _, a := range before {
		if !slices.ContainsFunc(after, func(b wire.Attachment) bool { return b.ID == a.ID }) {
			ids = append(ids, a.ID)
		}
	}
	return ids
}
