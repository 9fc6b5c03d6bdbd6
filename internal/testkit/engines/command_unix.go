//go:build unix && !linux

package engines

import "syscall"

// attributes make a process run as a user, or as that of the test if owner is nil.
func attributes(owner *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: owner}
}
