package bellhoptest

import (
	"maps"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/snowflake"
)

// BotToken returns the bot token of an application, without the prefix Bot.
func (s *Server) BotToken(app snowflake.Application) string { return s.bots[app] }

// UserToken returns the token of a user.
func (s *Server) UserToken(user snowflake.User) string { return s.keys[user] }

// Bot returns a client with the bot token of an application.
func (s *Server) Bot(app snowflake.Application) *client.Client { return s.client("Bot " + s.bots[app]) }

// User returns a client with the token of a user.
func (s *Server) User(user snowflake.User) *client.Client { return s.client(s.keys[user]) }

// Bearer returns a client with an access token of an application for a user. User 0 means a client-credentials token.
// Without scopes, the service chooses them; see docs/dev.md.
func (s *Server) Bearer(t testing.TB, app snowflake.Application, user snowflake.User, scopes ...string) *client.Client {
	t.Helper()
	token, err := s.client("").Dev().MintToken(t.Context(), app, user, scopes...)
	if err != nil {
		t.Fatal(err)
	}
	return s.client("Bearer " + token.AccessToken)
}

// Invoke invokes a command as a user and returns the app's answer. as is the id or username of the user. in is the id of
// the channel, or the names of guild and channel, such as "Lab/general". line is the text that the user types, such as
// "/roll sides:6". If the service rejects the invocation, Invoke ends the test.
func (s *Server) Invoke(t testing.TB, as, in, line string) client.Outcome {
	t.Helper()
	return s.Use(t, client.Invocation{As: as, In: in, Command: line})
}

// Use is like Invoke, with all options of an invocation.
func (s *Server) Use(t testing.TB, use client.Invocation) client.Outcome {
	t.Helper()
	outcome, err := s.client("").Dev().Invoke(t.Context(), use)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

// Autocomplete returns the choices that the app suggests for an option. line is the text typed so far.
func (s *Server) Autocomplete(t testing.TB, as, in, line, option string) []client.Suggestion {
	t.Helper()
	return s.Use(t, client.Invocation{As: as, In: in, Command: line, Autocomplete: option}).Choices
}

// Advance advances the service's clock and returns the new time. When it returns, everything that was due has happened.
func (s *Server) Advance(t testing.TB, by time.Duration) time.Time {
	t.Helper()
	now, err := s.client("").Dev().Advance(t.Context(), by)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// Now returns the service's time.
func (s *Server) Now(t testing.TB) time.Time {
	t.Helper()
	now, err := s.client("").Dev().Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// Reset returns the service to the world that it started with.
func (s *Server) Reset(t testing.TB) {
	t.Helper()
	if err := s.client("").Dev().Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Lobby returns a lobby of any application of the world, or nil when there is none.
func (s *Server) Lobby(t testing.TB, id snowflake.Lobby) *client.Lobby {
	t.Helper()
	for _, app := range s.World.Applications {
		found, err := s.Bot(app.ID).Lobbies().Get(t.Context(), id)
		if err == nil {
			return &found
		}
		if !client.IsStatus(err, http.StatusNotFound) {
			t.Fatal(err)
		}
	}
	return nil
}

// Fault adds a fault, which stays until Reset or ClearFaults, and returns it with its id.
func (s *Server) Fault(t testing.TB, f client.Fault) client.Fault {
	t.Helper()
	added, err := s.client("").Dev().AddFault(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

// ClearFaults removes all faults.
func (s *Server) ClearFaults(t testing.TB) {
	t.Helper()
	if err := s.client("").Dev().ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Requests returns up to 1000 recorded requests, deliveries and gateway frames, newest first. filter has the query parameters
// of GET /_dev/requests, such as kind=delivery or status=4xx; nil means no filter.
func (s *Server) Requests(t testing.TB, filter url.Values) []client.Exchange {
	t.Helper()
	query := maps.Clone(filter)
	if query == nil {
		query = url.Values{}
	}
	if !query.Has("limit") {
		query.Set("limit", "1000")
	}
	list, err := s.client("").Dev().Requests(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
