package api

import (
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
)

// Route is everything that the service knows about one endpoint.
type Route struct {
	Method      string
	Path        string // pattern of http.ServeMux, without the base
	Root        bool   // the path begins at the root of the site, not below the bases of the API
	First       bool   // the path is matched before all others: http.ServeMux refuses it beside another path that matches too
	Slashed     bool   // the path is served with a slash at its end too
	Name        string // operation id
	Doc         string // summary in /openapi.json
	Allow       Access // who may call
	Scope       string // of operators: the scope that the route needs, or AnyScope
	Group       ratelimit.Group
	GroupOf     func(c *Call, now time.Time) ratelimit.Group // the group of a call, if it is not always Group; may be nil
	Query       []Parameter
	Body        string         // schema of the request body, "" for none
	Form        bool           // the body is a form, not JSON
	Files       bool           // the body may be a form with files
	Answer      map[int]string // schema by status, "" for no body
	ErrorSchema string         // schema of errors, "" for that of the API
	Handle      func(*Call) error
	Reason      bool // the header X-Audit-Log-Reason is the reason in the audit log of a guild
	Decides     bool // Handle has no effect except one cache.Decide, which confirms what the call has read
}

// apiBases are the paths below which the API is served. Libraries call version 9 or 10; both have the same shapes here.
var apiBases = []string{"/api/v10", "/api/v9", "/api", "/v10", "/v9"}

var rootBase = []string{""}

func (r *Route) bases() []string {
	if r.Root {
		return rootBase
	}
	return apiBases
}

// Parameter is a query parameter of a route. Kind is a JSON Schema type.
type Parameter struct{ Name, Kind, Doc string }
