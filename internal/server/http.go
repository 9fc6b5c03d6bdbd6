package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/admin"
	"github.com/bellhop/bellhop/internal/api/dev"
	"github.com/bellhop/bellhop/internal/api/files"
	"github.com/bellhop/bellhop/internal/api/oauth"
	v10 "github.com/bellhop/bellhop/internal/api/v10"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/prometheus/client_golang/prometheus"
)

// NewHandler joins the route tables and the error tables of all APIs. It sets the fields of cfg that connect the HTTP
// layer with the services. devAPI is nil without dev controls.
func NewHandler(
	cfg api.Config, s v10.Services, worlds *provision.Provisioner, oauthAPI *oauth.API, health *admin.Health, devAPI *dev.API,
) http.Handler {
	adminAPI := admin.API{
		Directory: s.Directory, Provision: worlds, Commands: s.Commands, Picker: s.Picker, Lobbies: s.Lobbies, Clock: cfg.Clock, Audit: cfg.Audit, LogLevel: cfg.LogLevel,
		Accounts: oauthAPI.Sessions.Accounts, AppStatus: s.Interactions.AppStatus, Health: health, Hooks: oauthAPI.Sessions.Hooks,
	}
	routes := slices.Concat(v10.Routes(s), files.Routes(s.Attachments, s.Images), oauthAPI.Routes(), adminAPI.Routes())
	if devAPI != nil {
		routes = slices.Concat(routes, devAPI.Routes())
		cfg.Dev = devAPI.HTTP()
	}
	cfg.Sessions, cfg.Public = oauthAPI.Sessions, oauthAPI.Sessions.Public
	cfg.Interactions, cfg.Webhooks, cfg.Seen = s.Interactions, s.Hooks, health.Seen
	cfg.Directory = accessDirectory{s.Directory}
	cfg.ReadForm = formReader(s.Attachments)
	cfg.Errors = slices.Concat(v10.Errors, oauth.Errors)
	cfg.ConvertErrors = []api.ErrorConverter{v10.ConvertError, oauth.ConvertError}
	return api.New(cfg, routes)
}

// accessDirectory answers the access checks of the HTTP layer.
type accessDirectory struct{ *directory.Directory }

// Application returns an application.
func (d accessDirectory) Application(ctx context.Context, id snowflake.Application) (*store.Application, error) {
	return d.Applications.Application(ctx, id)
}

// GuildOf returns the guild of a channel; 0 outside of guilds.
func (d accessDirectory) GuildOf(ctx context.Context, channel snowflake.Channel) (snowflake.Guild, error) {
	found, err := d.Channels.Channel(ctx, channel)
	if err != nil {
		return 0, err
	}
	return found.Guild, nil
}

// HasCommandsIn reports whether an application is installed in a guild with the scope applications.commands.
func (d accessDirectory) HasCommandsIn(ctx context.Context, guild snowflake.Guild, app snowflake.Application) (bool, error) {
	install, err := d.Guilds.Install(ctx, guild, app)
	if errors.Is(err, directory.ErrNotInstalled) {
		return false, nil
	}
	return auth.Allows(install.Scopes, auth.ScopeCommands), err
}

// IsMember reports whether a user is a member of a guild.
func (d accessDirectory) IsMember(ctx context.Context, guild snowflake.Guild, user snowflake.User) (bool, error) {
	_, err := d.Guilds.Member(ctx, guild, user)
	if errors.Is(err, directory.ErrUnknownMember) {
		return false, nil
	}
	return err == nil, err
}

// formReader returns the function with which the HTTP layer reads forms with files.
func formReader(files *attachments.Files) func(*http.Request, func(int) error) (*api.Form, error) {
	return func(r *http.Request, hold func(int) error) (*api.Form, error) {
		if r.ContentLength > attachments.MaxForm {
			return nil, attachments.ErrFormTooLarge
		}
		f, err := files.ReadForm(r.Body, r.Header.Get("Content-Type"), hold)
		if err != nil {
			return nil, err
		}
		form := &api.Form{Payload: f.Payload, Close: f.Close}
		for _, u := range f.Files {
			form.Files = append(form.Files, api.Upload{
				Index: u.Index, Name: u.Name, ContentType: u.ContentType, Size: u.Size,
				Width: u.Width, Height: u.Height, Open: u.Open,
			})
		}
		return form, nil
	}
}

