package cluster

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// reportTime is the time that a long test reserves for its last checks and its report.
const reportTime = 2 * time.Minute

// campaign is the progress of a long test.
type campaign struct {
	t     *testing.T
	what  string // such as "fault"
	total int
	began time.Time
	done  int
}

func newCampaign(t *testing.T, what string, total int) *campaign {
	return &campaign{t: t, what: what, total: total, began: time.Now()}
}

// step prints the progress. It reports false, and fails the test, when the time of the test is nearly over.
func (c *campaign) step(name string, took time.Duration) bool {
	c.done++
	passed := time.Since(c.began)
	left := passed / time.Duration(c.done) * time.Duration(c.total-c.done)
	c.t.Logf("%s %d of %d: %s: %v; %v passed, about %v left", c.what, c.done, c.total, name, took.Round(time.Millisecond),
		passed.Round(time.Second), left.Round(time.Second))
	if end, bounded := c.t.Deadline(); bounded && time.Until(end) < reportTime && c.done < c.total {
		c.t.Errorf("stopped after %d of %d: the time of the test is over (go test -timeout)", c.done, c.total)
		return false
	}
	return true
}

// summary describes the run, the machine and the version.
func (c *campaign) summary(seed uint64) string {
	memory := ""
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kilobytes int
		if _, err := fmt.Sscanf(string(text), "MemTotal: %d kB", &kilobytes); err == nil {
			memory = fmt.Sprintf(", %d GiB", (kilobytes+1<<19)>>20)
		}
	}
	result := "All checks passed."
	if c.t.Failed() {
		result = "**Checks failed.**"
	}
	return fmt.Sprintf("%d of %d with seed %d in %v, on %s: %s of %s, %s with %d cores%s, which also ran the clients and the servers. %s", c.done, c.total, seed,
		time.Since(c.began).Round(time.Second), time.Now().UTC().Format(time.DateOnly), version(c.t), runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU(), memory, result)
}

// version returns the commit of the tree, with "-dirty" when files differ from it. The page that the campaign writes does not
// count.
func version(t *testing.T) string {
	t.Helper()
	commit, err := exec.CommandContext(t.Context(), "git", "describe", "--always").Output()
	if err != nil {
		return "an unknown version"
	}
	text := "version " + strings.TrimSpace(string(commit))
	changed, err := exec.CommandContext(t.Context(), "git", "status", "--porcelain", "--untracked-files=no", "--",
		":(top)", ":(top,exclude)docs/faults.md").Output()
	if err != nil || len(changed) > 0 {
		text += "-dirty"
	}
	return text
}

// writeSection replaces the text below a heading of the page that BELLHOP_FAULTS_RESULTS names, up to the next heading. It does
// nothing without the variable.
func writeSection(t *testing.T, heading, text string) {
	t.Helper()
	path := os.Getenv("BELLHOP_FAULTS_RESULTS")
	if path == "" {
		return
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	before, after, found := bytes.Cut(page, []byte(heading+"\n"))
	if !found {
		t.Errorf("%s has no heading %q", path, heading)
		return
	}
	rest := []byte{}
	if i := bytes.Index(after, []byte("\n#")); i >= 0 {
		rest = after[i:]
	}
	page = fmt.Appendf(nil, "%s%s\n\n%s\n%s", before, heading, strings.TrimSpace(text), rest)
	if err := os.WriteFile(path, page, 0o644); err != nil {
		t.Error(err)
	}
}

// TestWriteSection checks that the results of a run replace those of the last one, and nothing else.
func TestWriteSection(t *testing.T) {
	path := t.TempDir() + "/page.md"
	t.Setenv("BELLHOP_FAULTS_RESULTS", path)
	if err := os.WriteFile(path, []byte("# Page\n\n### A\n\nold\n\n| a |\n|---|\n\n### B\n\nold\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	writeSection(t, "### A", "new a\n\n| b |\n")
	writeSection(t, "### B", "new b")
	const want = "# Page\n\n### A\n\nnew a\n\n| b |\n\n### B\n\nnew b\n"
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
