package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellhop/bellhop/internal/tools/remote"
)

// auditOptions are the flags of "bellhop audit".
type auditOptions struct {
	BaseURL    string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service, http://127.0.0.1:8080 by default."`
	AdminToken string `required:"" placeholder:"TOKEN" help:"Token of an operator with the scope read."`
	Follow     bool   `short:"f" help:"Print new entries until the command is interrupted."`
	Output     string `short:"o" default:"table" enum:"table,json,yaml" help:"table, yaml, or json: one object per line."`
	Actor      string `placeholder:"KIND:NAME" help:"Only entries of this actor, for example operator:ci or user:200."`
	Action     string `help:"Only entries with this action, for example user.update."`
	Target     string `help:"Only entries about this target, for example guild/300/role/301."`
	Since      string `placeholder:"TIME" help:"Only entries from this time on, or a duration before now, for example 24h."`
	Head       bool   `help:"Print only the head of the log's chain of hashes. Keep it elsewhere, and give it to bellhop doctor --audit-head."`
	Limit      int    `default:"100" help:"Maximum number of entries that exist already."`
}

// Run prints the newest entries, oldest first. With --follow it then prints new ones.
func (o auditOptions) Run(ctx context.Context, s streams) error {
	if o.Limit < 0 {
		return usageError{errors.New("--limit must not be negative")}
	}
	log := remote.AuditLog{BaseURL: o.BaseURL, Token: o.AdminToken, Actor: o.Actor, Action: o.Action, Target: o.Target, Since: o.Since}
	if o.Head {
		head, err := log.Head(ctx)
		if err == nil {
			_, err = fmt.Fprintln(s.out, head)
		}
		return err
	}
	list, err := log.Newest(ctx, o.Limit)
	if err != nil {
		return err
	}
	last := uint64(0)
	if len(list) > 0 {
		last = list[len(list)-1].ID
	}
	p := remote.AuditPrinter{Out: s.out, Format: o.Output}
	if err := p.Print(list...); err != nil || !o.Follow {
		return err
	}
	return log.Watch(ctx, last, func(e remote.AuditEntry) error { return p.Print(e) })
}
