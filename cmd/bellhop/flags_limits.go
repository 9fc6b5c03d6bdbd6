package main

import (
	"fmt"
	"os"

	"github.com/bellhop/bellhop/internal/ratelimit"
)

// chooseLimits returns the limits that the flags --limits and --daily-creates select. creates is nil without the latter.
func chooseLimits(file string, creates *int) (ratelimit.Policy, error) {
	limits, err := readLimits(file)
	if err != nil || creates == nil {
		return limits, err
	}
	if *creates < 0 {
		return limits, usageError{fmt.Errorf("--daily-creates %d: want 0 or more", *creates)}
	}
	limits.Creates = *creates
	return limits, nil
}

// readLimits returns the limits that the flag --limits selects.
func readLimits(file string) (ratelimit.Policy, error) {
	switch file {
	case "":
		return ratelimit.Default(), nil
	case "off":
		return ratelimit.Off(), nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return ratelimit.Policy{}, fmt.Errorf("--limits: %w", err)
	}
	return ratelimit.Load(file, data)
}
