// Package worldpull copies a guild with its roles, channels, members and commands from any service that has the API into a
// world. It can replace people by pseudonyms, and keeps what the file of an earlier pull has and a service does not show.
package worldpull

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/tools/definitions"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// Puller reads a guild from a service. Client and Guild are required.
type Puller struct {
	Client   *client.Client
	Guild    snowflake.Guild
	Limit    int // of members, without the owner
	Messages int // the newest of each channel, at most 100
	Progress Progress

	// Notes say what is left out of the world.
	Notes []string

	app     world.Application
	bot     snowflake.User // the bot's user id, which may differ from the application's
	users   map[snowflake.User]world.User
	members []world.Member
	others  map[snowflake.User]bool // bots of other applications
}

// Progress is told how far a pull is.
type Progress interface {
	Rename(part string)
	Step(done, total int64)
}

// get reads an object of the API.
func (p *Puller) get(ctx context.Context, path string, query url.Values, out any) error {
	q := client.Request{Method: http.MethodGet, Path: path, Query: query}
	a, err := p.Client.Do(ctx, q)
	if err != nil {
		return err
	}
	if a.Status != http.StatusOK {
		return refusedRead{path: path, status: a.Status, body: excerptOf(a.Body)}
	}
	if err := json.Unmarshal(a.Body, out); err != nil {
		return fmt.Errorf("GET %s: %w", path, err)
	}
	return nil
}

// refusedRead means that a service did not answer a request with an object.
type refusedRead struct {
	path   string
	status int
	body   string
}

// Error describes the response.
func (e refusedRead) Error() string { return fmt.Sprintf("GET %s: %d: %s", e.path, e.status, e.body) }

// refused reports whether the token may not read something, or the service does not have it.
func refused(err error) bool {
	status := 0
	if e, ok := errors.AsType[refusedRead](err); ok {
		status = e.status
	}
	if e, ok := errors.AsType[*client.Error](err); ok {
		status = e.Status
	}
	return status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusNotFound
}

// Pull returns the guild with up to p.Limit members, the application and its commands.
func (p *Puller) Pull(ctx context.Context) (world.World, error) {
	p.users, p.others = map[snowflake.User]world.User{}, map[snowflake.User]bool{}
	if err := p.readApplication(ctx); err != nil {
		return world.World{}, err
	}
	var g wire.Guild
	if err := p.get(ctx, "/guilds/"+p.Guild.String(), nil, &g); err != nil {
		return world.World{}, err
	}
	var channels []wire.Channel
	p.Progress.Rename("read the channels")
	if err := p.get(ctx, "/guilds/"+p.Guild.String()+"/channels", nil, &channels); err != nil {
		return world.World{}, err
	}
	p.Progress.Rename("read the members")
	if err := p.readMembers(ctx, g.OwnerID, p.Limit); err != nil {
		return world.World{}, err
	}
	w := world.World{Applications: []world.Application{p.app}, Guilds: []world.Guild{p.worldGuild(g, channels)}}
	if p.Messages > 0 {
		p.Progress.Rename("read the messages")
		if err := p.readMessages(ctx, &w.Guilds[0]); err != nil {
			return w, err
		}
	}
	p.Progress.Rename("read the commands")
	if err := p.readCommands(ctx, &w); err != nil {
		return w, err
	}
	for _, u := range p.users {
		w.Users = append(w.Users, u)
	}
	return w, nil
}

// readApplication reads the application of the token and its owner.
func (p *Puller) readApplication(ctx context.Context) error {
	var a pulledApplication
	if err := p.get(ctx, "/applications/@me", nil, &a); err != nil {
		return err
	}
	owner := a.Owner
	if a.Team != nil {
		owner = wire.User{ID: a.Team.Owner, Username: "team-owner"}
		for _, m := range a.Team.Members {
			if m.User.ID == owner.ID {
				owner = m.User
			}
		}
	}
	p.bot = cmp.Or(a.Bot.ID, snowflake.User(a.ID))
	p.users[owner.ID] = worldUser(owner)
	p.app = world.Application{
		ID: a.ID, Name: a.Name, Description: a.Description, Owner: owner.ID, Activities: a.Flags&wire.Embedded != 0, RedirectURIs: a.RedirectURIs,
	}
	for _, t := range []uint8{0, 1} {
		if _, ok := a.IntegrationTypesConfig[t]; ok {
			p.app.IntegrationTypes = append(p.app.IntegrationTypes, int(t))
		}
	}
	return nil
}

// pullPage is the largest page of members.
const pullPage = 1000

