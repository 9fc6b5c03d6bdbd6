package bellhop_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// TestVulnWithoutDatabase runs the check for known vulnerabilities where its database cannot be reached. The check must
// succeed and say that it has checked nothing.
func TestVulnWithoutDatabase(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	engines.Need(t, "curl")
	cmd := exec.CommandContext(t.Context(), "tools/vuln")
	cmd.Env = append(os.Environ(), "GOVULNDB=file:///nowhere")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "not checked: the vulnerability database cannot be reached") {
		t.Errorf("tools/vuln: %v\n%s", err, out)
	}
}
