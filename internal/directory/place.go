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

// Place is a guild at one moment, as permissions see it. It is immutable.
type Place struct {
	store.Guild

	// Rules holds the guild's owner and roles.
	Rules    *permission.Guild
	Channels []PlaceChannel // in ascending order of ids, threads included
	// Installs are the installs that let commands in, in the order of the applications.
	Installs []store.Install

	roles    []store.Role    // that of all members first
	channels []store.Channel // threads included
	installs []store.Install // all, in the order of the applications
	size     int             // in bytes, roughly
}

// PlaceChannel is a channel of a guild as permissions see it, with what interactions show of it.
type PlaceChannel struct {
	permission.Channel

	Type     int
	Name     string
	Topic    string
	Position int
	Category snowflake.Channel // that holds the channel, or of a thread the channel it belongs to; 0: none
}

// TakesCommands reports whether people can be in the channel and use commands there. Of a forum it is the posts that do.
func (c *PlaceChannel) TakesCommands() bool {
	switch c.Type {
	case world.Category, world.DirectoryChannel, world.ForumChannel, world.MediaChannel:
		return false
	default:
		return true
	}
}

// Place returns a guild as permissions see it.
func (d *Directory) Place(ctx context.Context, guild snowflake.Guild) (*Place, error) {
	p, err := load(ctx, &d.kinds().guilds, guild, ErrUnknownGuild)
	if err != nil {
		return nil, err
	}
	gone, err := d.deletions(ctx)
	if err != nil {
		return nil, err
	}
	return p.without(gone), nil
}

// without returns the place without installs of applications that were deleted.
func (p *Place) without(gone Tombstones) *Place {
	if len(gone) == 0 || !slices.ContainsFunc(p.installs, gone.Install) {
		return p
	}
	rest := *p
	rest.Installs = slices.DeleteFunc(slices.Clone(p.Installs), gone.Install)
	rest.installs = slices.DeleteFunc(slices.Clone(p.installs), gone.Install)
	return &rest
}

// ReadPlace reads a guild as permissions see it; store.ErrNotFound when there is none.
func ReadPlace(r store.Reader, guild snowflake.Guild) (*Place, error) {
	g, err := r.Directory.Guild(guild)
	if err != nil {
		return nil, err
	}
	p := &Place{Guild: g}
	if p.roles, err = readRoles(r, g); err != nil {
		return nil, err
	}
	own := p.roles[1:]
	rules := make([]permission.Role, len(own))
	for i, role := range own {
		rules[i] = permission.Role{ID: role.ID, Permissions: role.Permissions, Position: role.Position}
	}
	p.Rules = permission.NewGuild(guild, g.Owner, g.Everyone, rules)
	if p.channels, err = r.Directory.Channels(guild); err != nil {
		return nil, err
	}
	p.Channels = placeChannels(p.channels)
	if p.installs, err = r.Directory.GuildInstalls(guild); err != nil {
		return nil, err
	}
	p.Installs = slices.DeleteFunc(slices.Clone(p.installs), func(i store.Install) bool {
		return !auth.Allows(i.Scopes, auth.ScopeCommands)
	})
	p.weigh()
	return p, nil
}

// readRoles returns the roles of a guild, that of all members first.
func readRoles(r store.Reader, g store.Guild) ([]store.Role, error) {
	roles, err := r.Directory.Roles(g.ID)
	everyone := store.Role{ID: snowflake.Role(g.ID), Guild: g.ID, Name: "@everyone", Permissions: g.Everyone}
	return append([]store.Role{everyone}, roles...), err
}

// placeChannels returns channels as permissions see them: threads with what they have from their parents.
func placeChannels(channels []store.Channel) []PlaceChannel {
	list := make([]PlaceChannel, len(channels))
	for i, c := range channels {
		at := &list[i]
		at.Type, at.Name, at.Topic, at.Position, at.Category = c.Type, c.Name, c.Topic, c.Position, c.Parent
		at.ID, at.NSFW, at.Thread, at.Archived = c.ID, c.NSFW, world.IsThread(c.Type), c.Archived
		for _, o := range c.Overwrites {
			at.Overwrites = append(at.Overwrites, permission.Overwrite{
				ID: o.ID, Member: o.Type == world.MemberOverwrite, Allow: o.Allow, Deny: o.Deny,
			})
		}
	}
	p := Place{Channels: list}
	for i, c := range channels {
		if at := &list[i]; at.Thread {
			at.Parent = c.Parent
			if parent := p.Channel(c.Parent); parent != nil {
				at.Overwrites, at.NSFW = parent.Overwrites, parent.NSFW
			}
		}
	}
	return list
}

// Channel returns a channel of the guild, or nil.
func (p *Place) Channel(id snowflake.Channel) *PlaceChannel {
	i, found := slices.BinarySearchFunc(p.Channels, id, func(c PlaceChannel, id snowflake.Channel) int {
		return cmp.Compare(c.ID, id)
	})
	if !found {
		return nil
	}
	return &p.Channels[i]
}

// Installed reports whether an application may have commands in the guild.
func (p *Place) Installed(app snowflake.Application) bool {
	_, found := findInstall(p.Installs, app)
	return found
}

// Member returns a member of the guild as permissions see one now.
func (p *Place) Member(m store.Member, now time.Time) permission.Member {
	member := p.Rules.Member(m.User, m.Roles)
	member.TimedOut = now.Before(m.TimeoutUntil)
	return member
}

// Size is roughly what the place costs in memory.
func (p *Place) Size() int { return p.size }

// weigh estimates what the place costs in memory.
func (p *Place) weigh() {
	const place, role, channel, overwrite, install = 512, 160, 352, 64, 288
	p.size = place + len(p.Name) + role*len(p.roles) + channel*len(p.Channels) + install*len(p.installs)
	for i := range p.Channels {
		c := &p.Channels[i]
		p.size += len(c.Name) + len(c.Topic)
		if !c.Thread { // threads share what their parents have
			p.size += overwrite * len(c.Overwrites)
		}
	}
}

// Where says where a channel is. It is immutable.
type Where struct {
	Guild      snowflake.Guild // 0: between people
	Type       int
	Recipients []snowflake.User // ascending; of a channel between people
}

// Where returns where a channel is.
func (d *Directory) Where(ctx context.Context, id snowflake.Channel) (*Where, error) {
	s, err := d.channel(ctx, id)
	if err != nil {
		return nil, err
	}
	return &s.where, nil
}

// channel returns a channel, unless it went with its guild or one of its recipients.
func (d *Directory) channel(ctx context.Context, id snowflake.Channel) (*channelState, error) {
	s, err := load(ctx, &d.kinds().channels, id, ErrUnknownChannel)
	if err != nil {
		return nil, err
	}
	gone, err := d.deletions(ctx)
	if err != nil {
		return nil, err
	}
	if gone.Channel(s.channel) {
		return nil, ErrUnknownChannel
	}
	return s, nil
}
