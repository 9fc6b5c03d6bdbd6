package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Server is a service that a Runner uses. The fields are required.
type Server struct {
	// Secrets are the tokens that the service made. Those of the world are not among them.
	Secrets client.Secrets
	// Serve serves at a listener until ctx ends.
	Serve func(ctx context.Context, ln net.Listener) error
	// Close closes the service after Serve has returned.
	Close func(ctx context.Context) error
}

// Opener opens a service with a world and with dev controls, which keeps its data in a folder. limits says whether the
// rate limits of production apply.
type Opener func(ctx context.Context, w *world.World, folder string, limits bool) (*Server, error)

// service is the service of one scenario: a world and a clock of its own, at a free port.
type service struct {
	url        string
	world      world.World
	app        world.Application // the application that the app runs as; its id is 0 if the world has none
	http       *http.Client
	botTokens  map[snowflake.Application]string
	userTokens map[snowflake.User]string

	server *Server
	folder string
	cancel context.CancelFunc
	done   chan error
}

// openService starts a service with the world of a file.
func openService(ctx context.Context, f *File, open Opener) (_ *service, err error) {
	s := &service{world: f.world, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute}}}
	if len(s.world.Applications) > 0 {
		app, err := f.application()
		if err != nil {
			return nil, err
		}
		if f.App != nil && f.App.Builtin != "" {
			s.useBuiltin(app.ID)
		}
		s.app = *app
	}
	if s.folder, err = os.MkdirTemp("", "bellhop-test-"); err != nil {
		return nil, err
	}
	s.server, err = open(ctx, &s.world, s.folder, f.Limits)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.folder))
	}
	s.tokens()
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, s.server.Close(context.WithoutCancel(ctx)), os.RemoveAll(s.folder))
	}
	s.url = "http://" + ln.Addr().String()
	// The service outlives ctx: the app is stopped first.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel, s.done = cancel, make(chan error, 1)
	go func() { s.done <- s.server.Serve(running, ln) }()
	return s, nil
}

// useBuiltin lets an application have everything that the app Guesthouse uses.
func (s *service) useBuiltin(id snowflake.Application) {
	s.world.Applications = slices.Clone(s.world.Applications) // the scenarios of a file share the world
	for i := range s.world.Applications {
		if a := &s.world.Applications[i]; a.ID == id {
			a.Activities, a.IntegrationTypes = true, []int{0, 1}
		}
	}
}

// tokens collects the tokens of the world, and those that the service made.
func (s *service) tokens() {
	s.botTokens, s.userTokens = map[snowflake.Application]string{}, map[snowflake.User]string{}
	for _, a := range s.world.Applications {
		s.botTokens[a.ID] = a.BotToken
	}
	maps.Copy(s.botTokens, s.server.Secrets.BotTokens)
	for _, u := range s.world.Users {
		s.userTokens[u.ID] = u.Token
	}
	maps.Copy(s.userTokens, s.server.Secrets.UserTokens)
}

// close stops the service and deletes its data.
func (s *service) close(ctx context.Context) error {
	s.http.CloseIdleConnections()
	s.cancel()
	return errors.Join(<-s.done, s.server.Close(context.WithoutCancel(ctx)), os.RemoveAll(s.folder))
}

// client returns a client that sends the given Authorization header.
func (s *service) client(authorization string) *client.Client {
	return &client.Client{BaseURL: s.url + "/api/v10", Authorization: authorization, HTTP: s.http, MaxWait: -1}
}

// bot returns a client with the token of the app.
func (s *service) bot() *client.Client { return s.client("Bot " + s.botTokens[s.app.ID]) }

// user returns the user with an id or a username.
func (s *service) user(name string) (world.User, error) {
	var names []string
	for _, u := range s.world.Users {
		if u.Username == name || u.ID.String() == name {
			return u, nil
		}
		names = append(names, u.Username)
	}
	return world.User{}, fmt.Errorf("%s", unknown("user", name, names))
}
