package dev

import (
	"errors"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/rules/wire"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) controlRoutes() []api.Route {
	world := route(http.MethodPost, "/world", "world.apply", "Apply a world file.", "World", map[int]string{200: "DevApplied"}, a.applyWorld)
	world.Handle = withContentType(a.applyWorld, "application/json", "application/yaml", "application/x-yaml", "text/yaml")
	return []api.Route{
		world,
		route(http.MethodGet, "/clock", "clock", "Read the service's clock.", "", map[int]string{200: "DevClock"}, a.getClock),
		route(http.MethodGet, "/due", "due", "List what falls due next: lobbies that end, and interactions that fail without an answer.",
			"", map[int]string{200: "DevDueList"}, a.listDue),
		route(http.MethodPost, "/clock", "advance", "Move the service's clock forward. The answer comes when everything that falls due has happened.",
			"DevAdvance", map[int]string{200: "DevClock"}, a.advanceClock),
		route(http.MethodGet, "/world", "world.export", "Export the world as YAML, without secrets.", "", map[int]string{200: "yaml"}, a.exportWorld),
		route(http.MethodGet, "/applications", "applications", "List the applications, and whether they can receive interactions.",
			"", map[int]string{200: "DevApplications"}, a.listApplications),
		route(http.MethodPost, "/reset", "reset", "Restore the world that the service started with.", "", map[int]string{204: ""}, a.reset),
	}
}

func (a *API) getClock(c *api.Call) error { return answerTime(c, a.Clock.Now()) }

func answerTime(c *api.Call, now time.Time) error {
	return c.Value(http.StatusOK, struct {
		Now time.Time `json:"now"`
	}{now.UTC()})
}

func (a *API) advanceClock(c *api.Call) error {
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	if !body.Get("advance").IsSet() {
		t.At("advance").Required()
		return t.Err()
	}
	text, _ := jsonbody.AsString(t.At("advance"), body.Get("advance"))
	by, err := time.ParseDuration(text)
	if err != nil && !t.Failed() {
		t.At("advance").Add("DURATION_TYPE_COERCE", `Expected a duration such as "90s", "15m" or "24h".`)
	}
	if t.Failed() {
		return t.Err()
	}
	now, err := a.Advance(c.Context(), by)
	if errors.Is(err, ErrRange) {
		t.At("advance").Add("DURATION_TYPE_COERCE", "The clock moves forward, by ten years at the most.")
		return t.Err()
	}
	if err != nil {
		return err
	}
	return answerTime(c, now)
}

// appWithStatus is an application, and whether it can receive interactions.
type appWithStatus struct {
	ID     snowflake.Application `json:"id"`
	Name   string                `json:"name"`
	Status wire.AppStatus        `json:"status"`
}

// listApplications answers with the first directory.MaxPage applications.
func (a *API) listApplications(c *api.Call) error {
	apps, err := a.Directory.Applications.List(c.Context(), 0, directory.MaxPage)
	if err != nil {
		return err
	}
	list := make([]appWithStatus, len(apps))
	for i := range apps {
		list[i] = appWithStatus{apps[i].ID, apps[i].Name, a.Interactions.AppStatus(c.Context(), &apps[i])}
	}
	return c.Value(http.StatusOK, list)
}

func (a *API) exportWorld(c *api.Call) error { return manage.ExportYAML(c, a.Directory) }

func (a *API) applyWorld(c *api.Call) error { return manage.ApplyWorld(c, a.Provision, true) }

// reset restores the first world and the time of the machine, and deletes everything else.
func (a *API) reset(c *api.Call) error {
	if _, err := a.Provision.Reset(c.Context(), a.Start); err != nil {
		return err
	}
	a.AfterReset()
	a.Faults.Clear()
	a.Traffic.Clear()
	a.Clock.Reset()
	if a.Restored != nil {
		a.Restored(c.Context())
	}
	return c.NoContent(nil)
}
