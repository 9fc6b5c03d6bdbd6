package definitions

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Loss is the permissions of a command in a guild that a push deletes.
type Loss struct {
	Guild   snowflake.Guild
	Command snowflake.Command
	Entries int
}

// Losses are all permissions that a push deletes.
type Losses struct {
	Lost []Loss
	// Unread says why some permissions could not be read; "" if all were read.
	Unread string
}

// Title returns a command as people write it.
func Title(t command.Type, name string) string {
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

// Row returns what a list of commands shows of a command: its title, its id, the number of its options, who can use it, and its
// description.
func (r Registered) Row() ([]string, error) {
	v, err := jsonbody.Parse(r.Raw)
	return []string{
		Title(r.Type, r.Name), r.ID.String(), strconv.Itoa(len(v.Get("options").Items())),
		namePermissions(v.Get("default_member_permissions").Text()), v.Get("description").Text(),
	}, err
}

// Show writes the plan for people: what it creates, changes and deletes, and then a summary.
func (p *Plan) Show(w io.Writer, losses Losses) error {
	var b strings.Builder
	for _, c := range p.Changes {
		if c.Registered == nil {
			fmt.Fprintf(&b, "  + %s\n", Title(c.Wanted.Type, c.Wanted.Name))
		}
	}
	for _, c := range p.Changes {
		if c.Registered != nil && c.Wanted != nil && !c.Kept() {
			showChanged(&b, c, losses)
		}
	}
	for _, c := range p.Changes {
		if c.Wanted == nil {
			fmt.Fprintf(&b, "  - %s (%s)\n", Title(c.Registered.Type, c.Registered.Name), c.Registered.ID)
			showLosses(&b, c.Registered.ID, losses)
		}
	}
	if n := p.Counts(); p.Empty() {
		fmt.Fprintf(&b, "Nothing to change: %s the file.\n", matching(n.Kept))
	} else {
		fmt.Fprintf(&b, "\nPlan: %d to create, %d to change, %d to delete, %d unchanged.\n", n.Created, n.Changed, n.Deleted, n.Kept)
		p.showCreates(&b, n.Created)
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

func showChanged(b *strings.Builder, c command.Change, losses Losses) {
	from := ""
	if c.Renamed() {
		from = Title(c.Wanted.Type, c.Registered.Name) + " becomes "
	}
	fmt.Fprintf(b, "  ~ %s%s (%s)\n", from, Title(c.Wanted.Type, c.Wanted.Name), c.Registered.ID)
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
func showLosses(b *strings.Builder, id snowflake.Command, losses Losses) {
	for _, l := range losses.Lost {
		if l.Command == id {
			fmt.Fprintf(b, "      ! deletes its permissions in guild %s: %s\n", l.Guild, terminal.Plural(l.Entries, "entry"))
		}
	}
}

// showCreates writes how much of the daily limit the plan uses.
func (p *Plan) showCreates(b *strings.Builder, created int) {
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

func (p *Plan) showPermissions(b *strings.Builder, losses Losses) {
	entries := 0
	for _, l := range losses.Lost {
		entries += l.Entries
	}
	switch {
	case len(p.Losers()) == 0:
	case entries > 0:
		fmt.Fprintf(b, "Permissions: %s of renamed and deleted commands will be deleted.\n", terminal.Plural(entries, "entry"))
	case losses.Unread == "":
		b.WriteString("Permissions: none will be deleted.\n")
	}
	if losses.Unread != "" {
		fmt.Fprintf(b, "Permissions: renamed and deleted commands lose theirs. Not all could be read: %s.\n", losses.Unread)
	}
}

func (p *Plan) showLeft(b *strings.Builder) {
	if len(p.Left) == 0 {
		return
	}
	names := make([]string, len(p.Left))
	for i, c := range p.Left {
		names[i] = Title(c.Type, c.Name)
	}
	fmt.Fprintf(b, "Not in the file, not changed: %s\n", strings.Join(names, ", "))
}

// namePermissions returns the names of the permissions in the decimal form of a bit set. A text without a number, such as
// null, means that everyone has access, and no bit means administrators only.
func namePermissions(decimal string) string {
	bits, err := permission.ParseBits(strings.Trim(decimal, `"`))
	switch {
	case err != nil:
		return "everyone"
	case bits == 0:
		return "administrators"
	}
	return strings.Join(bits.Names(), ", ")
}