// readMembers reads up to limit people, the owner, and the bot of the application.
func (p *Puller) readMembers(ctx context.Context, owner snowflake.User, limit int) error {
	read := 0 // people
	for after := snowflake.User(0); read < limit; {
		var page []wire.Member
		query := url.Values{"limit": {strconv.Itoa(pullPage)}, "after": {after.String()}}
		err := p.get(ctx, "/guilds/"+p.Guild.String()+"/members", query, &page)
		if refused(err) {
			p.Notes = append(p.Notes, "the token may not list members (it may need the intent for guild members): only the owner and the bot are in the file")
			break
		}
		if err != nil {
			return err
		}
		for _, m := range page {
			after = max(after, m.User.ID)
			if m.User.Bot || read < limit {
				p.addMember(m)
			}
			if !m.User.Bot {
				read++
			}
		}
		p.Progress.Step(int64(min(read, limit)), int64(limit))
		if len(page) < pullPage {
			break
		}
	}
	for _, id := range []snowflake.User{owner, p.bot} {
		var m wire.Member
		if p.has(p.own(id)) {
			continue
		}
		err := p.get(ctx, "/guilds/"+p.Guild.String()+"/members/"+id.String(), nil, &m)
		if refused(err) {
			continue // the application is installed without its bot
		}
		if err != nil {
			return err
		}
		p.addMember(m)
	}
	if _, known := p.users[owner]; !known {
		p.users[owner] = world.User{ID: owner, Username: "owner"}
	}
	if n := len(p.others); n > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s of other applications left out", terminal.Plural(n, "bot")))
	}
	return nil
}

// own returns a user id of the world: the bot has the id of its application.
func (p *Puller) own(id snowflake.User) snowflake.User {
	if id == p.bot {
		return snowflake.User(p.app.ID)
	}
	return id
}

// has reports whether a user of the world is a member.
func (p *Puller) has(id snowflake.User) bool {
	return slices.ContainsFunc(p.members, func(m world.Member) bool { return m.User == id })
}

func (p *Puller) addMember(m wire.Member) {
	id := p.own(m.User.ID)
	switch {
	case id == snowflake.User(p.app.ID):
	case m.User.Bot:
		p.others[id] = true
		return
	default:
		p.users[id] = worldUser(m.User)
	}
	p.members = append(p.members, world.Member{
		User: id, Nick: string(m.Nick), Roles: m.Roles, JoinedAt: time.Time(m.JoinedAt), TimeoutUntil: time.Time(m.TimeoutUntil),
	})
}

// worldGuild returns the guild as a record of a world.
func (p *Puller) worldGuild(from wire.Guild, channels []wire.Channel) world.Guild {
	g := world.Guild{ID: from.ID, Name: from.Name, Owner: from.OwnerID, Members: p.members}
	if _, err := (world.Guild{ID: g.ID, Owner: g.Owner, PreferredLocale: from.PreferredLocale}).Complete(); err == nil { // a known language
		g.PreferredLocale = from.PreferredLocale
	}
	install := world.GuildInstall{Application: p.app.ID, Scopes: []string{world.CommandsScope}}
	if p.has(snowflake.User(p.app.ID)) {
		install.Scopes = []string{world.CommandsScope, world.BotScope}
	}
	for _, r := range from.Roles {
		bits := r.Permissions & permission.MaxBits
		if uint64(r.ID) == uint64(g.ID) {
			g.Everyone = &bits
			continue
		}
		role := world.Role{
			ID: r.ID, Name: r.Name, Permissions: bits, Position: max(r.Position, 1), Color: r.Color, Hoist: r.Hoist, Mentionable: r.Mentionable,
		}
		if r.Tags != nil && snowflake.User(r.Tags.BotID) == p.bot {
			role.Managed, install.Permissions = p.app.ID, bits
		}
		g.Roles = append(g.Roles, role)
	}
	g.Installs = []world.GuildInstall{install}
	g.Emojis = p.worldEmojis(g, from.Emojis)
	for _, c := range channels {
		if channel, ok := p.worldChannel(g, c); ok {
			g.Channels = append(g.Channels, channel)
		}
	}
	return g
}

// readCommands adds the commands of the application and their permissions.
func (p *Puller) readCommands(ctx context.Context, w *world.World) error {
	for _, guild := range []snowflake.Guild{0, p.Guild} {
		list, err := definitions.Read(ctx, p.Client, command.Scope{Application: p.app.ID, Guild: guild})
		if refused(err) {
			p.Notes = append(p.Notes, "the token may not read commands")
			return nil
		}
		if err != nil {
			return err
		}
		found := world.Commands{Application: p.app.ID, Guild: guild}
		for _, c := range list {
			found.Definitions = append(found.Definitions, world.Definition{Value: c.Compact()})
		}
		if len(list) > 0 {
			w.Commands = append(w.Commands, found)
		}
	}
	sets, err := p.Client.GuildPermissions(ctx, p.app.ID, p.Guild)
	if refused(err) {
		p.Notes = append(p.Notes, "the token may not read the permissions of commands")
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range sets {
		if set, ok := p.worldPermissions(w.Guilds[0], s); ok {
			w.CommandPermissions = append(w.CommandPermissions, set)
		}
	}
	return nil
}
