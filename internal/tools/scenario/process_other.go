//go:build !unix

package scenario

import "os/exec"

// shell returns a command line as a command.
func shell(line string) *exec.Cmd {
	return exec.Command("cmd", "/C", line) //nolint:noctx // runningApp.stop ends it
}

// interrupt ends a command: other systems have no signal that asks for it.
func interrupt(cmd *exec.Cmd) { kill(cmd) }

// kill ends a command.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // fails if it has ended
