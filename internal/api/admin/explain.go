package admin

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/auth"
)

func (a *API) explainRoutes() []api.Route {
	explain := route(auth.OperatorRead, http.MethodGet, "/explain", "explain", "Explain whether a user can use a command in a channel.",
		"", map[int]string{200: "DevExplanation"}, func(c *api.Call) error { return manage.Explain(c, a.Directory, a.Picker, false) })
	explain.Query = manage.ExplainQuery
	operation := route(auth.OperatorRead, http.MethodGet, "/explain/operation", "explain.operation", "Explain whether a member can perform an operation on another member, or on a role.",
		"", map[int]string{200: "OperationExplanation"}, func(c *api.Call) error { return manage.ExplainOperation(c, a.Directory) })
	operation.Query = manage.OperationQuery
	return []api.Route{explain, operation}
}
