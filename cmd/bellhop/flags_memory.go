package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// memory is a size in bytes. Its text form has a unit: 512MiB, 4GiB.
type memory int64

// UnmarshalText parses a size.
func (m *memory) UnmarshalText(text []byte) error {
	n, ok := parseSize(string(text))
	if !ok || n < minMemory {
		return fmt.Errorf("%q: want a size such as 512MiB or 4GiB, at least %dMiB", text, minMemory>>20)
	}
	*m = memory(n)
	return nil
}

// quota is a size in bytes, or 0 for no bound. Its text form is off or has a unit: 512MiB, 4GiB.
type quota int64

// UnmarshalText parses a size.
func (q *quota) UnmarshalText(text []byte) error {
	n, ok := parseSize(string(text))
	if !ok && string(text) != "off" {
		return fmt.Errorf("%q: want off, or a size such as 512MiB or 4GiB", text)
	}
	*q = quota(n)
	return nil
}

// parseSize parses a positive size with a unit.
func parseSize(text string) (int64, bool) {
	units := []struct {
		name string
		size int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}}
	for _, u := range units {
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		return n * u.size, err == nil && n > 0 && n <= math.MaxInt64/u.size
	}
	return 0, false
}

// minMemory is the least memory that the service works with.
const minMemory = 80 << 20

// quotaOptions are the flags of "bellhop serve" about the attachments of messages and interactions.
type quotaOptions struct {
	Application quota `default:"10GiB" placeholder:"SIZE|off" help:"Bytes of attachments that one application may store."`
	Guild       quota `default:"10GiB" placeholder:"SIZE|off" help:"Bytes of attachments that one guild may store."`
}
