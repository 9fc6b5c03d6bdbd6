package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestReadme runs the script of the README section "Your own command" against a running service.
func TestReadme(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "## Your own command")
	if !ok {
		t.Fatal("README.md has no section \"Your own command\"")
	}
	_, script, _ := strings.Cut(section, "```sh\n")
	script, _, _ = strings.Cut(script, "```")
	p := start(t, "dev", "--listen", "127.0.0.1:0")
	for _, line := range []string{"BELLHOP_APPLICATION_ID=", "BELLHOP_BOT_TOKEN="} {
		_, value, _ := strings.Cut(script, line)
		value, _, _ = strings.Cut(value, "\n")
		if !strings.Contains(strings.ReplaceAll(p.output, "\\\n", ""), "export "+line+value+"\n") {
			t.Errorf("the README says %s%s, dev prints\n%s", line, value, p.output)
		}
	}
	script = strings.ReplaceAll(script, "http://127.0.0.1:8080", p.base)
	out, err := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`"name":"roll"`, `"min_value":2`, `"code":50035`, "APPLICATION_COMMAND_INVALID_NAME", "BASE_TYPE_REQUIRED"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output does not contain %s:\n%s", want, out)
		}
	}
	runPrintedCurl(t, p)
	p.stop(t)
}

// runPrintedCurl runs the settings and the curl command that "bellhop dev" prints.
func runPrintedCurl(t *testing.T, p *process) {
	t.Helper()
	_, script, _ := strings.Cut(p.output, "  export ")
	settings, request, ok := strings.Cut(script, "  curl ")
	if !ok {
		t.Fatalf("dev prints no curl line:\n%s", p.output)
	}
	request, _, _ = strings.Cut(request, "\n\n")
	out, err := exec.CommandContext(t.Context(), "bash", "-euc", "export "+settings+"curl "+request).CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"name":"roll"`) {
		t.Errorf("the printed curl command: %s, %v", out, err)
	}
}
