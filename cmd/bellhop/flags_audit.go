package main

import (
	"errors"
	"time"
)

// auditServe are the flags of "bellhop serve" about the audit log.
type auditServe struct {
	Retention  time.Duration `default:"2160h" placeholder:"DURATION" help:"How long entries of the audit log are kept, 90 days by default."`
	MaxEntries int           `default:"1000000" placeholder:"N" help:"Largest number of entries of the audit log. The oldest are removed first."`
}

// check checks the flags.
func (o auditServe) check() error {
	if o.Retention < time.Hour || o.MaxEntries < 1 {
		return usageError{errors.New("--audit-retention must be at least 1h, and --audit-max-entries at least 1")}
	}
	return nil
}
