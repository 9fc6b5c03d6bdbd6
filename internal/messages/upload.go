package messages

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Uploads are the files of a request. They are stored before the decision, and the decision says which of them are
// used. After the decision the caller calls Keep or Discard.
type Uploads struct {
	Files []message.File // with new ids

	messages *Messages

	stored []snowflake.Attachment // includes a file whose storing failed
	err    error                  // why a file was not stored
}

// Receive stores the files of a request under new ids. It does not store a file that exceeds the size limit: a decision
// that uses such a file refuses the request.
func (s *Messages) Receive(ctx context.Context, list []attachments.Upload, ephemeral bool) *Uploads {
	u := &Uploads{messages: s}
	for _, f := range list {
		id := snowflake.Attachment(s.IDs.Next())
		u.Files = append(u.Files, message.File{Index: f.Index, Attachment: wire.Attachment{
			ID: id, Filename: f.Name, ContentType: f.ContentType, Size: f.Size,
			Width: f.Width, Height: f.Height, Ephemeral: ephemeral,
		}})
		if u.err == nil && f.Size <= message.AttachmentSizeLimit {
			u.stored = append(u.stored, id)
			u.err = s.storeFile(context.WithoutCancel(ctx), f, id)
		}
	}
	return u
}

// TooLarge reports whether a file exceeds the size limit.
func (u *Uploads) TooLarge() bool {
	return slices.ContainsFunc(u.Files, func(f message.File) bool { return f.Size > message.AttachmentSizeLimit })
}

// AddTo adds the files that are among the attachments to a change, unless they exceed the quota of their owner.
func (u *Uploads) AddTo(ctx context.Context, c *store.Change, of Owner, attachments []wire.Attachment) error {
	used := u.among(attachments)
	if len(used) == 0 {
		return nil
	}
	if err := u.messages.charge(ctx, c, of, used); err != nil {
		return err
	}
	return u.err
}

// among returns the files of the request that are among the attachments.
func (u *Uploads) among(attachments []wire.Attachment) []wire.Attachment {
	var list []wire.Attachment
	for _, f := range u.Files {
		if slices.ContainsFunc(attachments, func(a wire.Attachment) bool { return a.ID == f.ID }) {
			list = append(list, f.Attachment)
		}
	}
	return list
}

// Keep deletes the stored files that are not among the attachments of the committed change.
func (u *Uploads) Keep(ctx context.Context, attachments []wire.Attachment) {
	unused := u.stored
	for _, a := range u.among(attachments) {
		u.messages.stored.Add(float64(a.Size))
		unused = slices.DeleteFunc(unused, func(id snowflake.Attachment) bool { return id == a.ID })
	}
	u.messages.DeleteFiles(ctx, unused)
}

// Discard deletes all stored files.
func (u *Uploads) Discard(ctx context.Context) { u.messages.DeleteFiles(ctx, u.stored) }

// storeFile stores a file of a request.
func (s *Messages) storeFile(ctx context.Context, u attachments.Upload, id snowflake.Attachment) (err error) {
	r, err := u.Open()
	if err != nil {
		return fmt.Errorf("read a file of the request: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	size, err := s.Files.Put(ctx, id, u.Name, io.LimitReader(r, message.AttachmentSizeLimit+1))
	if err != nil {
		return fmt.Errorf("store a file: %w", err)
	}
	if size > message.AttachmentSizeLimit {
		return attachments.ErrFileTooLarge
	}
	return nil
}

// DeleteFiles deletes files that are no longer referenced. A file that cannot be deleted only takes disk space, so an
// error is logged.
func (s *Messages) DeleteFiles(ctx context.Context, ids []snowflake.Attachment) {
	if len(ids) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	err := s.ForgetFiles(ctx, ids)
	if err == nil { // otherwise the sweep of the files deletes them later
		err = s.Files.Delete(ctx, ids...)
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "files not deleted", "count", len(ids), "err", err)
	}
}

// RemovedFiles returns the files that an edit removes from a message.
func RemovedFiles(before, after []wire.Attachment) []snowflake.Attachment {
	var ids []snowflake.Attachment
	for _, a := range before {
		if !slices.ContainsFunc(after, func(b wire.Attachment) bool { return b.ID == a.ID }) {
			ids = append(ids, a.ID)
		}
	}
	return ids
}
