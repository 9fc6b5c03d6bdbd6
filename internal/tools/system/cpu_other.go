//go:build !unix

package system

import "time"

// ProcessorTime returns 0: the processor time is not known on this system.
func ProcessorTime() time.Duration { return 0 }
