package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	noise := func(i int) float64 { return 8 * math.Sin(float64(i)*1.7) }
	for _, c := range []struct {
		name   string
		memory func(i int) float64
		grows  bool
	}{
		{"flat", func(int) float64 { return 50 }, false},
		{"noise", func(i int) float64 { return 50 + noise(i) }, false},
		{"growth in the first half", func(i int) float64 { return min(float64(i), 50) }, false},
		{"one peak", func(i int) float64 { return 50 + 1000*float64(i/99) }, false},
		{"shrinks", func(i int) float64 { return 100 - float64(i)/2 }, false},
		{"grows", func(i int) float64 { return 50 + float64(i)/4 }, true},
		{"grows with noise", func(i int) float64 { return 50 + float64(i)/4 + noise(i) }, true},
		{"grows less than allowed", func(i int) float64 { return 50 + float64(i)/20 }, false},
	} {
		var samples []sample
		for i := range 100 {
			samples = append(samples, sample{at: time.Duration(i) * time.Second, memory: c.memory(i)})
		}
		if v := series[0].judge(samples, 50*time.Second); v.grows != c.grows {
			t.Errorf("%s: %v", c.name, v)
		}
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"-for", "1s"}, io.Discard, &stderr); code != exitUsage || !strings.Contains(stderr.String(), "-bellhop") {
		t.Errorf("without -bellhop: exit code %d: %s", code, &stderr)
	}
}

// TestSoak runs the traffic and three restarts for some seconds. It does not judge: the run is too short.
func TestSoak(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary, picture := filepath.Join(dir, "bellhop"), filepath.Join(dir, "soak.svg")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", binary, "./cmd/bellhop")
	build.Dir, build.Env = "../..", append(os.Environ(), "CGO_ENABLED=0") // as a release is built
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"-for", "8s", "-every", "500ms", "-bellhop", binary, "-plot", picture}, &stdout, &stderr)
	tooShort := strings.Contains(stderr.String(), "not flat:") || strings.Contains(stderr.String(), "late:")
	if code != exitOK && !tooShort {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
	for _, s := range series {
		if !strings.Contains(stdout.String(), s.name) {
			t.Errorf("no verdict on %s:\n%s", s.name, &stdout)
		}
	}
	text, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "8s of mixed traffic") || !strings.Contains(string(text), "3 restarts") {
		t.Errorf("the heading of the plot is missing:\n%.600s", text)
	}
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the plot is not XML: %v", err)
		}
	}
}

// TestKeptFor checks that the tables whose rows are not counted exist.
func TestKeptFor(t *testing.T) {
	t.Parallel()
	found := 0
	for _, table := range store.Tables() {
		if _, kept := keptFor[table.Name]; kept {
			found++
		}
	}
	if found != len(keptFor) {
		t.Errorf("%d of %d tables exist", found, len(keptFor))
	}
}
