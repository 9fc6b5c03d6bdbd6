package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// ShowAfter is the time that a task runs before its progress is shown.
	ShowAfter = time.Second
	// Interval is the least time between two lines of progress.
	Interval = 100 * time.Millisecond
	barWidth = 30
)

// Progress shows how far a task is, in one line of a terminal. Elsewhere it shows nothing. It is safe for concurrent use.
type Progress struct {
	out   io.Writer
	began time.Time

	mu    sync.Mutex
	label string
	drawn time.Time // zero: the line is empty
}

// NewProgress returns the progress of a task that starts now.
func NewProgress(out io.Writer, label string) *Progress {
	p := &Progress{label: label, began: time.Now()}
	if IsTerminal(out) {
		p.out = out
	}
	return p
}

// Step shows that a part of the task is done. A total of 0 means that it is not known.
func (p *Progress) Step(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.out == nil || now.Sub(p.began) < ShowAfter || now.Sub(p.drawn) < Interval {
		return
	}
	p.drawn = now
	fmt.Fprintf(p.out, "\r\x1b[K%s", progressLine(p.label, done, total, now.Sub(p.began)))
}

// Rename changes the label.
func (p *Progress) Rename(label string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.label = label
}

// Steps is Step for numbers that a provision.Progress gets.
func (p *Progress) Steps(done, total int) { p.Step(int64(done), int64(total)) }

// Clear removes the line, so that other text can be printed.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.drawn.IsZero() {
		_, _ = io.WriteString(p.out, "\r\x1b[K") // the terminal is gone
		p.drawn = time.Time{}
	}
}

// progressLine returns a line such as "copy users [#####.....] 50 %, 1 of 2, 3 s".
func progressLine(label string, done, total int64, took time.Duration) string {
	seconds := int(took.Seconds())
	if total <= 0 {
		return fmt.Sprintf("%s, %d s", label, seconds)
	}
	done = min(max(done, 0), total)
	full := int(done * barWidth / total)
	bar := strings.Repeat("#", full) + strings.Repeat(".", barWidth-full)
	return fmt.Sprintf("%s [%s] %d %%, %d of %d, %d s", label, bar, done*100/total, done, total, seconds)
}

// Busy runs a task whose length is not known, and shows that it is running.
func Busy(out io.Writer, label string, task func() error) error {
	return NewProgress(out, label).during(func() (done, total int64) { return 0, 0 }, task)
}

// during runs a task, shows how far it is, and clears the line.
func (p *Progress) during(state func() (done, total int64), task func() error) error {
	ended := make(chan struct{})
	var shown sync.WaitGroup
	shown.Go(func() {
		tick := time.NewTicker(Interval)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				p.Clear()
				return
			case <-tick.C:
				p.Step(state())
			}
		}
	})
	err := task()
	close(ended)
	shown.Wait()
	return err
}

// Upload runs a task that sends a file and waits for the answer. It shows the bytes that were sent, and then that the file
// is being applied.
func Upload(out io.Writer, file string, size int64, task func(sent *atomic.Int64) error) error {
	var sent atomic.Int64
	p := NewProgress(out, "Applying "+file)
	return p.during(func() (done, total int64) {
		if n := sent.Load(); n > 0 && n < size {
			p.Rename("Sending " + file)
			return n, size
		}
		p.Rename("Applying " + file)
		return 0, 0
	}, func() error { return task(&sent) })
}
