package main

import (
	"bytes"
	stdlog "log"
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
		log, flush := logOptions{}.open(&s, false)
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
		flush()
		if text, _ := s.state(); !strings.HasSuffix(text, `"msg":"the last"}`+"\n") {
			t.Errorf("the last line is missing: %s", text)
		}
		time.Sleep(flushAfter)
	})
}

func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	var s countingWriter
	b := &lineBuffer{w: &s}
	line := bytes.Repeat([]byte("x"), 1000)
	for range 100 {
		if _, err := b.Write(line); err != nil {
			t.Fatal(err)
		}
		if len(b.lines) >= flushAt+len(line) {
			t.Fatalf("%d bytes are buffered", len(b.lines))
		}
	}
	b.flush()
	if text, _ := s.state(); len(text) != 100_000 {
		t.Errorf("%d bytes written, want 100000", len(text))
	}
}

// TestStandardLog is not parallel: it changes the output of package log.
func TestStandardLog(t *testing.T) {
	var s countingWriter
	log, flush := logOptions{}.open(&s, false)
	before, flags := stdlog.Writer(), stdlog.Flags()
	t.Cleanup(func() {
		stdlog.SetOutput(before)
		stdlog.SetFlags(flags)
	})
	redirectStandardLog(log)
	stdlog.Printf("something %s", "odd")
	flush()
	if text, _ := s.state(); !strings.Contains(text, `"level":"WARN","msg":"something odd","part":"library"}`) {
		t.Errorf("line of package log: %s", text)
	}
}
