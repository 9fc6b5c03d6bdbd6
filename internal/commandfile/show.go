package commandfile

import (
	"fmt"
	"io"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
)

// Lost are permissions that a plan would destroy.
type Lost struct {
	Guild   snowflake.Guild
	Command snowflake.Command
	Entries int
}

// Price is what a plan costs beside what it does.
type Price struct {
	Lost []Lost
	// Unread says why the permissions could not be looked up; "": they were.
	Unread string
}

// kinds names the types of commands for people.
var kinds = map[command.Type]string{
	command.ChatInput: "/", command.User: "user command ", command.Message: "message command ", command.PrimaryEntryPoint: "entry point ",
}

// Title returns the command as people call it.
func (c Change) Title() string { return title(c.Type, c.Name) }

func title(t command.Type, name string) string {
	if t == command.ChatInput {
		return kinds[t] + name
	}
	return kinds[t] + quote(name)
}

// Show writes the plan for people.
func (p *Plan) Show(w io.Writer, price Price) error {
	var b strings.Builder
	for _, action := range []Action{Create, Alter, Delete} {
		for _, c := range p.Changes {
			if c.Action == action {
				p.showChange(&b, c, price)
			}
		}
	}
	if p.Empty() {
		fmt.Fprintf(&b, "Nothing to change: %d commands are as the file has them.\n", p.Count(Keep))
	} else {
		fmt.Fprintf(&b, "\nPlan: %d to create, %d to change, %d to delete, %d unchanged.\n",
			p.Count(Create), p.Count(Alter), p.Count(Delete), p.Count(Keep))
		p.showPrice(&b, price)
	}
	p.showLeft(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Plan) showChange(b *strings.Builder, c Change, price Price) {
	switch c.Action {
	case Create:
		fmt.Fprintf(b, "  + %s\n", c.Title())
	case Delete:
		fmt.Fprintf(b, "  - %s (%s)\n", c.Title(), c.ID)
	case Alter:
		from := ""
		if c.Before != "" {
			from = title(c.Type, c.Before) + " becomes "
		}
		fmt.Fprintf(b, "  ~ %s%s (%s)\n", from, c.Title(), c.ID)
	case Keep:
	}
	for _, d := range c.Details {
		fmt.Fprintf(b, "      %s\n", d)
	}
	for _, l := range price.Lost {
		if l.Command == c.ID {
			fmt.Fprintf(b, "      ! its permissions in guild %s are lost: %d entries\n", l.Guild, l.Entries)
		}
	}
}

// String shows the difference: what is new, what goes, or what becomes of what.
func (d Detail) String() string {
	switch {
	case d.Before == "":
		return fmt.Sprintf("+ %s: %s", d.Path, d.After)
	case d.After == "":
		return fmt.Sprintf("- %s: %s", d.Path, d.Before)
	}
	return fmt.Sprintf("~ %s: %s -> %s", d.Path, d.Before, d.After)
}

func (p *Plan) showPrice(b *strings.Builder, price Price) {
	if creates := p.Count(Create); creates > 0 {
		fmt.Fprintf(b, "Day quota: %d of the %d creates of a day", creates, command.MaxCreates)
		if p.Used > 0 {
			fmt.Fprintf(b, ", of which at least %d are used", p.Used)
		}
		b.WriteString(".\n")
		if creates+p.Used > command.MaxCreates {
			b.WriteString("  ! that is more than are left: the service will refuse until the day is over.\n")
		}
	}
	entries := 0
	for _, l := range price.Lost {
		entries += l.Entries
	}
	switch {
	case len(p.Losers) == 0:
	case entries > 0:
		fmt.Fprintf(b, "Permissions: %d entries of renamed and deleted commands are lost for good.\n", entries)
	case price.Unread == "":
		b.WriteString("Permissions: none are lost.\n")
	}
	if price.Unread != "" {
		fmt.Fprintf(b, "Permissions: of renamed and deleted commands they are lost for good; which ones cannot be told: %s\n", price.Unread)
	}
}

func (p *Plan) showLeft(b *strings.Builder) {
	if len(p.Left) == 0 {
		return
	}
	names := make([]string, len(p.Left))
	for i, c := range p.Left {
		names[i] = c.Title()
	}
	fmt.Fprintf(b, "Not in the file, and left as they are: %s\n", strings.Join(names, ", "))
}
