package dev

import (
	"net/http"
	"strconv"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) faultRoutes() []api.Route {
	return []api.Route{
		route(http.MethodGet, "/faults", "faults.list", "List the faults.", "", map[int]string{200: "DevFaults"}, a.listFaults),
		route(http.MethodPost, "/faults", "faults.add", "Make matching requests fail.", "DevFaultInput", map[int]string{200: "DevFault"}, a.addFault),
		route(http.MethodDelete, "/faults", "faults.clear", "Remove all faults.", "", map[int]string{204: ""}, a.clearFaults),
	}
}

func (a *API) listFaults(c *api.Call) error { return c.Value(http.StatusOK, a.Faults.List()) }

func (a *API) addFault(c *api.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	fault, err := ReadFault(body)
	if err != nil {
		return err
	}
	added, ok := a.Faults.Add(fault, a.disconnect)
	if !ok {
		var t jsonbody.Tree
		t.Add("BASE_TYPE_MAX_LENGTH", "There are "+strconv.Itoa(MaxFaults)+" faults already")
		return t.Err()
	}
	return c.Value(http.StatusOK, added)
}

// disconnect closes the gateway connections of the applications for which applies returns true.
func (a *API) disconnect(applies func(snowflake.Application) bool, code int) {
	a.Gateway.Disconnect(func(o session.Owner) bool { return applies(o.Application) }, uint16(code))
}

func (a *API) clearFaults(c *api.Call) error {
	a.Faults.Clear()
	return c.NoContent(nil)
}
