package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/roleconnections"
)

// roleConnectionHandlers serve what applications say about the accounts of users on their platforms.
type roleConnectionHandlers struct{ connections *roleconnections.Connections }

func (h *roleConnectionHandlers) routes() []api.Route {
	const records, one = "/applications/{application_id}/role-connections/metadata", "/users/@me/applications/{application_id}/role-connection"
	route := func(method, path, name, doc, body string, allow api.Access, answer map[int]string, handle func(*api.Call) error) api.Route {
		return api.Route{
			Method: method, Path: path, Name: "role_connections." + name, Doc: doc, Body: body, Allow: allow, Group: ratelimit.Other,
			Answer: answer, Handle: handle,
		}
	}
	list, connection := map[int]string{200: "RoleConnectionRecords"}, map[int]string{200: "RoleConnection"}
	return []api.Route{
		route(http.MethodGet, records, "records", "List the records that describe the role connections of an application.", "",
			api.OwnBot, list, h.getRecords),
		route(http.MethodPut, records, "records.set", "Replace the records that describe the role connections of an application.", "RoleConnectionRecords",
			api.OwnBot, list, h.setRecords),
		route(http.MethodGet, one, "get", "Read the role connection of the token's user.", "", api.WriteRoleConnection, connection, h.get),
		route(http.MethodPut, one, "set", "Replace the role connection of the token's user.", "RoleConnectionEdit", api.WriteRoleConnection, connection, h.set),
		route(http.MethodDelete, one, "delete", "Delete the role connection of the token's user.", "", api.WriteRoleConnection, noContent, h.delete),
	}
}

func (h *roleConnectionHandlers) getRecords(c *api.Call) error {
	return c.OK(h.connections.Records(c.Context(), c.Scope.Application))
}

func (h *roleConnectionHandlers) setRecords(c *api.Call) error {
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	return c.OK(h.connections.SetRecords(c.Context(), c.Scope.Application, body))
}

func (h *roleConnectionHandlers) get(c *api.Call) error {
	return c.OK(h.connections.Get(c.Context(), c.Scope.Application, c.Principal.User))
}

func (h *roleConnectionHandlers) set(c *api.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	return c.OK(h.connections.Set(c.Context(), c.Scope.Application, c.Principal.User, body))
}

func (h *roleConnectionHandlers) delete(c *api.Call) error {
	return c.NoContent(h.connections.Delete(c.Context(), c.Scope.Application, c.Principal.User))
}
