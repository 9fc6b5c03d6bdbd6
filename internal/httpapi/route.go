package httpapi

import "github.com/bellhop/bellhop/internal/ratelimit"

// Route is everything the service knows about one endpoint.
type Route struct {
	Method  string
	Path    string // of http.ServeMux, without the base
	Root    bool   // stands at the site's root, not below the API's base
	Slashed bool   // is also served with a slash behind the path
	Name    string // operation id
	Doc     string // one sentence for people
	Allow   Access // who may call
	Group   ratelimit.Group
	Query   []Parameter
	Body    string         // schema of the request body, "" for none
	Form    bool           // the body is a form and not JSON
	Files   bool           // the body may be a form with files beside the JSON
	Answer  map[int]string // schema by status, "" for no body
	Fault   string         // schema of what went wrong, "" for that of the API
	Handle  func(*Call) error
}

// apiBases are the paths under which the API is served. Libraries ask for version 9 or 10; both have the same shapes.
var apiBases = []string{"/api/v10", "/api/v9", "/api", "/v10", "/v9"}

var rootBase = []string{""}

func (r Route) bases() []string {
	if r.Root {
		return rootBase
	}
	return apiBases
}

// Parameter is a query parameter of a route.
type Parameter struct{ Name, Kind, Doc string }
