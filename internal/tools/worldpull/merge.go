package worldpull

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Merge orders a pulled world, adds what the old file has and a service does not show, and checks the result.
func Merge(w, old world.World) (world.World, error) {
	sortWorld(&w)
	w, err := keepLocal(w, old).Complete()
	if err != nil {
		return w, err
	}
	return w, provision.Check(w, nil)
}

// Summary says what a pulled world has, such as "Lab with 2 roles, 3 channels, 4 members and 1 command".
func Summary(w world.World) string {
	g, commands := w.Guilds[0], 0
	for _, c := range w.Commands {
		commands += len(c.Definitions)
	}
	return fmt.Sprintf("%s with %s, %s, %s and %s", terminal.Printable(g.Name), terminal.Plural(len(g.Roles), "role"),
		terminal.Plural(len(g.Channels), "channel"), terminal.Plural(len(g.Members), "member"), terminal.Plural(commands, "command"))
}

// sortWorld orders a pulled world by ids, so that a second pull changes only the lines of what has changed.
func sortWorld(w *world.World) {
	sortBy(w.Users, func(u world.User) snowflake.User { return u.ID })
	for _, g := range w.Guilds {
		sortBy(g.Roles, func(r world.Role) snowflake.Role { return r.ID })
		sortBy(g.Emojis, func(e world.Emoji) snowflake.Emoji { return e.ID })
		sortBy(g.Channels, func(c world.Channel) snowflake.Channel { return c.ID })
		sortBy(g.Members, func(m world.Member) snowflake.User { return m.User })
	}
	sortBy(w.CommandPermissions, func(p world.CommandPermissions) snowflake.Command { return p.Command })
}

// sortBy orders a list by ids.
func sortBy[T any, ID cmp.Ordered](list []T, id func(T) ID) {
	slices.SortFunc(list, func(a, b T) int { return cmp.Compare(id(a), id(b)) })
}

// keepLocal adds to a pulled world what the old file has and a service does not show: the secrets and settings of the same
// users and applications.
func keepLocal(w, old world.World) world.World {
	users := map[snowflake.User]world.User{}
	for _, u := range old.Users {
		users[u.ID] = u
	}
	for i, u := range w.Users {
		if was, known := users[u.ID]; known {
			w.Users[i].Token, w.Users[i].Locale, w.Users[i].Email, w.Users[i].Minor = was.Token, was.Locale, was.Email, was.Minor
		}
	}
	for _, was := range old.Applications {
		for i := range w.Applications {
			a := &w.Applications[i]
			if a.ID != was.ID {
				continue
			}
			now := *a
			*a = was
			a.Name, a.Description, a.Owner, a.IntegrationTypes = now.Name, now.Description, now.Owner, now.IntegrationTypes
			a.Activities, a.RedirectURIs = now.Activities, now.RedirectURIs
		}
	}
	return w
}
