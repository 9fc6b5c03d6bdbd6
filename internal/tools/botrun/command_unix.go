//go:build unix

package botrun

import (
	"os/exec"
	"syscall"
)

// Shell returns a command line as a command with a process group of its own.
func Shell(line string) *exec.Cmd { return Program("sh", "-c", line) }

// Program returns a command with a process group of its own.
func Program(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...) //nolint:noctx // Process.Stop ends it, with time to clean up
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// interrupt asks all processes of a command to end.
func interrupt(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // fails if they have ended

// kill ends all processes of a command.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // fails if they have ended
