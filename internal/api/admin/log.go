package admin

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
)

func (a *API) logRoutes() []api.Route {
	return []api.Route{
		route(auth.OperatorRead, http.MethodGet, "/log-level", "log-level.get", "Read the least level that this node logs.",
			"", map[int]string{200: "LogLevel"}, a.getLogLevel),
		route(auth.OperatorDirectory, http.MethodPut, "/log-level", "log-level.put",
			"Change the least level that this node logs, until it restarts: debug, info, warn or error.",
			"LogLevel", map[int]string{200: "LogLevel"}, a.putLogLevel),
	}
}

// logLevel is the body of the requests and responses.
type logLevel struct {
	Level string `json:"level"`
}

func shownLevel(l slog.Level) logLevel { return logLevel{strings.ToLower(l.String())} }

func (a *API) getLogLevel(c *api.Call) error {
	if a.LogLevel == nil {
		return api.ErrNotFound
	}
	return c.Value(http.StatusOK, shownLevel(a.LogLevel.Level()))
}

func (a *API) putLogLevel(c *api.Call) error {
	if a.LogLevel == nil {
		return api.ErrNotFound
	}
	v, err := c.ReadJSON()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	known := []string{"debug", "info", "warn", "error"}
	name, ok := jsonbody.AsString(t.At("level"), v.Get("level"))
	var level slog.Level
	if ok && (!slices.Contains(known, name) || level.UnmarshalText([]byte(name)) != nil) {
		t.At("level").NotOneOf(known...)
	}
	if err := t.Err(); err != nil {
		return err
	}
	before := shownLevel(a.LogLevel.Level())
	err = store.Decide(c.Context(), a.Audit.Store, func(tx *store.Tx) error {
		return a.Audit.Add(c.Context(), tx, audit.Entry{Action: "log-level.update", Target: "node", Before: before, After: shownLevel(level)})
	})
	if err != nil {
		return err
	}
	a.LogLevel.Set(level)
	return c.Value(http.StatusOK, shownLevel(level))
}
