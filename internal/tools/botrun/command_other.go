//go:build !unix

package botrun

import "os/exec"

// Shell returns a command line as a command.
func Shell(line string) *exec.Cmd { return Program("cmd", "/C", line) }

// Program returns a command.
func Program(name string, args ...string) *exec.Cmd {
	return exec.Command(name, args...) //nolint:noctx // Process.Stop ends it
}

// interrupt ends a command: other systems have no signal that asks for it.
func interrupt(cmd *exec.Cmd) { kill(cmd) }

// kill ends a command.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // fails if it has ended
