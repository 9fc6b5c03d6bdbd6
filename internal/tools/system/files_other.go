//go:build !unix

package system

import (
	"context"
	"log/slog"
)

// WarnFewFiles does nothing: the system has no limit of open files per process.
func WarnFewFiles(context.Context, *slog.Logger) {}

// SurviveFileLimit does nothing: the system has no limit on the size of files per process.
func SurviveFileLimit() {}
