package sqlite

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrLocked says that another process, or another store of this one, has the database open.
var ErrLocked = errors.New("the database is in use by another process")

// lockFile takes the lock that path stands for until unlockFile gives it back or the process ends. The file stays, since
// a lock on a file that has been removed keeps nobody out.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the operator names the path
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return f, nil
}

// unlockFile gives a lock back. To close the file would not be enough: a process that is just being started has it open
// as well for a moment.
func unlockFile(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}
