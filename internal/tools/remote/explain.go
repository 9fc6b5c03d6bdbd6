package remote

import (
	"context"
	"net/http"
	"net/url"
)

// Question asks a service with dev controls whether a user can use a command in a channel, or perform an operation on a member or a
// role.
type Question struct {
	BaseURL  string
	As, In   string // empty: see the dev controls
	On, Role string // of an operation; both empty: Command is a command
	App      string // empty: any
	Command  string // or the name of the operation
}

// Ask returns the answer of the service with its reason, as one line.
func (o Question) Ask(ctx context.Context) (string, error) {
	query, path := url.Values{"as": {o.As}, "in": {o.In}, "command": {o.Command}}, "/_dev/explain?"
	if o.App != "" {
		query.Set("application", o.App)
	}
	var e struct {
		Explanation string `json:"explanation"`
		Command     struct {
			Name        string `json:"name"`
			Application string `json:"application"`
		} `json:"command"`
	}
	link := " of "
	if o.On != "" || o.Role != "" {
		query.Set("operation", o.Command)
		query.Set("on", o.On)
		query.Set("role", o.Role)
		path, link = "/_dev/explain/operation?", " by "
		e.Command.Name, e.Command.Application = o.Command, o.As
	}
	q := Request{Method: http.MethodGet, URL: Root(o.BaseURL) + path + query.Encode()}
	err := q.Ask(ctx, nil, &e)
	return e.Command.Name + link + e.Command.Application + ": " + e.Explanation, err
}
