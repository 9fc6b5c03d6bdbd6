package engines

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Programs are commands of this module that a test binary builds once and runs as processes.
type Programs struct {
	Flags    []string // of "go build"
	Env      []string // in addition to the environment of the test
	Packages []string // relative to the module, such as "cmd/bellhop"

	once   sync.Once
	folder string
	err    error
}

// Folder builds the programs at the first call and returns the folder that they are in.
func (p *Programs) Folder(t testing.TB) string {
	t.Helper()
	p.once.Do(func() { p.err = p.build(context.WithoutCancel(t.Context())) })
	if p.err != nil {
		t.Fatal(p.err)
	}
	return p.folder
}

// Path builds the programs at the first call and returns the path of one of them.
func (p *Programs) Path(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(p.Folder(t), name)
}

// Remove deletes the programs. TestMain calls it after all tests.
func (p *Programs) Remove() { _ = os.RemoveAll(p.folder) } // "" removes nothing

const module = "github.com/bellhop/bellhop/"

func (p *Programs) build(ctx context.Context) (err error) {
	var names []string
	for _, name := range p.Packages {
		names = append(names, module+name)
	}
	if err := p.lookAtSources(ctx, names); err != nil {
		return err
	}
	if p.folder, err = os.MkdirTemp("", "bellhop-programs-"); err != nil {
		return err
	}
	args := append([]string{"build", "-buildvcs=false", "-o", p.folder + "/"}, p.Flags...)
	_, err = p.run(ctx, append(args, names...)...)
	return err
}

// lookAtSources looks at each file of this module that the programs consist of. "go test" caches a result until a file changes
// that the test has looked at, and does not see which files a build reads.
func (p *Programs) lookAtSources(ctx context.Context, names []string) error {
	const files = `{{if .Module}}{{if .Module.Main}}{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}` +
		`{{range .EmbedFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`
	list, err := p.run(ctx, append([]string{"list", "-deps", "-f", files}, names...)...)
	if err != nil {
		return err
	}
	for file := range strings.FieldsSeq(list) {
		if _, err := os.Stat(file); err != nil {
			return err
		}
	}
	return nil
}

// run runs the go command and returns what it prints.
func (p *Programs) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), p.Env...)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, &problems)
	}
	return string(out), nil
}
