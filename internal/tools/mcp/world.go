package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/worldapply"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func (t *Toolbox) addWorldTools(s *sdk.Server) {
	add(t, s, "status", reads, "Show the service: its clock, the bot, the applications with their state, users, guilds with their channels; or one guild.", t.status)
	add(t, s, "apply_world", adds, "Add or change users, applications, guilds, roles, channels and members with a world file. Applying it twice changes nothing. "+
		"The format is in the resource bellhop://docs/world.md.", t.applyWorld)
	add(t, s, "read_world", reads, "Read the whole world as a world file, without secrets.", t.readWorld)
	add(t, s, "reset_world", replaces, "Restore the world, the clock and the traffic that the service started with. Commands and messages are deleted.", t.resetWorld)
	add(t, s, "move_clock", adds, "Move the clock of the service forward, or read it. Everything that falls due on the way has happened when the call returns.", t.moveClock)
}

type appStatus struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	State  string `json:"state" jsonschema:"online: it has a gateway session; endpoint: it has an endpoint URL; failing and paused: its endpoint fails; offline"`
	Detail string `json:"detail,omitempty"`
}

type place struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Channels []string `json:"channels,omitempty" jsonschema:"names with ids; a tool takes an id, or the guild and channel names with a slash between"`
	Roles    []string `json:"roles,omitempty" jsonschema:"names with ids"`
	Members  int      `json:"members"`
}

type statusResult struct {
	Service      string      `json:"service" jsonschema:"the console is at this URL"`
	Now          time.Time   `json:"now"`
	Bot          botStatus   `json:"bot"`
	Applications []appStatus `json:"applications"`
	Users        []string    `json:"users" jsonschema:"names with ids"`
	Guilds       []place     `json:"guilds"`
	LeftOut      int         `json:"left_out,omitempty" jsonschema:"how many names are not listed; read_world has all"`
}

type statusQuery struct {
	Guild string `json:"guild,omitempty" jsonschema:"show only this guild: name or id"`
}

// Bounds of lists of names, and of guilds with their names.
const (
	maxNames  = 50
	maxGuilds = 5
)

func named(name string, id fmt.Stringer) string { return name + " (" + id.String() + ")" }

func (t *Toolbox) status(ctx context.Context, in statusQuery) (statusResult, error) {
	r := statusResult{Service: t.Service}
	var err error
	if r.Now, err = t.dev().Now(ctx); err != nil {
		return r, err
	}
	if r.Applications, err = t.applications(ctx); err != nil {
		return r, err
	}
	w, err := t.world(ctx)
	if err != nil {
		return r, err
	}
	r.Bot = t.bot.status(fewLines)
	for _, u := range w.Users {
		r.Users = append(r.Users, named(u.Username, u.ID))
	}
	r.Users, r.LeftOut = few(r.Users, maxNames, r.LeftOut)
	for i := range w.Guilds {
		g := &w.Guilds[i]
		if in.Guild != "" && in.Guild != g.Name && in.Guild != g.ID.String() {
			continue
		}
		p := place{ID: g.ID.String(), Name: g.Name, Members: len(g.Members)}
		for j := range g.Channels {
			p.Channels = append(p.Channels, named(g.Channels[j].Name, g.Channels[j].ID))
		}
		for j := range g.Roles {
			p.Roles = append(p.Roles, named(g.Roles[j].Name, g.Roles[j].ID))
		}
		p.Channels, r.LeftOut = few(p.Channels, maxNames, r.LeftOut)
		p.Roles, r.LeftOut = few(p.Roles, maxNames, r.LeftOut)
		r.Guilds = append(r.Guilds, p)
	}
	r.Guilds, r.LeftOut = few(r.Guilds, maxGuilds, r.LeftOut)
	return r, nil
}

// few returns the first n items, and adds the number of the others to left.
func few[T any](list []T, n, left int) ([]T, int) {
	if len(list) <= n {
		return list, left
	}
	return list[:n], left + len(list) - n
}

// applications returns the applications of the service.
func (t *Toolbox) applications(ctx context.Context) ([]appStatus, error) {
	v, err := t.ask(ctx, http.MethodGet, "/_dev/applications", "", nil)
	if err != nil {
		return nil, err
	}
	var list []appStatus
	for _, a := range v.Items() {
		state := a.Get("status")
		list = append(list, appStatus{a.Get("id").Text(), a.Get("name").Text(), state.Get("state").Text(), state.Get("detail").Text()})
	}
	return list, nil
}

// world reads the world of the service.
func (t *Toolbox) world(ctx context.Context) (world.World, error) {
	text, err := t.worldService().Export(ctx)
	if err != nil {
		return world.World{}, err
	}
	return world.Parse("world of the service", text)
}

func (t *Toolbox) worldService() worldapply.Service { return worldapply.Service{Root: t.Service} }

