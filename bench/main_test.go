package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/bellhop/bellhop/bench/compare"
)

// TestMain lets tests start this program as a yardstick.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == yardstickCommand {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
		stop()
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// bench runs the program and returns its output.
func bench(t *testing.T, wantCode int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, &out, &errs); code != wantCode {
		t.Fatalf("bench %v = %d, want %d\n%s", args, code, wantCode, errs.String())
	}
	return out.String(), errs.String()
}

// TestQuick runs every case with the real service, on a small scale.
func TestQuick(t *testing.T) {
	t.Parallel()
	stdout, _ := bench(t, exitOK, "-quick", "-json")
	var report compare.Report
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	want := map[string]compare.Case{}
	for _, c := range newSuite(&environment{}).cases() {
		want[c.Name] = c
	}
	for _, o := range report.Outcomes {
		c := want[o.Name]
		delete(want, o.Name)
		shrinks := c.Unit == compare.Kibibytes // the process may return memory while it opens a few sessions
		if o.Value == 0 || o.Value < 0 && !shrinks || o.Verdict != compare.NoBound {
			t.Errorf("%s = %v %s, want a value and no verdict", o.Name, o.Value, o.Verdict)
		}
		if o.Subject == nil || c.Varied { // environment.typical checks the size of the responses
			continue
		}
		// The responses of both sides have nearly the same size. Only the numbers in them differ.
		if subject, yardstick := o.Subject.AnswerBytes, o.Yardstick.AnswerBytes; subject < 0.95*yardstick || subject > 1.05*yardstick {
			t.Errorf("%s: responses of %.0f bytes, yardstick %.0f", o.Name, subject, yardstick)
		}
	}
	if len(want) > 0 {
		t.Errorf("cases %v are missing", slices.Sorted(maps.Keys(want)))
	}
}

func TestRunSelf(t *testing.T) {
	t.Parallel()
	results := filepath.Join(t.TempDir(), "results")
	args := []string{"-run", "^self-durable$", "-rounds", "2", "-seconds", "0.05", "-connections", "4", "-results", results}
	stdout, stderr := bench(t, exitOK, args...)
	if lines := strings.Split(strings.TrimSpace(stdout), "\n"); len(lines) != 2 || !strings.HasPrefix(lines[1], "self-durable ") {
		t.Errorf("table:\n%s\nwant a header and one row", stdout)
	}
	files, err := filepath.Glob(filepath.Join(results, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("results = %v, %v, want one file\n%s", files, err, stderr)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var report compare.Report
	if err := json.Unmarshal(raw, &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Outcomes) != 1 || len(report.Outcomes[0].Ratios) != 2 || report.Connections != 4 || report.Machine.Cores < 1 {
		t.Errorf("saved report = %+v", report)
	}
}

func TestRunUsage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		code int
		want string // on standard error
	}{
		{name: "help", args: []string{"-h"}, code: exitOK, want: "-connections"},
		{name: "unknown flag", args: []string{"-nonsense"}, code: exitUsage, want: "-nonsense"},
		{name: "bad regexp", args: []string{"-run", "("}, code: exitUsage, want: "-run"},
		{name: "no rounds", args: []string{"-rounds", "0"}, code: exitUsage, want: "-rounds"},
		{name: "small scale", args: []string{"-scale", "49"}, code: exitUsage, want: "-scale"},
		{name: "argument", args: []string{"list50"}, code: exitUsage, want: `"list50"`},
		{name: "no such case", args: []string{"-run", "nonsense"}, code: exitFailed, want: "nonsense"},
		{name: "no such binary", args: []string{"-run", "list50", "-bellhop", "./absent"}, code: exitFailed, want: "absent"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			results := t.TempDir()
			if _, stderr := bench(t, tt.code, append([]string{"-results", results}, tt.args...)...); !strings.Contains(stderr, tt.want) {
				t.Errorf("standard error = %q, want %q", stderr, tt.want)
			}
			if files, err := os.ReadDir(results); err != nil || len(files) > 0 {
				t.Errorf("saved %v, %v, want nothing", files, err)
			}
		})
	}
}
