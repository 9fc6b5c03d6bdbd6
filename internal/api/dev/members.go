package dev

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/presence"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

func (a *API) memberRoutes() []api.Route {
	return []api.Route{
		route(http.MethodPost, "/members", "members", "Join or leave a guild as a person, change the nickname there, set the presence, join a voice channel, or be interested in an event.",
			"DevMember", map[int]string{200: "DevMemberState"}, a.member),
	}
}

// memberAction is an action of a person in a guild. It has one verb.
type memberAction struct {
	as    string // id or username of the person
	guild string // id or name
	verb  string // the member of the request that asks for the action
	value jsonbody.Value
}

// memberVerbs are the actions of a person in a guild, by the member of the request that asks for them.
var memberVerbs = []string{"join", "leave", "nick", "presence", "voice", "interested", "uninterested"}

// member does what a person does in a guild.
func (a *API) member(c *api.Call) error {
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	action := readMemberAction(&t, body)
	if t.Failed() {
		return t.Err()
	}
	viewer, guild, err := a.findMember(c.Context(), action.as, action.guild)
	if err == nil {
		err = a.actInGuild(c.Context(), viewer, guild, &action)
	}
	if err != nil {
		return atField(err)
	}
	return a.answerMember(c, guild, viewer.User)
}

// readMemberAction reads what a person does in a guild.
func readMemberAction(t *jsonbody.Tree, body jsonbody.Value) memberAction {
	body, _ = jsonbody.AsObject(t, body)
	m := memberAction{as: readText(t, body, "as", true), guild: readText(t, body, "guild", true)}
	for _, verb := range memberVerbs {
		v := body.Get(verb)
		if v.Kind() == jsonbody.Absent || (verb == "join" || verb == "leave") && !jsonbody.IsTrue(body, verb) {
			continue
		}
		if m.verb != "" {
			t.At(verb).Add(notUnderstood, fmt.Sprintf("one request does one thing, and this one has %q too", m.verb))
		}
		m.verb, m.value = verb, v
	}
	if m.verb == "" && !t.Failed() {
		t.Add(notUnderstood, `say what the person does: "join", "leave", "nick", "presence", "voice", "interested" or "uninterested"`)
	}
	return m
}

// actInGuild does the action. The error is an *InvocationError, or the error with which the service refuses the action.
func (a *API) actInGuild(ctx context.Context, viewer directory.Viewer, guild snowflake.Guild, m *memberAction) error {
	switch m.verb {
	case "join":
		return a.Guilds.Join(ctx, guild, viewer.User)
	case "leave":
		return a.Guilds.Leave(ctx, viewer, guild)
	case "presence":
		return a.setPresence(ctx, viewer.User, guild, m.value)
	case "voice":
		return a.joinVoice(ctx, viewer.User, guild, m.value)
	case "interested", "uninterested":
		return a.setInterest(ctx, viewer, guild, m)
	default:
		_, err := a.Guilds.EditOwn(ctx, viewer, guild, jsonbody.ObjectOf(jsonbody.Member{Name: "nick", Value: m.value}))
		return err
	}
}

// setInterest makes a member interested in a scheduled event, or no longer so.
func (a *API) setInterest(ctx context.Context, viewer directory.Viewer, guild snowflake.Guild, m *memberAction) error {
	event, err := a.Guilds.FindEvent(ctx, viewer, guild, m.value.Text())
	if errors.Is(err, apierror.UnknownEvent) {
		return &InvocationError{m.verb, fmt.Sprintf("%q is not the name or the id of an event that has not ended", m.value.Text())}
	}
	if err != nil {
		return err
	}
	return a.Guilds.SetInterest(ctx, viewer, guild, event, m.verb == "interested")
}

// setPresence sets the presence of a member, whatever the sessions of the user say: a status, or an object with status and activities.
func (a *API) setPresence(ctx context.Context, user snowflake.User, guild snowflake.Guild, v jsonbody.Value) error {
	if _, err := a.Directory.Guilds.MemberWithUser(ctx, guild, user); err != nil {
		return err
	}
	var update presence.Update
	if v.Kind() == jsonbody.String {
		update.Status = presence.Status(v.Text())
	} else if err := json.Unmarshal(wire.AppendValue(nil, v), &update); err != nil || v.Kind() != jsonbody.Object {
		return &InvocationError{"presence", `expected a status such as "idle", or an object with status and activities`}
	}
	p, err := update.Show(false, a.Clock.Now())
	if err != nil {
		return &InvocationError{"presence", fmt.Sprintf("no status is called %q%s", update.Status, suggestion(string(update.Status), statusNames()))}
	}
	a.Gateway.SetPresence(user, p)
	return nil
}

