package conformance

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// Target is the service that is checked.
type Target struct {
	BaseURL     string                // of the API, with its version
	BotToken    string                // without the word in front
	Application snowflake.Application // that the token belongs to
	Guild       snowflake.Guild       // that the application is installed in; 0: none
	// ClientToken is the application's own access token with the scope applications.commands.update; empty: none.
	ClientToken string
	// EditorToken is an access token with the scope applications.commands.permissions.update of a person who may manage
	// the guild and its roles; empty: none.
	EditorToken string
	Users       []snowflake.User // people that lobbies may take in
	AllowWrites bool
	AllowLoad   bool
	// Prefix is what the names of everything begin with that the run creates; empty: one of its own.
	Prefix string
	HTTP   *http.Client // nil: http.DefaultClient
}

// session is a target with what was found out about it.
type session struct {
	Target

	bot     *client.Client
	has     Needs
	lobbies map[string]bool // those that were made, by id
	global  command.Scope
	guild   command.Scope
	app     *app // nil until a check needs it
}

// patience is how long a call waits for a rate limit.
const patience = time.Minute

func open(ctx context.Context, target Target) (*session, error) {
	s := &session{
		Target: target, lobbies: map[string]bool{},
		global: command.Scope{Application: target.Application},
		guild:  command.Scope{Application: target.Application, Guild: target.Guild},
	}
	if s.Prefix == "" {
		s.Prefix = "conform" + strings.ToLower(rand.Text()[:4]) + "-"
	}
	s.bot = s.client("Bot " + s.BotToken)
	if _, err := s.bot.Commands(ctx, s.global); err != nil {
		return nil, fmt.Errorf("the service does not list the application's commands: %w", err)
	}
	s.meet(ctx)
	s.note(Writes, s.AllowWrites)
	s.note(Load, s.AllowLoad)
	s.note(Guild, s.Guild != 0)
	s.note(Editor, s.EditorToken != "" && s.Guild != 0)
	s.note(Client, s.ClientToken != "")
	s.note(People, len(s.Users) >= 2)
	return s, nil
}

func (s *session) note(n Needs, has bool) {
	if has {
		s.has |= n
	}
}

func (s *session) client(authorization string) *client.Client {
	return &client.Client{BaseURL: s.BaseURL, Authorization: authorization, HTTP: s.HTTP, Patience: patience}
}

// meet finds out what the caller did not say, as far as the service tells: who there is, whether the app has Activities,
// and whether dev controls can make tokens.
func (s *session) meet(ctx context.Context) {
	if app, err := s.bot.Application(ctx); err == nil {
		s.note(NoActivities, !app.Env(false).Embedded)
	}
	owner := s.people(ctx)
	if _, err := s.bot.Dev().Now(ctx); err != nil {
		return
	}
	s.note(Dev, true)
	if token, err := s.bot.Dev().MintToken(ctx, s.Application, 0); err == nil && s.ClientToken == "" {
		s.ClientToken = token.AccessToken
	}
	if owner == 0 || s.EditorToken != "" {
		return
	}
	if token, err := s.bot.Dev().MintToken(ctx, s.Application, owner, "applications.commands.permissions.update"); err == nil {
		s.EditorToken = token.AccessToken
	}
}

// people finds the owner of the guild and, unless the caller named users, some of its members.
func (s *session) people(ctx context.Context) (owner snowflake.User) {
	if s.Guild == 0 {
		return 0
	}
	var guild struct {
		Owner snowflake.User `json:"owner_id"`
	}
	if s.read(ctx, "/guilds/"+s.Guild.String(), nil, &guild) != nil {
		return 0
	}
	var members []struct {
		User struct {
			ID  snowflake.User `json:"id"`
			Bot bool           `json:"bot"`
		} `json:"user"`
	}
	if len(s.Users) == 0 && s.read(ctx, "/guilds/"+s.Guild.String()+"/members", url.Values{"limit": {"10"}}, &members) == nil {
		for _, m := range members {
			if !m.User.Bot {
				s.Users = append(s.Users, m.User.ID)
			}
		}
	}
	return guild.Owner
}

var errRefused = errors.New("refused")

// read reads what a service may or may not offer.
func (s *session) read(ctx context.Context, path string, query url.Values, out any) error {
	a, err := s.bot.Do(ctx, client.Request{Method: http.MethodGet, Path: path, Query: query})
	if err != nil {
		return err
	}
	if a.Status != http.StatusOK {
		return errRefused
	}
	return json.Unmarshal(a.Body, out)
}

// cleanUpTime is how long removing everything may take.
const cleanUpTime = time.Minute

// cleanUp removes everything that the run created.
func (s *session) cleanUp(ctx context.Context) error {
	if !s.AllowWrites {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, cleanUpTime)
	defer cancel()
	errs := []error{s.hangUp(ctx)}
	scopes := []command.Scope{s.global}
	if s.Guild != 0 {
		scopes = append(scopes, s.guild)
	}
	for _, scope := range scopes {
		var list []struct {
			ID   snowflake.Command `json:"id"`
			Name string            `json:"name"`
		}
		errs = append(errs, s.read(ctx, client.CommandsPath(scope), nil, &list))
		for _, c := range list {
			if !strings.HasPrefix(c.Name, s.Prefix) {
				continue
			}
			if err := s.bot.DeleteCommand(ctx, scope, c.ID); !client.IsStatus(err, http.StatusNotFound) {
				errs = append(errs, err)
			}
		}
	}
	for id := range s.lobbies {
		lobby, err := snowflake.Parse[snowflake.Lobby](id)
		if err != nil {
			continue // what has no id cannot be deleted
		}
		errs = append(errs, s.bot.Lobbies().Delete(ctx, lobby))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("not everything that the run created could be removed; its names begin with %q: %w", s.Prefix, err)
	}
	return nil
}
