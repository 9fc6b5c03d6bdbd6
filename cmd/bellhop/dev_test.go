package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestRecordCloseError checks that an error of closing the file of --record is not lost.
func TestRecordCloseError(t *testing.T) {
	t.Parallel()
	o := devOptions{Record: filepath.Join(t.TempDir(), "record")}
	err := o.recorded(func(traffic io.Writer) error { return traffic.(io.Closer).Close() })
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("recorded() = %v, want the error of closing the file again", err)
	}
	if err := (devOptions{}).recorded(func(traffic io.Writer) error {
		if traffic != nil {
			t.Errorf("traffic is recorded without --record: %v", traffic)
		}
		return nil
	}); err != nil {
		t.Errorf("recorded() without a file = %v", err)
	}
}