// joinVoice makes a member join a voice channel or, with null, leave it.
func (a *API) joinVoice(ctx context.Context, user snowflake.User, guild snowflake.Guild, v jsonbody.Value) error {
	if _, err := a.Directory.Guilds.MemberWithUser(ctx, guild, user); err != nil {
		return err
	}
	if !v.IsSet() {
		return a.Gateway.JoinVoice(ctx, guild, user, 0)
	}
	channel, err := (&manage.Finder{Directory: a.Directory}).Channel(ctx, v.Text())
	if err == nil {
		err = a.Gateway.JoinVoice(ctx, guild, user, channel)
	}
	if errors.Is(err, directory.ErrUnknownChannel) {
		return a.unknownVoice(ctx, guild, v.Text())
	}
	return err
}

// unknownVoice returns an error that suggests a voice channel of a guild with a similar name.
func (a *API) unknownVoice(ctx context.Context, guild snowflake.Guild, name string) error {
	g, err := a.Directory.Guilds.State(ctx, guild)
	if err != nil {
		return err
	}
	channels, err := a.Directory.Guilds.Channels(ctx, guild)
	if err != nil {
		return err
	}
	var names []string
	for _, c := range channels {
		if c.Type == world.VoiceChannel || c.Type == world.StageChannel {
			names = append(names, g.Name+"/"+c.Name)
		}
	}
	return &InvocationError{"voice", fmt.Sprintf("no voice channel of the guild is called %q%s", name, suggestion(name, names))}
}

func statusNames() []string {
	var names []string
	for _, s := range presence.Statuses() {
		names = append(names, string(s))
	}
	return names
}

// answerMember answers with the member, or null for a user who is not a member.
func (a *API) answerMember(c *api.Call, guild snowflake.Guild, user snowflake.User) error {
	var answer struct {
		Member *wire.Member `json:"member"`
	}
	m, err := a.Directory.Guilds.MemberWithUser(c.Context(), guild, user)
	if err == nil {
		answer.Member = &m
	} else if !errors.Is(err, directory.ErrUnknownMember) {
		return err
	}
	return c.Value(http.StatusOK, answer)
}

// findMember returns the person and the guild with the given names. A bot is no person.
func (a *API) findMember(ctx context.Context, as, in string) (directory.Viewer, snowflake.Guild, error) {
	viewer, err := a.findUser(ctx, as)
	if err != nil {
		return viewer, 0, err
	}
	guild, err := (&manage.Finder{Directory: a.Directory}).Guild(ctx, in)
	if errors.Is(err, directory.ErrUnknownGuild) {
		return viewer, 0, a.unknownGuild(ctx, in)
	}
	return viewer, guild, err
}

// findUser returns the person with an id or a username. A bot is no person.
func (a *API) findUser(ctx context.Context, as string) (directory.Viewer, error) {
	user, err := (&manage.Finder{Directory: a.Directory}).User(ctx, as)
	if errors.Is(err, directory.ErrUnknownUser) {
		return directory.Viewer{}, a.unknownUser(ctx, as)
	}
	if err != nil {
		return directory.Viewer{}, err
	}
	if user.Bot {
		return directory.Viewer{}, &InvocationError{"as", fmt.Sprintf("%q is a bot, and only people act here", as)}
	}
	return directory.Viewer{User: user.ID}, nil
}

// unknownGuild returns an error that suggests a similar name of a guild.
func (a *API) unknownGuild(ctx context.Context, name string) error {
	page, err := a.Directory.Guilds.List(ctx, 0, maxNames)
	if err != nil {
		return err
	}
	names := make([]string, len(page))
	for i, g := range page {
		names[i] = g.Name
	}
	return &InvocationError{"guild", fmt.Sprintf("no guild is called %q%s", name, suggestion(name, names))}
}
