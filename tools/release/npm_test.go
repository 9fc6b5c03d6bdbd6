package release_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dev runs "npx bellhop dev" with a pipe as its input, prints the line that says where it listens, and closes the pipe.
const dev = `
const { spawn } = require('node:child_process');
const child = spawn('npx', ['bellhop', 'dev', '--json', '--listen', '127.0.0.1:0'], { stdio: ['pipe', 'pipe', 'ignore'] });
child.stdout.once('data', async (text) => {
  const { url } = JSON.parse(text);
  console.log('readyz', (await fetch(url + '/readyz')).status);
  child.stdin.end();
});
child.once('exit', (code) => console.log('exit code', code));
`

// kitTest is a test of a user of bellhop-test.
const kitTest = `
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { withBellhop } from 'bellhop-test';
const bellhop = withBellhop({ before, after, beforeEach });
test('the service has the demo world', () => assert.equal(bellhop.guilds[0].name, 'Lab'));
`

// TestNpm packs the npm packages, installs them without a network, and uses the service and the test kit.
func TestNpm(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	pack := `node npm/pack.mjs 0.0.0-test "$OUT" "$(node -p 'process.platform + "-" + process.arch')=$BELLHOP_BINARY"`
	if text, err := sh(t, root, pack, "OUT="+out, "BELLHOP_BINARY="+binary(t)); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	project := t.TempDir()
	for name, text := range map[string]string{"dev.cjs": dev, "kit.test.mjs": kitTest, "package.json": `{"name": "bot", "version": "1.0.0"}`} {
		if err := os.WriteFile(filepath.Join(project, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ script, want string }{
		{`npm install --save-dev --offline --no-audit --no-fund "$OUT"/*.tgz`, "added 3 packages"},
		{"npm ci --offline --no-audit --no-fund", "added 3 packages"},
		{"npx bellhop version", "bellhop "},
		{"node dev.cjs", "readyz 200\nexit code 0\n"},
		{"node --test kit.test.mjs", "pass 1"},
		{"npx bellhop nonsense || echo exit code $?", "exit code 2"},
		{"rm -r node_modules/@bellhop; npx bellhop version || echo exit code $?", "set BELLHOP_BINARY to the path of a binary\nexit code 1"},
	} {
		text, err := sh(t, project, "unset BELLHOP_BINARY; "+tt.script, "OUT="+out, "NO_COLOR=1", "npm_config_update_notifier=false")
		if err != nil || !strings.Contains(text, tt.want) {
			t.Fatalf("%s: %v, want %q in\n%s", tt.script, err, tt.want, text)
		}
	}
}

// TestLockFiles checks that npm accepts every lock file without a network, and that none names a registry.
func TestLockFiles(t *testing.T) {
	t.Parallel()
	found := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".cache" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if d.Name() != "package-lock.json" {
			return nil
		}
		found++
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), `"resolved": "http`) {
			t.Errorf("%s names a registry", path)
		}
		out, ciErr := sh(t, filepath.Dir(path), "npm ci --dry-run --offline --ignore-scripts --no-audit --no-fund")
		if ciErr != nil {
			t.Errorf("npm ci does not accept %s: %v\n%s", path, ciErr, out)
		}
		return err
	})
	if err != nil || found < 6 {
		t.Errorf("%d lock files, %v", found, err)
	}
}
