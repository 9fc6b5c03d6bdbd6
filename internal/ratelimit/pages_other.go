//go:build !linux

package ratelimit

// useLargePages does nothing: only Linux is asked for them.
func useLargePages([]slot) {}
