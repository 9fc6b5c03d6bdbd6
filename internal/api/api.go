// Package api is the HTTP layer that all APIs share. It finds the route of a request, authenticates the caller,
// applies rate limits, reads the body, and writes results and errors. One table of routes feeds the mux, the access
// checks, the metrics and /openapi.json. Packages api/v10, api/oauth, api/admin and api/dev hold the route tables and the
// error tables; package server joins them. This package knows the services only through interfaces.
package api

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
)

// Config has the services and settings that all routes share. All fields are required, except Dev and those of routes
// that the table lacks.
type Config struct {
	Store store.Store
	// Ready returns nil if the service can read and write; nil: the store is asked.
	Ready func(context.Context) error
	Cache *cache.Cache
	// Tokens authenticates callers by their tokens.
	Tokens *auth.Authenticator
	// Seen is called for each request with an app's own bot token, but not with one that an operator issued for a while;
	// nil: no call.
	Seen func(app snowflake.Application)
	// Sessions authenticates people by the cookies of their browsers.
	Sessions Sessions
	// Interactions authenticates apps by the tokens of interactions.
	Interactions Interactions
	Webhooks     Webhooks
	// Directory answers the questions of the access checks.
	Directory Directory
	// ReadForm reads a multipart body. It calls hold with the number of bytes that it keeps in memory, and returns its error. The
	// caller closes the form.
	ReadForm func(r *http.Request, hold func(n int) error) (*Form, error)

	Clock   clock.Clock // time of the service; dev controls can move it
	Wall    clock.Clock // time of the machine, which measures requests
	Limits  Limits
	Origins *Origins // nil: the zero value
	// WriteTimeout bounds how long a client may take to read a response; 0: one minute.
	WriteTimeout time.Duration
	Metrics      *metrics.Metrics
	// Tracer makes a trace of each request. nil: none.
	Tracer *metrics.Tracer
	// LogLevel is the level of the log, for the admin API. nil: it cannot be changed.
	LogLevel *slog.LevelVar
	// NoMetrics says that the metrics are served elsewhere.
	NoMetrics bool
	Log       *slog.Logger // with LogRequestIDs, so that each line names its request
	Version   string       // of the program, for /openapi.json
	// Audit gets the calls with wrong tokens of operators. It may be nil.
	Audit *audit.Log
	// Public returns the URL at which browsers reach the service; nil: it is not known.
	Public func() string
	Dev    *Dev // nil: no dev controls

	// Errors says how errors are answered, in addition to the errors of this package.
	Errors []ErrorReply
	// ConvertErrors answer errors that carry data. The first one that returns true wins.
	ConvertErrors []ErrorConverter
}

// Sessions finds the user of a browser.
type Sessions interface {
	// SignedIn returns the user who has signed in at the browser that sent r, or 0.
	SignedIn(r *http.Request) (snowflake.User, error)
}

// Interactions finds the interaction of a token.
type Interactions interface {
	// Holder returns the application and the interaction that a token belongs to. It returns false for unknown tokens.
	Holder(ctx context.Context, token string) (snowflake.Application, snowflake.Interaction, bool, error)
}

// Webhooks finds the webhook of a token.
type Webhooks interface {
	// Holds reports whether a token belongs to a webhook of a channel.
	Holds(ctx context.Context, id snowflake.Webhook, token string) (bool, error)
}

// Directory answers what the access checks ask about applications and guilds.
type Directory interface {
	Application(ctx context.Context, id snowflake.Application) (*store.Application, error)
	// HasCommandsIn reports whether an application is installed in a guild with the scope applications.commands.
	HasCommandsIn(ctx context.Context, guild snowflake.Guild, app snowflake.Application) (bool, error)
	// GuildOf returns the guild of a channel; 0 outside of guilds.
	GuildOf(ctx context.Context, channel snowflake.Channel) (snowflake.Guild, error)
	// IsMember reports whether a user is a member of a guild.
	IsMember(ctx context.Context, guild snowflake.Guild, user snowflake.User) (bool, error)
}

// New returns the handler of all paths: those of routes, and those that describe the service itself.
func New(cfg Config, routes []Route) http.Handler {
	h := &handler{Config: cfg, mux: http.NewServeMux(), first: http.NewServeMux()}
	h.WriteTimeout = cmp.Or(h.WriteTimeout, time.Minute)
	if h.Origins == nil {
		h.Origins = &Origins{}
	}
	byPath := map[string]*endpoint{}
	for _, r := range h.withSystem(routes) {
		bound := boundRoute{r, h.Metrics.Route(r.Path, r.Method), h.Log.With("method", r.Method, "route", r.Path)}
		for _, base := range r.bases() {
			e, ok := byPath[base+r.Path]
			if !ok {
				e = &endpoint{}
				byPath[base+r.Path] = e
				mux := h.mux
				if r.First {
					mux = h.first
					if mark := longestLiteral(r.Path); !slices.Contains(h.marks, mark) {
						h.marks = append(h.marks, mark)
					}
				}
				mux.Handle(base+r.Path, e)
				if r.Slashed {
					mux.Handle(base+r.Path+"/{$}", e)
				}
			}
			e.add(&bound)
		}
	}
	h.noRoute = boundRoute{Route: Route{Path: "none"}, metrics: h.Metrics.Route("none", "any")}
	h.mux.Handle("/", notFound{h})
	return h
}
