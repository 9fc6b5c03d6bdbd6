package process

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel end the child when this process is killed and can no longer do so itself.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
