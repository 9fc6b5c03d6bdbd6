//go:build !unix

package main

import (
	"context"
	"log/slog"
)

// warnFewFiles does nothing: the system has no limit of open files per process.
func warnFewFiles(context.Context, *slog.Logger) {}

// surviveFileLimit does nothing: the system has no limit on the size of files per process.
func surviveFileLimit() {}
