package engines

import "syscall"

// attributes make a process run as a user, or as that of the test if owner is nil, and end with the test process.
func attributes(owner *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Credential: owner}
}
