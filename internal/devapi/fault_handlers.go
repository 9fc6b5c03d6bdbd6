package adminapi

import (
	"net/http"
	"strconv"

	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) faultRoutes() []httpapi.Route {
	const path = "/_dev/faults"
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: path, Root: true, Name: "dev.faults.list", Doc: "List what goes wrong on purpose.",
			Answer: map[int]string{200: "DevFaults"}, Handle: a.listFaults,
		},
		{
			Method: http.MethodPost, Path: path, Root: true, Name: "dev.faults.add", Doc: "Make matching requests go wrong.",
			Body: "DevFaultInput", Answer: map[int]string{200: "DevFault"}, Handle: a.addFault,
		},
		{
			Method: http.MethodDelete, Path: path, Root: true, Name: "dev.faults.clear", Doc: "Let everything go right again.",
			Answer: map[int]string{204: ""}, Handle: a.clearFaults,
		},
	}
}

func (a *API) listFaults(c *httpapi.Call) error { return c.Value(http.StatusOK, a.Dev.Faults.List()) }

func (a *API) addFault(c *httpapi.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	fault, err := devtools.ReadFault(body)
	if err != nil {
		return err
	}
	added, ok := a.Dev.Faults.Add(fault, a.disconnect)
	if !ok {
		var t jsonbody.Tree
		t.Add("BASE_TYPE_MAX_LENGTH", "There are "+strconv.Itoa(devtools.MaxFaults)+" faults already")
		return t.Err()
	}
	return c.Value(http.StatusOK, added)
}

// disconnect closes gateway connections with a code.
func (a *API) disconnect(strikes func(snowflake.Application) bool, code int) int {
	return a.Gateway.Disconnect(func(w session.Who) bool { return strikes(w.Application) }, uint16(code))
}

func (a *API) clearFaults(c *httpapi.Call) error {
	a.Dev.Faults.Clear()
	return c.Empty()
}
