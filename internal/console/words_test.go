package console

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// splitLines is a program for Node.js that splits the lines of the cases with words.js and prints the words. It also
// quotes each value, splits the result, and prints values that changed.
const splitLines = `
import { readFileSync } from 'node:fs';
const source = readFileSync('static/words.js', 'utf8');
const { quote, splitLine } = await import('data:text/javascript,' + encodeURIComponent(source));
const cases = JSON.parse(readFileSync('../api/dev/testdata/lines.json', 'utf8'));
const results = cases.map(({ line, options }) => {
  const words = splitLine(line);
  const changed = options.map(([, value]) => value).filter((value) => splitLine('/x y:' + quote(value))[1].value !== value);
  return {
    path: words.filter((w) => w.option === undefined).map((w) => w.value),
    options: words.filter((w) => w.option !== undefined).map((w) => [w.option, w.value]),
    changed,
  };
});
console.log(JSON.stringify(results));
`

// TestWords splits the lines that the service's parser is tested with, so that the console and the service read a line in
// the same way. The console also splits lines that the service refuses.
func TestWords(t *testing.T) {
	t.Parallel()
	engines.Need(t, "node")
	type parsed struct {
		Path    []string
		Options [][2]string
		Changed []string
	}
	var cases []struct {
		Name, Line string
		parsed
	}
	file, err := os.ReadFile("../api/dev/testdata/lines.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file, &cases); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--input-type=module", "-e", splitLines)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v after %d bytes of output", err, len(out))
	}
	var got []parsed
	if err := json.Unmarshal(out, &got); err != nil || len(got) != len(cases) {
		t.Fatalf("node printed %d results, want %d: %v", len(got), len(cases), err)
	}
	for i, tt := range cases {
		if !slices.Equal(got[i].Path, tt.Path) || !slices.Equal(got[i].Options, tt.Options) {
			t.Errorf("%s: splitLine(%q) = %q, %q, want %q, %q", tt.Name, tt.Line, got[i].Path, got[i].Options, tt.Path, tt.Options)
		}
		if len(got[i].Changed) > 0 {
			t.Errorf("%s: values changed by quote and splitLine: %s", tt.Name, fmt.Sprintf("%q", got[i].Changed))
		}
	}
}
