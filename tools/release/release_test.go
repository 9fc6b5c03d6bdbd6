package release_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

const root = "../.."

// binary returns the path of the binary that is tested.
func binary(t *testing.T) string {
	t.Helper()
	path := os.Getenv("BELLHOP_BINARY")
	if path == "" {
		t.Fatal("BELLHOP_BINARY is not set: use tools/check release")
	}
	return path
}

// sh runs a script and returns its output. variables are added to the environment.
func sh(t *testing.T, folder, script string, variables ...string) (string, error) {
	t.Helper()
	// A script installs packages, so it may take longer than a wait of a test. A failure shows its output.
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-e", "-c", script)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), variables...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(readFile(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// release returns a folder like that of a release, with the archive of this machine.
func release(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	archive := "bellhop_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
	script := `cp "$BELLHOP_BINARY" bellhop && tar -c bellhop | gzip -1 > ` + archive + ` && rm bellhop`
	if out, err := sh(t, folder, script); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	content, err := os.ReadFile(filepath.Join(folder, archive))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	text := hex.EncodeToString(sum[:]) + "  " + archive + "\n"
	if err := os.WriteFile(filepath.Join(folder, "checksums.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// sign signs a release with a new key and returns the public key.
func sign(t *testing.T, folder string) (public string) {
	t.Helper()
	keys := t.TempDir()
	script, err := filepath.Abs("sign")
	if err != nil {
		t.Fatal(err)
	}
	out, err := sh(t, keys, `openssl genpkey -algorithm ed25519 -out key.pem && "$SIGN" "$RELEASE" key.pem && openssl pkey -in key.pem -pubout -out public.pem`,
		"SIGN="+script, "RELEASE="+folder)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(keys, "public.pem"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// forgeries change a signed release. The installers refuse each.
var forgeries = map[string]string{
	"another archive with its checksum": `f=$(ls bellhop_*) && gzip -dc "$f" | gzip -2 > new && mv new "$f" && sha256sum "$f" > checksums.txt`,
	"another archive":                   `echo x >> bellhop_*.tar.gz`,
	"no signature":                      `rm checksums.txt.sig`,
	"an empty signature":                `: > checksums.txt.sig`,
	"the signature of another key":      `openssl genpkey -algorithm ed25519 -out /dev/stdout > k && openssl pkeyutl -sign -inkey k -rawin -in checksums.txt -out checksums.txt.sig`,
}

// forge returns a copy of a release that a forgery has changed.
func forge(t *testing.T, folder, script string) string {
	t.Helper()
	forged := t.TempDir()
	if out, err := sh(t, forged, `cp "$RELEASE"/* . && `+script, "RELEASE="+folder); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return forged
}

// spoil replaces the checksums of a release by wrong ones.
func spoil(t *testing.T, folder string) {
	t.Helper()
	if out, err := sh(t, folder, "sed -i.old 's/^......../00000000/' checksums.txt"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestAction runs the steps of action.yml as a runner does.
func TestAction(t *testing.T) {
	t.Parallel()
	binary(t)
	var action struct {
		Runs struct {
			Using string
			Steps []struct {
				Shell, Run string
				Env        map[string]string
			}
		}
	}
	readYAML(t, "action.yml", &action)
	if action.Runs.Using != "composite" || len(action.Runs.Steps) != 1 {
		t.Fatalf("action.yml has %d steps of type %s", len(action.Runs.Steps), action.Runs.Using)
	}
	step := action.Runs.Steps[0]
	if step.Shell != "bash" || step.Env["RELEASE"] != "${{ inputs.release }}" || step.Env["KEY"] != "${{ inputs.key }}" {
		t.Errorf("shell %s, environment %v", step.Shell, step.Env)
	}
	folder := release(t)
	key := sign(t, folder)
	system := map[string]string{"linux": "Linux", "darwin": "macOS"}[runtime.GOOS]
	arch := map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH]
	try := func(release, arch string) (out, paths, outputs string, err error) {
		temp := t.TempDir()
		out, err = sh(t, t.TempDir(), step.Run, "RELEASE="+release, "KEY="+key, "RUNNER_OS="+system, "RUNNER_ARCH="+arch, "RUNNER_TEMP="+temp,
			"GITHUB_PATH="+filepath.Join(temp, "paths"), "GITHUB_OUTPUT="+filepath.Join(temp, "outputs"))
		read := func(name string) string {
			text, err := os.ReadFile(filepath.Join(temp, name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			return strings.TrimSpace(string(text))
		}
		return out, read("paths"), read("outputs"), err
	}
	for _, address := range []string{folder, "file://" + folder} {
		out, paths, outputs, err := try(address, arch)
		if err != nil || !strings.HasPrefix(outputs, "version=bellhop ") {
			t.Errorf("%s: %v, outputs %q\n%s", address, err, outputs, out)
		}
		if text, err := sh(t, t.TempDir(), "bellhop version", "PATH="+paths+":"+os.Getenv("PATH")); err != nil {
			t.Errorf("the binary is not on the PATH: %v\n%s", err, text)
		}
	}
	if out, _, _, err := try(folder, "X86"); err == nil || !strings.Contains(out, "there is no release of Bellhop for X86") {
		t.Errorf("another architecture: %v\n%s", err, out)
	}
	for name, script := range forgeries {
		if out, paths, _, err := try(forge(t, folder, script), arch); err == nil || paths != "" {
			t.Errorf("%s is accepted\n%s", name, out)
		}
	}
	spoil(t, folder)
	if out, paths, _, err := try(folder, arch); err == nil || paths != "" {
		t.Errorf("a wrong checksum is accepted\n%s", out)
	}
}

// TestGitLab runs the commands of the template as a runner does: in one shell.
func TestGitLab(t *testing.T) {
	t.Parallel()
	binary(t)
	var template map[string]struct {
		BeforeScript []string `yaml:"before_script"`
	}
	readYAML(t, "deploy/gitlab/bellhop.yml", &template)
	script := strings.Join(template[".bellhop"].BeforeScript, "\n")
	folder, project := release(t), t.TempDir()
	key := "BELLHOP_RELEASE_KEY=" + sign(t, folder)
	out, err := sh(t, project, script+"\nbellhop dev --help | head -n 1", "BELLHOP_RELEASE="+folder, key, "CI_PROJECT_DIR="+project)
	if err != nil || !strings.Contains(out, "\nbellhop ") || !strings.Contains(out, "Usage: bellhop dev") {
		t.Errorf("%v\n%s", err, out)
	}
	for name, forgery := range forgeries {
		if out, err := sh(t, project, script, "BELLHOP_RELEASE="+forge(t, folder, forgery), key, "CI_PROJECT_DIR="+project); err == nil {
			t.Errorf("%s is accepted\n%s", name, out)
		}
	}
	spoil(t, folder)
	if out, err := sh(t, project, script, "BELLHOP_RELEASE="+folder, key, "CI_PROJECT_DIR="+project); err == nil {
		t.Errorf("a wrong checksum is accepted\n%s", out)
	}
}

// TestVersions checks that the packages and the chart have the version of the changelog.
func TestVersions(t *testing.T) {
	t.Parallel()
	changelog := readFile(t, "CHANGELOG.md")
	if !strings.Contains(changelog, "\n## [Unreleased]\n") {
		t.Error("CHANGELOG.md has no section Unreleased")
	}
	var chart struct {
		Version    string
		AppVersion string `yaml:"appVersion"`
	}
	readYAML(t, "deploy/helm/bellhop/Chart.yaml", &chart)
	for _, name := range []string{"npm/bellhop/package.json", "kit/node/package.json"} {
		var manifest struct{ Version string }
		if err := json.Unmarshal([]byte(readFile(t, name)), &manifest); err != nil {
			t.Fatal(err)
		}
		if manifest.Version != chart.Version || chart.Version != chart.AppVersion {
			t.Errorf("%s has version %s, the chart %s for %s", name, manifest.Version, chart.Version, chart.AppVersion)
		}
	}
}

// TestVariables checks that every variable in the files for operators is a flag of the service.
func TestVariables(t *testing.T) {
	t.Parallel()
	help, err := sh(t, t.TempDir(), `"$BELLHOP_BINARY" serve --help`, "BELLHOP_BINARY="+binary(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"compose.yaml", "compose.single.yaml", "Dockerfile", "deploy/systemd/bellhop.service", "deploy/systemd/bellhop.env",
		"deploy/helm/bellhop/values.yaml", "deploy/helm/bellhop/templates/statefulset.yaml",
	} {
		for _, variable := range regexp.MustCompile(`\bBELLHOP_[A-Z_]+`).FindAllString(readFile(t, name), -1) {
			if !strings.Contains(help, "$"+variable) && variable != "BELLHOP_ENCRYPTION_KEY" {
				t.Errorf("%s has %s, which is no flag of bellhop serve", name, variable)
			}
		}
	}
}

// TestCompose checks that the services of both files are hardened and wait for their dependencies.
func TestCompose(t *testing.T) {
	t.Parallel()
	for name, services := range map[string]int{"compose.yaml": 3, "compose.single.yaml": 1} {
		var file struct {
			Services map[string]struct {
				Build     string
				Image     string
				ReadOnly  bool                                  `yaml:"read_only"`
				CapDrop   []string                              `yaml:"cap_drop"`
				DependsOn map[string]struct{ Condition string } `yaml:"depends_on"`
			}
		}
		readYAML(t, name, &file)
		s := file.Services["bellhop"]
		if len(file.Services) != services || len(s.DependsOn) != services-1 {
			t.Errorf("%s has %d services, bellhop waits for %d", name, len(file.Services), len(s.DependsOn))
		}
		if s.Build != "." || !s.ReadOnly || strings.Join(s.CapDrop, " ") != "ALL" {
			t.Errorf("%s: %+v", name, s)
		}
		for other, d := range s.DependsOn {
			if d.Condition != "service_healthy" || file.Services[other].Image == "" {
				t.Errorf("%s: bellhop depends on %s: %+v", name, other, d)
			}
		}
	}
}

// TestImagesArePinned checks that each image that is downloaded has a full version and the digest of its content.
func TestImagesArePinned(t *testing.T) {
	t.Parallel()
	pinned := regexp.MustCompile(`^[a-z]+:\d+\.\d+\.?\d*(-alpine)?@sha256:[0-9a-f]{64}$`)
	found := 0
	for _, name := range []string{"Dockerfile", "compose.yaml", "compose.single.yaml"} {
		for _, image := range regexp.MustCompile(`(?m)^(?:FROM| +image:) (\S+)`).FindAllStringSubmatch(readFile(t, name), -1) {
			if image[1] == "scratch" || image[1] == "bellhop:dev" { // empty, and built from the Dockerfile
				continue
			}
			found++
			if !pinned.MatchString(image[1]) {
				t.Errorf("%s: %s has no full version with a digest", name, image[1])
			}
		}
	}
	if found != 3 {
		t.Errorf("%d images are downloaded, want golang, postgres and redis", found)
	}
}

// TestUnit checks the systemd unit against the paths of the packages, and with systemd-analyze where it is installed.
func TestUnit(t *testing.T) {
	t.Parallel()
	unit, config := readFile(t, "deploy/systemd/bellhop.service"), readFile(t, ".goreleaser.yaml")
	for _, line := range []string{"User=bellhop", "ExecStart=/usr/bin/bellhop serve", "NoNewPrivileges=yes", "ProtectSystem=strict", "StateDirectory=bellhop"} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("the unit has no line %s", line)
		}
	}
	for _, path := range []string{"bindir: /usr/bin\n", "dst: /usr/lib/systemd/system/bellhop.service,", "dst: /etc/bellhop/bellhop.env,"} {
		if !strings.Contains(config, path) {
			t.Errorf(".goreleaser.yaml has no %q", path)
		}
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		return
	}
	folder := t.TempDir()
	text := strings.ReplaceAll(unit, "/usr/bin/bellhop", binary(t)) // systemd-analyze checks that the program exists
	if err := os.WriteFile(filepath.Join(folder, "bellhop.service"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := sh(t, folder, "systemd-analyze verify --man=no ./bellhop.service"); err != nil || strings.Contains(out, "bellhop.service:") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
