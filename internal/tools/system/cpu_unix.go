//go:build unix

package system

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time that the process has used, or 0 if the system does not say.
func ProcessorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
