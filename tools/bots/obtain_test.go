package bots_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// place says where a bot is and what it needs.
type place struct {
	folder string   // in which it is started
	env    []string // NAME=VALUE
}

// cache is the folder for the files of bots. Git ignores it.
func cache() string {
	root, err := filepath.Abs("../../.cache/bots")
	if err != nil {
		panic(err)
	}
	return root
}

// locks has a lock for each thing that several bots share.
var locks sync.Map

// once makes a folder with a function, unless an earlier run has made it.
func once(folder string, make func() error) error {
	l, _ := locks.LoadOrStore(folder, &sync.Mutex{})
	lock := l.(*sync.Mutex)
	lock.Lock()
	defer lock.Unlock()
	mark := filepath.Join(folder, ".done")
	if _, err := os.Stat(mark); err == nil {
		return nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if err := make(); err != nil {
		return err
	}
	return os.WriteFile(mark, nil, 0o600)
}

// command runs a program in a folder. Its output is part of the error.
func command(folder, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return fmt.Errorf("%s %s: %w: %s", name, args[0], err, lines[len(lines)-1])
}

// obtain brings the files of a bot onto this machine.
func obtain(t *testing.T, s source) (place, error) {
	t.Helper()
	switch {
	case s.Go != "":
		folder := filepath.Join(cache(), "go", strings.Split(s.Go, "/")[2])
		return place{folder: folder}, command(".", "go", "build", "-o", folder+string(filepath.Separator), s.Go)
	case s.NPM != "":
		modules, err := npm(shared)
		return place{folder: filepath.Join(modules, s.NPM, filepath.FromSlash(s.Folder))}, err
	case s.Crate != "":
		return obtainCrate(s)
	}
	return obtainRepository(s)
}

// shared is the folder whose lock file pins the npm packages.
const shared = "../../examples/discordjs"

// npm installs the packages of a folder, and returns the folder that has them.
func npm(folder string) (string, error) {
	modules, err := filepath.Abs(filepath.Join(folder, "node_modules"))
	if err != nil {
		return "", err
	}
	l, _ := locks.LoadOrStore(modules, &sync.Mutex{})
	lock := l.(*sync.Mutex)
	lock.Lock()
	defer lock.Unlock()
	if _, err := os.Stat(filepath.Join(modules, ".package-lock.json")); err == nil {
		return modules, nil
	}
	return modules, command(folder, "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error")
}

// obtainCrate builds an example of a crate.
func obtainCrate(s source) (place, error) {
	name, version, _ := strings.Cut(s.Crate, "@")
	folder := filepath.Join(cache(), "crates", name+"-"+version)
	return place{folder: filepath.Join(folder, "target", "debug", "examples")}, once(folder, func() error {
		file := name + "-" + version + ".crate"
		url := "https://static.crates.io/crates/" + name + "/" + file
		if err := command(filepath.Dir(folder), "curl", "--silent", "--show-error", "--fail", "--location", "--output", file, url); err != nil {
			return err
		}
		if err := command(filepath.Dir(folder), "tar", "xzf", file); err != nil {
			return err
		}
		return command(folder, "cargo", "build", "--quiet", "--example", s.Folder)
	})
}

// obtainRepository clones a repository, or takes it from the folder of -repositories, and installs the packages that its bot imports.
func obtainRepository(s source) (place, error) {
	owner, name := path.Split(s.Repository)
	folder := filepath.Join(*repositories, strings.TrimSuffix(owner, "/")+"+"+name)
	if *repositories == "" {
		folder = filepath.Join(cache(), "repositories", strings.TrimSuffix(owner, "/")+"+"+name)
		if err := once(folder, func() error { return clone(folder, s) }); err != nil {
			return place{}, err
		}
	}
	p := place{folder: filepath.Join(folder, filepath.FromSlash(s.Folder))}
	if _, err := os.Stat(p.folder); err != nil {
		return p, err
	}
	switch {
	case s.Python != nil:
		return p, p.python(s.Python)
	case s.Maven != nil:
		return p, p.maven(s.Maven)
	}
	_, err := os.Stat(filepath.Join(folder, "package.json"))
	if err == nil && s.Folder == "" {
		_, err = npm(folder)
		return p, err
	}
	modules, err := npm(shared)
	p.env = append(p.env, "NODE_PATH="+modules)
	return p, err
}

// errNoClone explains why a bot is not there.
var errNoClone = errors.New("the repository cannot be cloned from this machine; -repositories names a folder that has it")

func clone(folder string, s source) error {
	for _, args := range [][]string{
		{"init", "--quiet"}, {"fetch", "--quiet", "--depth=1", "https://github.com/" + s.Repository, s.Commit}, {"checkout", "--quiet", "FETCH_HEAD"},
	} {
		if err := command(folder, "git", args...); err != nil {
			return fmt.Errorf("%w: %w", errNoClone, err)
		}
	}
	return nil
}

// python makes an environment with packages of PyPI.
func (p *place) python(packages []string) error {
	folder := filepath.Join(cache(), "python", strings.Join(packages, "+"))
	p.env = append(p.env, "PATH="+filepath.Join(folder, "bin")+":"+os.Getenv("PATH"), "PYTHONDONTWRITEBYTECODE=1")
	return once(folder, func() error {
		if err := command(".", "python3", "-m", "venv", folder); err != nil {
			return err
		}
		return command(".", filepath.Join(folder, "bin", "python3"), append([]string{"-m", "pip", "install", "--quiet"}, packages...)...)
	})
}

// maven downloads packages of Maven Central and all that they need.
func (p *place) maven(packages []string) error {
	folder := filepath.Join(cache(), "maven", strings.ReplaceAll(strings.Join(packages, "+"), ":", "-"))
	p.env = append(p.env, "BOT_PACKAGES="+folder)
	return once(folder, func() error {
		var wanted strings.Builder
		for _, name := range packages {
			part := strings.Split(name, ":")
			fmt.Fprintf(&wanted, "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>", part[0], part[1], part[2])
		}
		pom := "<project><modelVersion>4.0.0</modelVersion><groupId>bots</groupId><artifactId>bots</artifactId><version>1</version><dependencies>" +
			wanted.String() + "</dependencies></project>"
		if err := os.WriteFile(filepath.Join(folder, "pom.xml"), []byte(pom), 0o600); err != nil {
			return err
		}
		return command(folder, "mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory="+folder)
	})
}
