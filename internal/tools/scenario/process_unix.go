//go:build unix

package scenario

import (
	"os/exec"
	"syscall"
)

// shell returns a command line as a command with a process group of its own.
func shell(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", line) //nolint:noctx // runningApp.stop ends it, with time to clean up
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// interrupt asks all processes of a command to end.
func interrupt(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // fails if they have ended

// kill ends all processes of a command.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // fails if they have ended
