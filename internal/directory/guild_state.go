package directory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// GuildState is a guild at one moment, with what permission decisions need. It is immutable.
type GuildState struct {
	store.Guild

	// Rules holds the guild's owner and roles.
	Rules    *permission.Guild
	Roles    []store.Role        // @everyone first
	Channels []GuildChannel      // ordered by id, including threads
	Emojis   []store.CustomEmoji // ordered by id
	// Installs are the installs that include commands, ordered by application.
	Installs []store.Install

	channels []store.Channel // including threads
	installs []store.Install // all, ordered by application
	size     int             // in bytes, approximately
}

// GuildChannel is a channel of a guild with its effective overwrites. A thread has the overwrites of its parent.
type GuildChannel struct {
	permission.Channel

	Type     int
	Name     string
	Topic    string
	Position int
	Category snowflake.Channel // the category, or of a thread the parent channel; 0: none
	State    *store.Thread     // of a thread; nil: it comes from a world file
	SlowMode int               // seconds
	Flags    int
}

// TakesCommands reports whether commands can be used in the channel. In a forum only the posts take commands.
func (c *GuildChannel) TakesCommands() bool {
	switch c.Type {
	case world.Category, world.DirectoryChannel, world.ForumChannel, world.MediaChannel:
		return false
	default:
		return true
	}
}

// State returns the state of a guild.
func (g *Guilds) State(ctx context.Context, guild snowflake.Guild) (*GuildState, error) {
	s, err := load(ctx, &g.cached.guilds, guild, ErrUnknownGuild)
	if err != nil {
		return nil, err
	}
	gone, err := g.tombstones(ctx)
	if err != nil {
		return nil, err
	}
	return s.without(gone), nil
}

// without returns the state without installs of deleted applications.
func (s *GuildState) without(gone Tombstones) *GuildState {
	if len(gone) == 0 || !slices.ContainsFunc(s.installs, gone.Install) {
		return s
	}
	rest := *s
	rest.Installs = slices.DeleteFunc(slices.Clone(s.Installs), gone.Install)
	rest.installs = slices.DeleteFunc(slices.Clone(s.installs), gone.Install)
	return &rest
}

// ReadGuildRules reads the part of the state of a guild that decisions about ranks and permissions in the guild need: it has
// no channels and no installs. It returns store.ErrNotFound if the guild does not exist.
func ReadGuildRules(r store.Reader, guild snowflake.Guild) (*GuildState, error) {
	g, err := r.Directory.Guild(guild)
	if err != nil {
		return nil, err
	}
	s := &GuildState{Guild: g}
	if s.Roles, err = readRoles(r, g); err != nil {
		return nil, err
	}
	own := s.Roles[1:]
	rules := make([]permission.Role, len(own))
	for i, role := range own {
		rules[i] = RankedRole(role)
	}
	s.Rules = permission.NewGuild(guild, g.Owner, g.Everyone, rules)
	return s, nil
}

// RankedRole returns a role for permission decisions.
func RankedRole(r store.Role) permission.Role {
	return permission.Role{ID: r.ID, Permissions: r.Permissions, Position: r.Position, Managed: r.Managed != 0}
}

// ReadGuildState reads the state of a guild, or returns store.ErrNotFound.
func ReadGuildState(r store.Reader, guild snowflake.Guild) (*GuildState, error) {
	s, err := ReadGuildRules(r, guild)
	if err != nil {
		return nil, err
	}
	if s.channels, err = r.Directory.Channels(guild); err != nil {
		return nil, err
	}
	s.Channels = guildChannels(s.channels)
	if s.Emojis, err = r.Directory.Emojis(guild); err != nil {
		return nil, err
	}
	if s.installs, err = r.Directory.GuildInstalls(guild); err != nil {
		return nil, err
	}
	s.Installs = slices.DeleteFunc(slices.Clone(s.installs), func(i store.Install) bool {
		return !auth.Allows(i.Scopes, auth.ScopeCommands)
	})
	s.size = s.estimateSize()
	return s, nil
}

// guildChannels returns channels with their effective overwrites.
func guildChannels(channels []store.Channel) []GuildChannel {
	list := make([]GuildChannel, len(channels))
	for i, c := range channels {
		at := &list[i]
		at.Type, at.Name, at.Topic, at.Position, at.Category = c.Type, c.Name, c.Topic, c.Position, c.Parent
		at.ID, at.NSFW, at.Thread, at.Archived = c.ID, c.NSFW, world.IsThread(c.Type), c.Archived
		at.State, at.Private = c.Thread, c.Type == world.PrivateThread && c.Thread != nil
		at.SlowMode, at.Flags = c.SlowMode, c.Flags
		for _, o := range c.Overwrites {
			at.Overwrites = append(at.Overwrites, permission.Overwrite{
				ID: o.ID, Member: o.Type == world.MemberOverwrite, Allow: o.Allow, Deny: o.Deny,
			})
		}
	}
	s := GuildState{Channels: list}
	for i, c := range channels {
		if at := &list[i]; at.Thread {
			at.Parent = c.Parent
			if parent := s.Channel(c.Parent); parent != nil {
				at.Overwrites, at.NSFW = parent.Overwrites, parent.NSFW
			}
		}
	}
	return list
}

// Channel returns a channel of the guild, or nil.
func (s *GuildState) Channel(id snowflake.Channel) *GuildChannel {
	i, found := slices.BinarySearchFunc(s.Channels, id, func(c GuildChannel, id snowflake.Channel) int {
		return cmp.Compare(c.ID, id)
	})
	if !found {
		return nil
	}
	return &s.Channels[i]
}

// Emoji returns an emoji of the guild.
func (s *GuildState) Emoji(id snowflake.Emoji) (e store.CustomEmoji, ok bool) {
	if i := slices.IndexFunc(s.Emojis, func(e store.CustomEmoji) bool { return e.ID == id }); i >= 0 {
		return s.Emojis[i], true
	}
	return e, false
}

// Mentionable reports whether every member can mention a role.
func (s *GuildState) Mentionable(id snowflake.Role) bool {
	return slices.ContainsFunc(s.Roles, func(r store.Role) bool { return r.ID == id && r.Mentionable })
}

// Installed reports whether an application may have commands in the guild.
func (s *GuildState) Installed(app snowflake.Application) bool {
	_, found := findInstall(s.Installs, app)
	return found
}

// Member returns a member of the guild for permission decisions at the time now.
func (s *GuildState) Member(m store.Member, now time.Time) permission.Member {
	member := s.Rules.Member(m.User, m.Roles)
	member.TimedOut = now.Before(m.TimeoutUntil)
	return member
}

// Size returns approximately how many bytes the state takes in memory.
func (s *GuildState) Size() int { return s.size }

func (s *GuildState) estimateSize() int {
	const state, role, channel, overwrite, install, emoji = 512, 160, 352, 64, 288, 192
	n := state + len(s.Name) + role*len(s.Roles) + channel*len(s.Channels) + install*len(s.installs) + emoji*len(s.Emojis)
	for i := range s.Channels {
		c := &s.Channels[i]
		n += len(c.Name) + len(c.Topic)
		if !c.Thread { // a thread shares the overwrites of its parent
			n += overwrite * len(c.Overwrites)
		}
	}
	return n
}
