package worldpull

import (
	"slices"
	"strings"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// pulledApplication is the application of the token. Bellhop has no teams, so wire.OwnApplication shows none.
type pulledApplication struct {
	wire.OwnApplication

	Team *struct {
		Owner   snowflake.User `json:"owner_user_id"`
		Members []struct {
			User wire.User `json:"user"`
		} `json:"members"`
	} `json:"team"`
}

func worldUser(u wire.User) world.User {
	return world.User{ID: u.ID, Username: u.Username, GlobalName: string(u.GlobalName)}
}

// worldChannel returns a channel as a record of a world. It leaves out types that a world does not have, and overwrites of
// roles and members that are not in the file.
func (p *Puller) worldChannel(g world.Guild, from wire.Channel) (world.Channel, bool) {
	c := world.Channel{ID: from.ID, Name: from.Name, Type: from.Type, Position: max(from.Position, 0), NSFW: from.NSFW}
	if from.Text != nil {
		c.Topic = string(from.Topic)
	}
	if from.ParentID != nil {
		c.Parent = *from.ParentID
	}
	if _, err := c.Complete(g.ID); err != nil || world.IsThread(c.Type) {
		p.Notes = append(p.Notes, "channel "+c.ID.String()+" left out: a world file has no such channel")
		return c, false
	}
	for _, o := range from.PermissionOverwrites {
		known := p.hasRole(g, snowflake.Role(o.ID))
		if o.Type == world.MemberOverwrite {
			o.ID = snowflake.Target(p.own(snowflake.User(o.ID)))
			known = p.has(snowflake.User(o.ID))
		}
		if known {
			c.Overwrites = append(c.Overwrites, world.Overwrite{ID: o.ID, Type: o.Type, Allow: o.Allow & permission.MaxBits, Deny: o.Deny & permission.MaxBits})
		}
	}
	sortBy(c.Overwrites, func(o world.Overwrite) snowflake.Target { return o.ID })
	return c, true
}

// worldEmojis returns the emojis of a guild as records of a world, as many of each kind as a guild without boosts can have.
func (p *Puller) worldEmojis(g world.Guild, from []wire.Emoji) []world.Emoji {
	var list []world.Emoji
	used := map[bool]int{} // by whether they are animated
	for _, e := range from {
		if used[e.Animated] == guild.EmojiSlots(0) {
			continue
		}
		used[e.Animated]++
		roles := slices.DeleteFunc(e.Roles, func(id snowflake.Role) bool { return !p.hasRole(g, id) })
		list = append(list, world.Emoji{ID: e.ID, Name: e.Name, Animated: e.Animated, Roles: roles})
	}
	if left := len(from) - len(list); left > 0 {
		p.Notes = append(p.Notes, terminal.Plural(left, "emoji")+" left out: a guild without boosts has no room for more")
	}
	return list
}

// hasRole reports whether a guild has a role, @everyone included.
func (p *Puller) hasRole(g world.Guild, id snowflake.Role) bool {
	return uint64(id) == uint64(g.ID) || slices.ContainsFunc(g.Roles, func(r world.Role) bool { return r.ID == id })
}

// worldPermissions returns the permissions of a command as a record of a world. It leaves out entries for roles, members
// and channels that are not in the file.
func (p *Puller) worldPermissions(g world.Guild, from client.Permissions) (world.CommandPermissions, bool) {
	set := world.CommandPermissions{Application: p.app.ID, Guild: g.ID, Command: from.ID}
	for _, e := range from.Entries {
		known := false
		switch e.Type {
		case permission.ForRole:
			known = p.hasRole(g, snowflake.Role(e.ID))
		case permission.ForUser:
			known = p.has(snowflake.User(e.ID))
		case permission.ForChannel:
			known = uint64(e.ID) == uint64(g.ID)-1 || slices.ContainsFunc(g.Channels, func(c world.Channel) bool { return uint64(c.ID) == uint64(e.ID) })
		}
		if known {
			set.Permissions = append(set.Permissions, world.CommandPermission{ID: e.ID, Type: e.Type, Permission: e.Allow})
		}
	}
	return set, len(set.Permissions) > 0
}

// excerptOf returns the beginning of a response on one line.
func excerptOf(body []byte) string {
	const most = 200
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body), "?")), " ")
	return terminal.Printable(text[:min(len(text), most)])
}
