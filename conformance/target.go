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

// Target is the service to check. BaseURL, BotToken and Application are required. Run skips the checks that need one of
// the other fields if the field is empty. On a Bellhop with dev controls, Run creates the missing tokens itself.
type Target struct {
	BaseURL     string                // the API address with its version, such as http://127.0.0.1:8080/api/v10
	BotToken    string                // without the prefix Bot
	Application snowflake.Application // the application of the token
	Guild       snowflake.Guild       // a guild in which the application is installed
	// ClientToken is a client-credentials token of the application with the scope applications.commands.update.
	ClientToken string
	// EditorToken is an access token with the scope applications.commands.permissions.update, of a user who can manage
	// the guild and its roles.
	EditorToken string
	Users       []snowflake.User // users for lobby checks; if empty, members of the guild
	AllowWrites bool             // allows checks that create, change and delete records
	AllowLoad   bool             // allows checks that send hundreds of requests, use up daily limits and move the clock of dev controls
	// Prefix starts the names of everything that the run creates. Empty means a random prefix.
	Prefix string
	HTTP   *http.Client // nil means http.DefaultClient
}

// session is a run against a target.
type session struct {
	Target

	bot     *client.Client
	has     Needs
	lobbies map[string]bool // ids of the lobbies that the run created
	// messages are the paths of the messages that the run created.
	messages map[string]bool
	channels map[string]bool // the paths of the channels that the run created
	rooms    map[int]string  // the channels that checks share, by their type
	global   command.Scope
	guild    command.Scope
	app      *app   // nil until a check invokes a command
	soldSKU  string // an offer of the application; empty: none
}

// maxWait is the longest time that a request waits for a rate limit.
const maxWait = time.Minute

func open(ctx context.Context, target Target) (*session, error) {
	s := &session{
		Target: target, lobbies: map[string]bool{}, messages: map[string]bool{}, channels: map[string]bool{}, rooms: map[int]string{},
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
	s.discover(ctx)
	s.provide(Writes, s.AllowWrites)
	s.provide(Load, s.AllowLoad)
	s.provide(Guild, s.Guild != 0)
	s.provide(Editor, s.EditorToken != "" && s.Guild != 0)
	s.provide(Client, s.ClientToken != "")
	s.provide(Users, len(s.Users) >= 2)
	s.provide(Manager, s.managesGuild(ctx))
	return s, nil
}

func (s *session) provide(n Needs, has bool) {
	if has {
		s.has |= n
	}
}

func (s *session) client(authorization string) *client.Client {
	return &client.Client{BaseURL: s.BaseURL, Authorization: authorization, HTTP: s.HTTP, MaxWait: maxWait}
}

// discover finds what the caller did not provide: users, whether the app has Activities, and, through dev controls, tokens.
func (s *session) discover(ctx context.Context) {
	if app, err := s.bot.Application(ctx); err == nil {
		s.provide(NoActivities, !app.Env(false).Embedded)
		s.provide(Activities, app.Env(false).Embedded)
	}
	s.discoverOffer(ctx)
	owner := s.discoverUsers(ctx)
	if _, err := s.bot.Dev().Now(ctx); err != nil {
		return
	}
	s.provide(Dev, true)
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

// discoverOffer finds a SKU of the application that users can have: no subscription group.
func (s *session) discoverOffer(ctx context.Context) {
	const group = 6
	var list []struct {
		ID   string `json:"id"`
		Type int    `json:"type"`
	}
	if s.get(ctx, "/applications/"+s.Application.String()+"/skus", nil, &list) != nil {
		return
	}
	for _, sku := range list {
		if sku.Type != group && s.soldSKU == "" {
			s.soldSKU = sku.ID
		}
	}
	s.provide(Seller, s.soldSKU != "")
}

// discoverUsers returns the owner of the guild. Unless the caller provided users, it sets Users to members of the guild.
func (s *session) discoverUsers(ctx context.Context) (owner snowflake.User) {
	if s.Guild == 0 {
		return 0
	}
	var guild struct {
		Owner snowflake.User `json:"owner_id"`
	}
	if s.get(ctx, "/guilds/"+s.Guild.String(), nil, &guild) != nil {
		return 0
	}
	var members []struct {
		User struct {
			ID  snowflake.User `json:"id"`
			Bot bool           `json:"bot"`
		} `json:"user"`
	}
	if len(s.Users) == 0 && s.get(ctx, "/guilds/"+s.Guild.String()+"/members", url.Values{"limit": {"10"}}, &members) == nil {
		for _, m := range members {
			if !m.User.Bot {
				s.Users = append(s.Users, m.User.ID)
			}
		}
	}
	return guild.Owner
}

var errRefused = errors.New("refused")

// get reads an optional resource of the service. It returns errRefused for any status but 200.
func (s *session) get(ctx context.Context, path string, query url.Values, out any) error {
	a, err := s.bot.Do(ctx, client.Request{Method: http.MethodGet, Path: path, Query: query})
	if err != nil {
		return err
	}
	if a.Status != http.StatusOK {
		return errRefused
	}
	return json.Unmarshal(a.Body, out)
}

// remove deletes a message or a channel, unless a check did.
func (s *session) remove(ctx context.Context, path string) error {
	a, err := s.bot.Do(ctx, client.Request{Method: http.MethodDelete, Path: path})
	if err == nil && a.Status != http.StatusOK && a.Status != http.StatusNoContent && a.Status != http.StatusNotFound {
		err = fmt.Errorf("DELETE %s: %d", path, a.Status)
	}
	return err
}

// cleanUpTime is the timeout of the cleanup.
const cleanUpTime = time.Minute

// cleanUp deletes everything that the run created and restores the application's endpoint.
func (s *session) cleanUp(ctx context.Context) error {
	if !s.AllowWrites {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, cleanUpTime)
	defer cancel()
	errs := []error{s.restoreEndpoint(ctx)}
	scopes := []command.Scope{s.global}
	if s.Guild != 0 {
		scopes = append(scopes, s.guild)
	}
	for _, scope := range scopes {
		var list []struct {
			ID   snowflake.Command `json:"id"`
			Name string            `json:"name"`
		}
		errs = append(errs, s.get(ctx, client.CommandsPath(scope), nil, &list))
		for _, c := range list {
			if !strings.HasPrefix(c.Name, s.Prefix) {
				continue
			}
			if err := s.bot.DeleteCommand(ctx, scope, c.ID); !client.IsStatus(err, http.StatusNotFound) {
				errs = append(errs, err)
			}
		}
	}
	for _, paths := range []map[string]bool{s.messages, s.channels} {
		for path := range paths {
			errs = append(errs, s.remove(ctx, path))
		}
	}
	for id := range s.lobbies {
		lobby, err := snowflake.Parse[snowflake.Lobby](id)
		if err != nil {
			continue // the service returned no valid id
		}
		errs = append(errs, s.bot.Lobbies().Delete(ctx, lobby))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("cleanup failed; delete the records whose names start with %q: %w", s.Prefix, err)
	}
	return nil
}
