package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/snowflake"
)

// lostPermissions are permissions that a push deletes.
type lostPermissions struct {
	guild   snowflake.Guild
	command snowflake.Command
	entries int
}

// permissionLosses are all permissions that a push deletes.
type permissionLosses struct {
	lost []lostPermissions
	// unread says why some permissions could not be read; "" if all were read.
	unread string
}

// title returns a command as people write it.
func title(t command.Type, name string) string {
	switch t {
	case command.ChatInput:
		return "/" + name
	case command.User:
		return fmt.Sprintf("user command %q", name)
	case command.Message:
		return fmt.Sprintf("message command %q", name)
	case command.PrimaryEntryPoint:
		return fmt.Sprintf("entry point %q", name)
	}
	return name
}

// show writes the plan for people: what it creates, changes and deletes, and then a summary.
func (p *pushPlan) show(w io.Writer, losses permissionLosses) error {
	var b strings.Builder
	for _, c := range p.changes {
		if c.Registered == nil {
			fmt.Fprintf(&b, "  + %s\n", title(c.Wanted.Type, c.Wanted.Name))
		}
	}
	for _, c := range p.changes {
		if c.Registered != nil && c.Wanted != nil && !c.Kept() {
			showChanged(&b, c, losses)
		}
	}
	for _, c := range p.changes {
		if c.Wanted == nil {
			fmt.Fprintf(&b, "  - %s (%s)\n", title(c.Registered.Type, c.Registered.Name), c.Registered.ID)
			showLosses(&b, c.Registered.ID, losses)
		}
	}
	if n := p.counts(); p.empty() {
		fmt.Fprintf(&b, "Nothing to change: %s the file.\n", matching(n.kept))
	} else {
		fmt.Fprintf(&b, "\nPlan: %d to create, %d to change, %d to delete, %d unchanged.\n", n.created, n.changed, n.deleted, n.kept)
		p.showCreates(&b, n.created)
		p.showPermissions(&b, losses)
	}
	p.showLeft(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// matching returns "1 command matches" or "2 commands match".
func matching(n int) string {
	if n == 1 {
		return "1 command matches"
	}
	return terminal.Plural(n, "command") + " match"
}

func showChanged(b *strings.Builder, c command.Change, losses permissionLosses) {
	from := ""
	if c.Renamed() {
		from = title(c.Wanted.Type, c.Registered.Name) + " becomes "
	}
	fmt.Fprintf(b, "  ~ %s%s (%s)\n", from, title(c.Wanted.Type, c.Wanted.Name), c.Registered.ID)
	for _, d := range c.Differences() {
		if d.Path == "default_member_permissions" {
			d.Before, d.After = namePermissions(d.Before), namePermissions(d.After)
		}
		switch {
		case d.Before == "":
			fmt.Fprintf(b, "      + %s: %s\n", d.Path, d.After)
		case d.After == "":
			fmt.Fprintf(b, "      - %s: %s\n", d.Path, d.Before)
		default:
			fmt.Fprintf(b, "      ~ %s: %s -> %s\n", d.Path, d.Before, d.After)
		}
	}
	showLosses(b, c.Registered.ID, losses)
}

// showLosses writes which permissions a command loses.
func showLosses(b *strings.Builder, id snowflake.Command, losses permissionLosses) {
	for _, l := range losses.lost {
		if l.command == id {
			fmt.Fprintf(b, "      ! deletes its permissions in guild %s: %s\n", l.guild, terminal.Plural(l.entries, "entry"))
		}
	}
}

// showCreates writes how much of the daily limit the plan uses.
func (p *pushPlan) showCreates(b *strings.Builder, created int) {
	if created == 0 {
		return
	}
	fmt.Fprintf(b, "Daily limit: %d of %d creates", created, registry.MaxCreates)
	if p.used > 0 {
		fmt.Fprintf(b, "; at least %d are used already", p.used)
	}
	b.WriteString(".\n")
	if created+p.used > registry.MaxCreates {
		b.WriteString("  ! This exceeds the daily limit: the service will refuse the push.\n")
	}
}

func (p *pushPlan) showPermissions(b *strings.Builder, losses permissionLosses) {
	entries := 0
	for _, l := range losses.lost {
		entries += l.entries
	}
	switch {
	case len(p.losers()) == 0:
	case entries > 0:
		fmt.Fprintf(b, "Permissions: %s of renamed and deleted commands will be deleted.\n", terminal.Plural(entries, "entry"))
	case losses.unread == "":
		b.WriteString("Permissions: none will be deleted.\n")
	}
	if losses.unread != "" {
		fmt.Fprintf(b, "Permissions: renamed and deleted commands lose theirs. Not all could be read: %s.\n", losses.unread)
	}
}

func (p *pushPlan) showLeft(b *strings.Builder) {
	if len(p.left) == 0 {
		return
	}
	names := make([]string, len(p.left))
	for i, c := range p.left {
		names[i] = title(c.Type, c.Name)
	}
	fmt.Fprintf(b, "Not in the file, not changed: %s\n", strings.Join(names, ", "))
}
