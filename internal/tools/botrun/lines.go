package botrun

import (
	"bytes"
	"io"
	"sync"
)

// Lines marks the lines of several programs that write to one terminal. A line is written when it is whole, so that lines do not mix.
type Lines struct {
	Out io.Writer
	mu  sync.Mutex
}

// maxLine bounds the text that waits for the end of its line.
const maxLine = 64 << 10

// Writer returns a writer for the output of one program. Each line begins with mark. Flush writes a last line without an end.
func (l *Lines) Writer(mark string) *LineWriter { return &LineWriter{lines: l, mark: mark} }

// LineWriter is the output of one program.
type LineWriter struct {
	lines *Lines
	mark  string
	rest  []byte
}

// Write writes the whole lines of text, and keeps the rest.
func (w *LineWriter) Write(text []byte) (int, error) {
	w.lines.mu.Lock()
	defer w.lines.mu.Unlock()
	w.rest = append(w.rest, text...)
	for {
		line, rest, whole := bytes.Cut(w.rest, []byte("\n"))
		if !whole && len(w.rest) < maxLine {
			return len(text), nil
		}
		if err := w.print(line); err != nil {
			return 0, err
		}
		w.rest = rest
	}
}

// Flush writes the text that has no end of a line.
func (w *LineWriter) Flush() error {
	w.lines.mu.Lock()
	defer w.lines.mu.Unlock()
	if len(w.rest) == 0 {
		return nil
	}
	err := w.print(w.rest)
	w.rest = nil
	return err
}

func (w *LineWriter) print(line []byte) error {
	_, err := w.lines.Out.Write(append(append([]byte(w.mark), bytes.TrimSuffix(line, []byte("\r"))...), '\n'))
	return err
}