// userID returns the id of a user, who has an id or a username.
func (t *Toolbox) userID(ctx context.Context, name string) (string, error) {
	if isID(name) {
		return name, nil
	}
	w, err := t.world(ctx)
	if err != nil {
		return "", err
	}
	for _, u := range w.Users {
		if u.Username == name {
			return u.ID.String(), nil
		}
	}
	return "", fmt.Errorf("there is no user %q: status lists the users", name)
}

// channelID returns the id of a channel, which has an id, or the names of guild and channel with a slash between.
func (t *Toolbox) channelID(ctx context.Context, name string) (string, error) {
	if isID(name) {
		return name, nil
	}
	w, err := t.world(ctx)
	if err != nil {
		return "", err
	}
	for i := range w.Guilds {
		for j := range w.Guilds[i].Channels {
			if c := &w.Guilds[i].Channels[j]; w.Guilds[i].Name+"/"+c.Name == name {
				return c.ID.String(), nil
			}
		}
	}
	return "", fmt.Errorf("there is no channel %q: status lists the channels", name)
}

func isID(text string) bool {
	_, err := snowflake.Parse[snowflake.Message](text)
	return err == nil
}

type worldText struct {
	World string `json:"world" jsonschema:"a world file: YAML or JSON with users, applications, guilds, user_installs"`
}

type worldChange struct {
	Created   []string          `json:"created" jsonschema:"records"`
	Changed   []string          `json:"changed" jsonschema:"records"`
	Unchanged int               `json:"unchanged" jsonschema:"number of records"`
	LeftOut   int               `json:"left_out,omitempty" jsonschema:"how many names are not listed"`
	BotTokens map[string]string `json:"bot_tokens,omitempty" jsonschema:"new tokens by application id; start_bot gives the bot its token by itself"`
}

func (t *Toolbox) applyWorld(ctx context.Context, in worldText) (r worldChange, err error) {
	f, err := world.Open("world", []byte(in.World))
	if err != nil {
		return r, err
	}
	done, err := t.worldService().Apply(ctx, f, []byte(in.World), nil)
	if err != nil {
		return r, err
	}
	r.Created, r.LeftOut = few(done.Created, maxNames, 0)
	r.Changed, r.LeftOut = few(done.Changed, maxNames, r.LeftOut)
	r.Unchanged = done.Unchanged + done.Records
	for app, token := range done.BotTokens {
		if r.BotTokens == nil {
			r.BotTokens = map[string]string{}
		}
		r.BotTokens[app.String()] = token
	}
	return r, nil
}

// maxWorld bounds the text of read_world.
const maxWorld = 64 << 10

func (t *Toolbox) readWorld(ctx context.Context, _ none) (worldText, error) {
	text, err := t.worldService().Export(ctx)
	if err == nil && len(text) > maxWorld {
		err = fmt.Errorf("the world has %d bytes, which is too much for one answer: use status with a guild, or bellhop world export --base-url %s", len(text), t.Service)
	}
	return worldText{string(text)}, err
}

type resetResult struct {
	Now time.Time `json:"now"`
}

func (t *Toolbox) resetWorld(ctx context.Context, _ none) (r resetResult, err error) {
	if err := t.dev().Reset(ctx); err != nil {
		return r, err
	}
	t.seen.clear()
	r.Now, err = t.dev().Now(ctx)
	return r, err
}

type clockMove struct {
	Advance string `json:"advance,omitempty" jsonschema:"how far, such as 90s, 15m or 24h; empty: only read the clock"`
}

type clockResult struct {
	Now time.Time `json:"now"`
	Due []string  `json:"due,omitempty" jsonschema:"what falls due next: a lobby or an interaction with its id, and the time until then"`
}

// maxDue bounds the list of what falls due.
const maxDue = 10

func (t *Toolbox) moveClock(ctx context.Context, in clockMove) (r clockResult, err error) {
	if in.Advance == "" {
		r.Now, err = t.dev().Now(ctx)
	} else {
		by, wrong := time.ParseDuration(in.Advance)
		if wrong != nil {
			return r, errors.New(`advance: want a duration such as "90s", "15m" or "24h"`)
		}
		r.Now, err = t.dev().Advance(ctx, by)
	}
	if err != nil {
		return r, err
	}
	due, err := t.ask(ctx, http.MethodGet, "/_dev/due", "", nil)
	if err != nil {
		return r, err
	}
	for i, d := range due.Items() {
		if i == maxDue {
			break
		}
		r.Due = append(r.Due, dueLine(d, r.Now))
	}
	return r, nil
}

func dueLine(d jsonbody.Value, now time.Time) string {
	line := d.Get("kind").Text() + " " + d.Get("id").Text()
	if at, err := time.Parse(time.RFC3339Nano, d.Get("at").Text()); err == nil {
		line += " in " + at.Sub(now).Round(time.Millisecond).String()
	}
	return line
}

// toValid removes the rest of a character that was cut.
func toValid(text string) string { return strings.ToValidUTF8(text, "") }
