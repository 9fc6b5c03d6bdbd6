package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// errTaken says that another process works with the data folder.
var errTaken = errors.New("the data folder is in use by another process")

// place is the data folder of a node whose state is elsewhere. Whoever has it knows that the process that had it before is
// dead.
type place struct {
	file   *os.File
	before string // the name of that process; empty: there was none, or it has left in good order
}

// takePlace takes the data folder for the process of that name.
func takePlace(dir, name string) (*place, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "node"), os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the operator names the folder
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errTaken
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), f.Close())
	}
	text := make([]byte, 256)
	n, _ := f.ReadAt(text, 0) // an empty file names nobody
	p := &place{file: f, before: strings.TrimSpace(string(text[:n]))}
	return p, p.note(name)
}

func (p *place) note(name string) error {
	if err := p.file.Truncate(0); err != nil {
		return err
	}
	if _, err := p.file.WriteAt([]byte(name+"\n"), 0); err != nil {
		return err
	}
	return p.file.Sync()
}

// leave gives the folder back after everything of the process has ended.
func (p *place) leave() error {
	return errors.Join(p.file.Truncate(0), syscall.Flock(int(p.file.Fd()), syscall.LOCK_UN), p.file.Close())
}
