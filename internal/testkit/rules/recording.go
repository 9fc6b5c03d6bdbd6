package rules

import (
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Recording returns the file in which a test process records the traffic of its servers, for `tools/check compat`: a file in
// the folder BELLHOP_TEST_TRAFFIC, named after the program. It returns nil if the variable is not set. The file is
// replaced when the process first asks for it, and stays open until the process ends.
func Recording() io.Writer { return recording() }

var recording = sync.OnceValue(func() io.Writer {
	dir := os.Getenv("BELLHOP_TEST_TRAFFIC")
	if dir == "" {
		return nil
	}
	file, err := os.Create(filepath.Join(dir, filepath.Base(os.Args[0])+".jsonl"))
	if err != nil {
		panic(err) // the variable is wrong
	}
	return &lines{file: file}
})

// lines writes whole lines to a file for several servers.
type lines struct {
	mu   sync.Mutex
	file *os.File
}

// Write writes a line.
func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Write(line)
}
