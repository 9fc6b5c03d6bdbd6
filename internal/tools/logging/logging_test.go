package logging

import (
	"bytes"
	"io"
	stdlog "log"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// countingWriter counts the calls of Write.
type countingWriter struct {
	mu     sync.Mutex
	buf    bytes.Buffer
	writes int
}

func (s *countingWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	return s.buf.Write(p)
}

func (s *countingWriter) state() (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String(), s.writes
}

func TestLogBuffersLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s countingWriter
		log, queue := Open(&s, Options{})
		for range 10 {
			log.InfoContext(t.Context(), "request")
		}
		if _, writes := s.state(); writes != 0 {
			t.Errorf("%d writes before flushAfter, want 0", writes)
		}
		time.Sleep(flushAfter)
		synctest.Wait()
		if text, writes := s.state(); writes != 1 || strings.Count(text, "\n") != 10 {
			t.Errorf("%d writes with %d lines after flushAfter, want 1 with 10", writes, strings.Count(text, "\n"))
		}
		log.InfoContext(t.Context(), "the last")
		queue.Close()
		if text, _ := s.state(); !strings.HasSuffix(text, `"msg":"the last"}`+"\n") {
			t.Errorf("the last line is missing: %s", text)
		}
		time.Sleep(flushAfter)
	})
}

// TestLogIsNotRead writes to a pipe that has no reader at first.
func TestLogIsNotRead(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "text"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			log, queue := Open(w, Options{Format: format})
			const sent = 20_000
			logged := make(chan struct{})
			go func() {
				defer close(logged)
				for range sent {
					log.InfoContext(t.Context(), "request", "path", strings.Repeat("x", 100))
				}
			}()
			select {
			case <-logged:
			case <-time.After(30 * time.Second):
				t.Fatal("a log that is not read delays its callers")
			}
			lost := queue.Lost()
			if lost == 0 {
				t.Errorf("no line of %d is lost, want a queue with a bound", sent)
			}
			text := make(chan string)
			go func() {
				data, _ := io.ReadAll(r)
				text <- string(data)
			}()
			queue.Close()
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			all := <-text
			requests := strings.Count(all, "request")
			if requests != sent-int(lost) {
				t.Errorf("%d lines arrived, want %d of %d", requests, sent-int(lost), sent)
			}
			if strings.Count(all, "log lines dropped") != 1 || !regexp.MustCompile(`count"?[:=]`+strconv.FormatUint(lost, 10)).MatchString(all) {
				t.Errorf("no line says that %d lines are lost: %s", lost, all[max(0, len(all)-500):])
			}
		})
	}
}

// TestLogCloses closes a log that is never read.
func TestLogCloses(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	log, queue := Open(w, Options{})
	log.InfoContext(t.Context(), "request")
	began := time.Now()
	queue.Close()
	if took := time.Since(began); took < closeWait || took > 30*time.Second {
		t.Errorf("Close took %v, want %v", took, closeWait)
	}
	if err := r.Close(); err != nil { // ends the goroutine
		t.Fatal(err)
	}
	<-queue.done
	if lost := queue.Lost(); lost != 1 {
		t.Errorf("%d lines lost, want 1", lost)
	}
}

// TestStandardLog is not parallel: it changes the output of package log.
func TestStandardLog(t *testing.T) {
	var s countingWriter
	log, queue := Open(&s, Options{})
	before, flags := stdlog.Writer(), stdlog.Flags()
	t.Cleanup(func() {
		stdlog.SetOutput(before)
		stdlog.SetFlags(flags)
	})
	RedirectStandard(log)
	stdlog.Printf("something %s", "odd")
	queue.Close()
	if text, _ := s.state(); !strings.Contains(text, `"level":"WARN","msg":"something odd","part":"library"}`) {
		t.Errorf("line of package log: %s", text)
	}
}
