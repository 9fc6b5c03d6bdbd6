package worldapply

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/world"
)

// Summary says what applying a world file did.
type Summary struct {
	Created   []string `json:"created"`
	Changed   []string `json:"changed"`
	Unchanged int      `json:"unchanged"`
	Records   int      `json:"records,omitzero"` // of a large file, whose summary has nothing else
}

// Count returns how many records a world file has, such as "2 users, 1 application, 3 guilds".
func Count(f *world.File) string {
	w := f.Whole()
	if w == nil {
		return terminal.Plural(f.Records(), "record")
	}
	return terminal.Plural(len(w.Users), "user") + ", " + terminal.Plural(len(w.Applications), "application") + ", " + terminal.Plural(len(w.Guilds), "guild")
}

// record is a record of a world.
type record struct {
	key   string // unique in the world
	name  string // for people
	value any
}

// summarize compares a world before and after a file was applied. Records that the file does not have count only if they
// changed.
func summarize(file, before, after world.World) Summary {
	old, given := map[string]any{}, map[string]bool{}
	for _, r := range records(before) {
		old[r.key] = r.value
	}
	for _, r := range records(file) {
		given[r.key] = true
	}
	s := Summary{Created: []string{}, Changed: []string{}}
	for _, r := range records(after) {
		value, existed := old[r.key]
		switch {
		case !existed:
			s.Created = append(s.Created, r.name)
		case !reflect.DeepEqual(value, r.value):
			s.Changed = append(s.Changed, r.name)
		case given[r.key]:
			s.Unchanged++
		}
	}
	return s
}

// records returns the records of a world.
func records(w world.World) []record {
	var all []record
	users := map[uint64]string{}
	for _, u := range w.Users {
		users[uint64(u.ID)] = u.Username
		all = append(all, record{"user " + u.ID.String(), "user " + u.Username, u})
	}
	apps := map[uint64]string{}
	for _, a := range w.Applications {
		apps[uint64(a.ID)], users[uint64(a.ID)] = a.Name, a.Name
		all = append(all, record{"application " + a.ID.String(), "application " + a.Name, a})
	}
	for _, g := range w.Guilds {
		id, alone := g.ID.String(), g
		alone.Roles, alone.Channels, alone.Members, alone.Installs = nil, nil, nil, nil
		all = append(all, record{"guild " + id, "guild " + g.Name, alone})
		for _, r := range g.Roles {
			all = append(all, record{"role " + r.ID.String(), "role " + g.Name + "/" + r.Name, r})
		}
		for _, c := range g.Channels {
			all = append(all, record{"channel " + c.ID.String(), "channel " + g.Name + "/" + c.Name, c})
		}
		for _, m := range g.Members {
			all = append(all, record{"member " + id + " " + m.User.String(), "member " + g.Name + "/" + users[uint64(m.User)], m})
		}
		for _, i := range g.Installs {
			name := fmt.Sprintf("install of %s in %s", apps[uint64(i.Application)], g.Name)
			all = append(all, record{"install " + id + " " + i.Application.String(), name, i})
		}
	}
	for _, i := range w.UserInstalls {
		name := fmt.Sprintf("install of %s for %s", apps[uint64(i.Application)], users[uint64(i.User)])
		all = append(all, record{"install " + i.User.String() + " " + i.Application.String(), name, i})
	}
	return all
}

// maxNamed is the number of records that a summary names.
const maxNamed = 20

// Print prints the summary as text.
func (s Summary) Print(p *terminal.Printer) {
	if s.Records > 0 {
		p.Line("applied: %s", terminal.Plural(s.Records, "record"))
		return
	}
	for _, l := range []struct {
		verb  string
		names []string
	}{{"created", s.Created}, {"changed", s.Changed}} {
		if len(l.names) == 0 {
			continue
		}
		text := terminal.Printable(strings.Join(l.names[:min(len(l.names), maxNamed)], ", "))
		if more := len(l.names) - maxNamed; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		p.Line("%s %s: %s", l.verb, terminal.Plural(len(l.names), "record"), text)
	}
	p.Line("unchanged: %s", terminal.Plural(s.Unchanged, "record"))
}
