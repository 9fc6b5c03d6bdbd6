package sqlstore

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrLocked says that another process, or another store of this one, has the database open.
var ErrLocked = errors.New("the database is in use by another process")

// lockFile takes the lock that path stands for; closing the file gives it back, and so does the end of the process. The
// file stays, since a lock on a file that has been removed keeps nobody out.
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
