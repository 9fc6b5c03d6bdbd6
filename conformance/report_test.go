package conformance_test

import (
	"encoding/xml"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/conformance"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/conformance.md")

// TestDocs checks that docs/conformance.md lists all checks.
func TestDocs(t *testing.T) {
	t.Parallel()
	const file, mark = "../docs/conformance.md", "## The checks\n\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := strings.Cut(string(text), mark)
	if !ok {
		t.Fatalf("%s has no section %q", file, mark)
	}
	var b strings.Builder
	b.WriteString(head + mark)
	if err := conformance.WriteList(&b); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(b.String(), string(text)); diff != "" {
		t.Errorf("%s is out of date, go test ./conformance -update rewrites it:\n%s", file, diff)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	check := conformance.Checks()[0]
	var r conformance.Report
	r.Add(conformance.Result{Check: check, Took: 1500 * time.Millisecond})
	r.Add(conformance.Result{Check: check, Verdict: conformance.Failed, Message: "got <200>\x01"})
	r.Add(conformance.Result{Check: check, Verdict: conformance.Skipped, Message: "needs a guild"})
	if got := r.Summary(); got != "1 passed, 1 failed, 1 skipped" {
		t.Errorf("Summary() = %q", got)
	}
	for i, want := range []string{"passed  AUT-01  ", "got <200>", "(needs a guild)"} {
		if line := r.Results[i].Line(); !strings.Contains(line, want) {
			t.Errorf("Line() = %q, want %q", line, want)
		}
	}
	var b strings.Builder
	if err := r.WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure struct {
				Message string `xml:"message,attr"`
			} `xml:"failure"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal([]byte(b.String()), &suite); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if suite.Tests != 3 || suite.Failures != 1 || suite.Cases[1].Failure.Message != "got <200>" {
		t.Errorf("JUnit has %+v", suite)
	}
}

// TestReadOnly checks that a run without AllowWrites sends no writing request.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	t.Run("run", func(t *testing.T) {
		srv := bellhoptest.Config{World: bellhoptest.DemoWorld(), Log: &log}.Start(t)
		at := target(srv)
		at.AllowWrites = false
		var r conformance.Report
		if err := conformance.Run(t.Context(), at, nil, r.Add); err != nil {
			t.Fatal(err)
		}
		if r.Count(conformance.Failed) > 0 || r.Count(conformance.Passed) < 8 || r.Count(conformance.Skipped) < 100 {
			t.Errorf("Run() without AllowWrites: %s", r.Summary())
		}
	})
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, `"msg":"request"`) && !strings.Contains(line, `"method":"GET"`) && !strings.Contains(line, "/_dev/token") {
			t.Errorf("Run() without AllowWrites sent: %s", line)
		}
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	err := conformance.Run(t.Context(), conformance.Target{BaseURL: "http://127.0.0.1:1"}, nil, func(conformance.Result) {})
	if err == nil || !strings.Contains(err.Error(), "does not list") {
		t.Errorf("Run() = %v, want an error for an unreachable service", err)
	}
}
