package load_test

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/load"
)

// report runs ten seconds with two commands and some failures.
func report(t *testing.T) *load.Report {
	t.Helper()
	var r *load.Report
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		r = run(t, load.Plan{
			Rate: 50, For: 10 * time.Second, Mix: []load.Step{step(t, "/roll"), step(t, "/say text:{<b>,</script>}")},
			Fail: []load.Threshold{threshold(t, "p99>1s"), threshold(t, "errors>0")},
		}, func(context.Context, load.Invocation) load.Outcome {
			i := n.Add(1)
			time.Sleep(time.Duration(i%10) * time.Millisecond)
			switch {
			case i == 7:
				return load.Outcome{Failure: "failed: <i>no answer</i>"}
			case i%2 == 0:
				return load.Outcome{Answer: "deferred message"}
			}
			return answered
		})
	})
	r.Generator.CPU, r.Generator.Processors = 2*time.Second, 4
	return r
}

func TestReportText(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := report(t).Text(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^500 invocations in 10\.0 s: 50\.\d a second, planned 50$`,
		`(?m)^latency     p50 \d\.\d\d ms, p90 \d\.\d\d ms, p99 9\.\d\d ms, p99\.9 9\.\d\d ms, max 9\.\d\d ms$`,
		`(?m)^answers     deferred message 250, message 249$`,
		`(?m)^failures    1 \(0\.20 %\)\n            1: failed: <i>no answer</i>$`,
		`(?m)^rate limits 0 waits, 0\.00 ms in total$`,
		`(?m)^generator   2\.00 s of processor time \(5\.0 % of 4 processors\); started late by p50 0\.00 ms, p99 0\.00 ms, max 0\.00 ms$`,
		`(?m)^ok          p99>1s: 9\.\d\d ms$`,
		`(?m)^FAILED      errors>0: 1$`,
	} {
		if !regexp.MustCompile(want).MatchString(b.String()) {
			t.Errorf("the report does not match %s:\n%s", want, b.String())
		}
	}
}

func TestReportJSON(t *testing.T) {
	t.Parallel()
	text, err := report(t).JSON()
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonbody.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if v.Get("invocations").Text() != "500" || v.Get("failed").Text() != "1" || !strings.HasPrefix(v.Get("latency").Get("p99.9_ms").Text(), "9.0") ||
		v.Get("generator").Get("cpu_ms").Text() != "2000" || len(v.Get("points").Items()) != 10 {
		t.Errorf("%s", text)
	}
}

// TestReportHTML checks that the page loads nothing, escapes what apps say, and has a plot for each line.
func TestReportHTML(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := report(t).HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, never := range []string{"<script", "src=", "href=", "url(", "@import", "http:", "https:", "<i>", "<b>", "NaN", "Inf"} {
		if strings.Contains(page, never) {
			t.Errorf("the page contains %s", never)
		}
	}
	for _, want := range []string{"prefers-color-scheme: dark", "default-src 'none'", "/say text:{&lt;b&gt;", "p99.9", "&lt;i&gt;no answer"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not contain %s", want)
		}
	}
	if plots, lines := strings.Count(page, "<svg"), strings.Count(page, "<polyline"); plots != 3 || lines != 6 {
		t.Errorf("%d plots with %d lines, want 3 with 6", plots, lines)
	}
	for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1) {
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in %s", err, svg)
			}
		}
	}
}

// TestReportOfNothing writes the report of a run that was interrupted before its first invocation.
func TestReportOfNothing(t *testing.T) {
	t.Parallel()
	r := &load.Report{}
	var page, text strings.Builder
	if err := errors.Join(r.HTML(&page), r.Text(&text)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "NaN") || !strings.Contains(text.String(), "answers     none") {
		t.Errorf("%s\n%s", text.String(), page.String())
	}
}
