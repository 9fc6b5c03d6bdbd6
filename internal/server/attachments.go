package server

import (
	"context"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/snowflake"
)

// WalkAttachments calls fn with the path of each file in a folder of attachments that a copy of the folder needs: the
// files of messages and the key that signs their URLs. Paths are relative to the folder and have slashes. The service may
// run meanwhile.
func WalkAttachments(ctx context.Context, dir string, fn func(name string) error) error {
	return attachments.WalkFiles(ctx, dir, fn)
}

// IsAttachment reports whether name is a path that WalkAttachments finds.
func IsAttachment(name string) bool { return attachments.IsFile(name) }

// AttachmentName returns the path of a file of a message in the folder of attachments.
func AttachmentName(id snowflake.Attachment) string { return attachments.FileName(id) }
