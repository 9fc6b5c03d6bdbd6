//go:build !linux

package process

import "os/exec"

// dieWithParent does nothing: only Linux supports it.
func dieWithParent(*exec.Cmd) {}