// buildHandler builds the remaining services and the handler of all APIs.
func (s *Server) buildHandler(cfg Config, origins *api.Origins) (_ http.Handler, err error) {
	if cfg.Dev {
		s.dev = &dev.API{Traffic: dev.Traffic{Log: cfg.Traffic}, Gate: &api.DevGate{Token: cfg.DevToken, Proxies: cfg.Limits.Proxies, Base: api.BasePath(cfg.PublicURL)}}
	}
	counters := ratelimit.NewMemory(cfg.Limits.Keys, s.clock.Now())
	m := s.figures
	m.Register(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "bellhop_log_dropped_lines_total", Help: "Lines of the log that were lost because the log was not read fast enough.",
	}, func() float64 {
		if cfg.LogDropped == nil {
			return 0
		}
		return float64(cfg.LogDropped())
	}))
	if cfg.MetricsListener != nil {
		s.metrics = newMetricsServer(cfg.MetricsListener, m.CachedHandler(s.wall), s.log)
	}
	s.buildDispatch(cfg, m)
	limits := newLimits(cfg.Limits, s.limiter(counters), s.clock.Now())
	limits.Bodies = ratelimit.NewBudget(splitMemory(cfg.Memory).bodies)
	if s.shared != nil {
		m.Register(s.shared.collectors()...)
	} else if db, ok := s.store.(*sqlite.DB); ok {
		m.Register(db.Collectors()...)
	}
	s.buildGateway(cfg, limits, m)
	pace := ratelimit.NewPace(&cfg.Limits, s.clock.Now())
	if s.dev != nil {
		s.connectDev(cfg, counters, limits.Edge, pace)
	}
	if cfg.Registry != nil {
		if s.unregister, err = m.RegisterWith(cfg.Registry); err != nil {
			return nil, err
		}
	}
	return NewHandler(api.Config{
		Store: s.store, Ready: s.ready, Cache: s.cache, Tokens: s.tokens, Clock: s.clock, Wall: s.wall, Limits: limits, Metrics: m, Tracer: s.tracer, LogLevel: cfg.LogLevel, Origins: origins, WriteTimeout: cfg.WriteTimeout, NoMetrics: s.metrics != nil,
		Log: cfg.Log.With("part", "api"), Version: cfg.Version, Audit: s.audit,
	}, v10.Services{
		Directory: s.directory, Commands: s.commands, Picker: s.picker, Lobbies: s.lobbies, Interactions: s.dispatch, Messages: s.messages, Hooks: s.hooks, Channels: s.channels, Invites: s.invites, Threads: s.threads, Polls: s.polls, Guilds: s.guilds, Premium: s.premium, Connections: s.connections,
		Permissions: &permissions.Editor{Store: s.store, Commands: s.commands, Clock: s.clock, Audit: s.audit},
		Attachments: s.attachments, Images: s.images, Webhooks: s.webhooks, Gateway: s.gateway, Sealer: s.sealer, Now: s.clock.Now, IDs: s.lease.ids,
	}, s.provision, &oauth.API{OAuth: s.oauth, Sessions: s.browserSessions(cfg), Directory: s.directory, Players: s.players, Limits: &limits.Guard, Pace: pace}, s.health, s.dev), nil
}

// connectDev connects the dev controls with the services.
func (s *Server) connectDev(cfg Config, counters *ratelimit.Memory, edge *ratelimit.Edge, pace *ratelimit.Pace) {
	s.dev.Directory, s.dev.Picker, s.dev.Interactions, s.dev.Gateway, s.dev.Sealer = s.directory, s.picker, s.dispatch, s.gateway, s.sealer
	s.dev.Clock, s.dev.Lobbies, s.dev.Messages, s.dev.Polls, s.dev.Guilds, s.dev.Provision = s.movable, s.lobbies, s.messages, s.polls, s.guilds, s.provision
	s.dev.Premium = s.premium
	if cfg.World != nil {
		s.dev.Start = *cfg.World
	}
	s.dev.Restored = cfg.Restored
	s.dev.BeforeMove = func(ctx context.Context, d time.Duration) error {
		if err := s.lobbies.WaitUntilRunning(ctx); err != nil {
			return err
		}
		for _, wait := range []func(context.Context) error{
			s.threads.WaitUntilRunning, s.invites.WaitUntilRunning, s.outbox.WaitUntilRunning, s.polls.WaitUntilRunning, s.schedule.WaitUntilRunning, s.premium.WaitUntilRunning,
		} {
			if err := wait(ctx); err != nil {
				return err
			}
		}
		return s.lease.extend(ctx, d)
	}
	s.dev.AfterReset = func() {
		s.gateway.ForgetPresences()
		s.dispatch.Reset()
		s.health.Clear()
		counters.Clear()
		edge.Clear()
		pace.Clear()
	}
}

// newLimits returns the limits of a policy.
func newLimits(p ratelimit.Policy, limiter ratelimit.Limiter, now time.Time) api.Limits {
	return api.Limits{
		Edge: ratelimit.NewEdge(p.Edge, now), Gate: ratelimit.NewGate(p.Gate),
		Guard: ratelimit.Guard{Policy: &p, Limiter: limiter},
	}
}
