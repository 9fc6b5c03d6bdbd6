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

// sink counts how often it is written to.
type sink struct {
	mu     sync.Mutex
	buf    bytes.Buffer
	writes int
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	return s.buf.Write(p)
}

func (s *sink) state() (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String(), s.writes
}

func TestLogGathersLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s sink
		log, flush := newLog(&s)
		for range 10 {
			log.InfoContext(t.Context(), "request")
		}
		if _, writes := s.state(); writes != 0 {
			t.Errorf("%d writes at once, want none yet", writes)
		}
		time.Sleep(flushAfter)
		synctest.Wait()
		if text, writes := s.state(); writes != 1 || strings.Count(text, "\n") != 10 {
			t.Errorf("%d writes of %d lines after a moment, want one of 10", writes, strings.Count(text, "\n"))
		}
		log.InfoContext(t.Context(), "the last")
		flush()
		if text, _ := s.state(); !strings.HasSuffix(text, `"msg":"the last"}`+"\n") {
			t.Errorf("the end is lost: %s", text)
		}
		time.Sleep(flushAfter)
	})
}

func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	var s sink
	b := &lineBuffer{w: &s}
	line := bytes.Repeat([]byte("x"), 1000)
	for range 100 {
		if _, err := b.Write(line); err != nil {
			t.Fatal(err)
		}
		if len(b.lines) >= flushAt+len(line) {
			t.Fatalf("%d bytes wait", len(b.lines))
		}
	}
	b.flush()
	if text, _ := s.state(); len(text) != 100_000 {
		t.Errorf("%d bytes written, want 100000", len(text))
	}
}

// TestLogOfLibraries is not parallel: it changes what the whole process shares.
func TestLogOfLibraries(t *testing.T) {
	var s sink
	log, flush := newLog(&s)
	before, flags := stdlog.Writer(), stdlog.Flags()
	t.Cleanup(func() {
		stdlog.SetOutput(before)
		stdlog.SetFlags(flags)
	})
	adopt(log)
	stdlog.Printf("something %s", "odd")
	flush()
	if text, _ := s.state(); !strings.Contains(text, `"level":"WARN","msg":"something odd","part":"library"}`) {
		t.Errorf("a library's line becomes %s", text)
	}
}
