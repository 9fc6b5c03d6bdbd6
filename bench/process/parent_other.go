//go:build !linux

package process

import "os/exec"

// dieWithParent does nothing where the kernel does not offer it.
func dieWithParent(*exec.Cmd) {}
