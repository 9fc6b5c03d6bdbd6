package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
)

// report returns a report without outcomes.
func (s *environment) report(ctx context.Context) compare.Report {
	return compare.Report{
		Time:        time.Now().UTC().Truncate(time.Second),
		Machine:     compare.Machine{CPU: cpuModel("/proc/cpuinfo"), Cores: runtime.NumCPU(), Go: runtime.Version()},
		Revision:    s.revision(ctx),
		Connections: s.connections,
		Rounds:      s.plan().Rounds,
		Round:       s.plan().Round,
		Scale:       s.scale,
	}
}

// publish prints the report and saves it.
func (o options) publish(report compare.Report, s *environment, stdout io.Writer) error {
	raw, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	raw = append(raw, '\n')
	if o.json {
		_, err = stdout.Write(raw)
	} else {
		err = report.WriteTable(stdout)
	}
	if err != nil || o.quick {
		return err
	}
	file := filepath.Join(s.results, report.Time.Format("2006-01-02T150405Z")+".json")
	if err := os.MkdirAll(s.results, 0o750); err != nil {
		return err
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		return err
	}
	s.logf("saved %s", file)
	return nil
}

// cpuModel returns the name of the CPU, or an empty string if the system does not provide it.
func cpuModel(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// revision returns the commit of the module under test, marked if there are uncommitted changes. It is empty if the flag -bellhop
// names a binary, or if there is no repository.
func (s *environment) revision(ctx context.Context) string {
	if s.bellhop != "" {
		return ""
	}
	cmd := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--abbrev=40")
	cmd.Dir = s.root
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
