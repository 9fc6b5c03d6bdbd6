package process

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes the kernel kill the child if this process is killed.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
