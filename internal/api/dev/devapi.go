// Package dev serves the dev controls (/_dev), with which a developer moves the clock, applies worlds, resets the
// service, invokes commands, writes messages, joins guilds and buys what apps sell as any user, sees the traffic of apps and makes requests fail. The service has them only
// with --dev.
package dev

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/polls"
	"github.com/bellhop/bellhop/internal/premium"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// API serves the dev controls. All fields but Made, Traffic, Faults, Gate and Restored are required.
type API struct {
	Directory    *directory.Directory
	Provision    *provision.Provisioner // of Directory
	Picker       *permissions.Picker
	Interactions *dispatch.Dispatch
	Messages     *messages.Messages
	Polls        *polls.Polls
	Guilds       *guilds.Guilds
	Premium      *premium.Premium
	Lobbies      *lobbies.Lobbies
	Gateway      *gateway.Gateway
	Sealer       *auth.Sealer // decrypts the keys that sign deliveries; nil: they are not encrypted
	Clock        *clock.Movable
	// Traffic holds the last requests, deliveries and gateway payloads.
	Traffic Traffic
	// Faults are the faults that requests meet on purpose.
	Faults Faults
	// Deliveries delivers recorded interactions again.
	Deliveries *DeliveryRecorder
	// Gate asks requests from other machines for a token; nil: it does not.
	Gate *api.DevGate
	// Start is the world that a reset restores.
	Start world.World
	// Made are the bot tokens that were made for the applications of Start that have none.
	Made map[snowflake.Application]auth.Secret
	// BeforeMove is called before the clock moves forward by d.
	BeforeMove func(ctx context.Context, d time.Duration) error
	// AfterReset is called after a reset has replaced all records, to clear what is kept in memory.
	AfterReset func()
	// Restored is called at the end of a reset, after everything has its first state; nil: nothing is to do.
	Restored func(ctx context.Context)

	waits waits // requests that wait for an app
}

// Routes returns the endpoints of the dev controls.
func (a *API) Routes() []api.Route {
	return slices.Concat(a.controlRoutes(), a.tokenRoutes(), a.explainRoutes(), a.lobbyRoutes(), a.faultRoutes(), a.trafficRoutes(), a.invokeRoutes(), a.sayRoutes(), a.memberRoutes(), a.purchaseRoutes())
}

// route returns a route of the dev controls.
func route(method, path, name, doc, body string, answer map[int]string, handle func(*api.Call) error) api.Route {
	return api.Route{
		Method: method, Path: "/_dev" + path, Root: true, Name: "dev." + name, Doc: doc, Body: body, Answer: answer,
		Handle: withContentType(handle, "application/json"),
	}
}

// devHeader must be part of a request with a form. It may have any value.
const devHeader = "X-Bellhop-Dev"

// withContentType returns a handler that answers 415 to a body with another content type than those listed. A web page
// can send some content types to any address without asking: text/plain, forms, and none. None of them is listed, and a
// form with files is accepted only with a header that a page cannot send without asking.
func withContentType(handle func(*api.Call) error, accepted ...string) func(*api.Call) error {
	return func(c *api.Call) error {
		if c.Request.ContentLength == 0 {
			return handle(c)
		}
		kind, _, err := mime.ParseMediaType(c.RequestHeader("Content-Type"))
		if err != nil || !slices.Contains(accepted, kind) || kind == formType && c.RequestHeader(devHeader) == "" {
			return api.ErrMediaType
		}
		return handle(c)
	}
}

const formType = "multipart/form-data"

// HTTP returns what the HTTP layer needs to record traffic and to apply faults.
func (a *API) HTTP() *api.Dev {
	return &api.Dev{Traffic: &a.Traffic, Faults: &a.Faults, ClockMoved: a.Clock.Moved, Gate: a.Gate}
}

// Close ends all streams and all waits for apps, which would not end by themselves.
func (a *API) Close() {
	a.Traffic.Close()
	a.waits.close()
}

// ErrRange says that the clock cannot move backwards, or by more than MaxAdvance.
var ErrRange = errors.New("the clock cannot move that far")

// MaxAdvance bounds how far one call moves the clock. Snowflakes have room for many such calls.
const MaxAdvance = 10 * 365 * 24 * time.Hour

// Advance moves the clock forward and returns the new time. All timers that fall due on the way have run when it
// returns.
func (a *API) Advance(ctx context.Context, by time.Duration) (time.Time, error) {
	if by < 0 || by > MaxAdvance {
		return time.Time{}, ErrRange
	}
	if err := a.BeforeMove(ctx, by); err != nil {
		return time.Time{}, fmt.Errorf("move the clock: %w", err)
	}
	a.Clock.Advance(by)
	return a.Clock.Now(), nil
}

func (a *API) explainRoutes() []api.Route {
	explain := route(http.MethodGet, "/explain", "explain", "Explain whether a user can use a command in a channel.",
		"", map[int]string{200: "DevExplanation"}, func(c *api.Call) error { return manage.Explain(c, a.Directory, a.Picker, true) })
	explain.Query = manage.ExplainQuery
	operation := route(http.MethodGet, "/explain/operation", "explain.operation", "Explain whether a member can perform an operation on another member, or on a role.",
		"", map[int]string{200: "OperationExplanation"}, func(c *api.Call) error { return manage.ExplainOperation(c, a.Directory) })
	operation.Query = manage.OperationQuery
	return []api.Route{explain, operation}
}

func (a *API) lobbyRoutes() []api.Route {
	shown := manage.LobbyHandlers{Directory: a.Directory, Lobbies: a.Lobbies, Clock: a.Clock}
	list := route(http.MethodGet, manage.LobbiesPath, "lobbies.list", "List the lobbies of an application, newest first.",
		"", map[int]string{200: "ListedLobbies"}, shown.List)
	list.Query = manage.LobbiesQuery
	return []api.Route{
		list,
		route(http.MethodGet, manage.LobbiesPath+"/{lobby_id}", "lobbies.get", "Read a lobby with its idle timeout and the time until it ends.",
			"", map[int]string{200: "ListedLobby"}, shown.Show),
	}
}
