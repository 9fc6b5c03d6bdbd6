package mcp

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/rules/parity"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/scenario"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func (t *Toolbox) addLookTools(s *sdk.Server) {
	add(t, s, "read_traffic", reads, "List what apps and people sent and received: requests, deliveries to endpoints, gateway frames. The newest come first.", t.readTraffic)
	add(t, s, "read_exchange", reads, "Read one entry of the traffic with its bodies.", t.readExchange)
	add(t, s, "explain_permissions", reads, "Explain whether a person can use a command in a channel, and which rule or missing permission decides it.", t.explainPermissions)
	add(t, s, "explain_failure", reads, "Explain what happened to an interaction: what the app got, what it answered and when, which of its requests were refused, and what it printed.", t.explainFailure)
	add(t, s, "run_scenarios", adds, "Run scenario files, each scenario with a service and a bot of its own, and report the steps that failed.", t.runScenarios)
	add(t, s, "list_gaps", reads, "List the operations of Discord that the bot has called and that Bellhop does not serve; or search all operations.", t.listGaps)
}

// Bounds of lists.
const (
	fewEntries  = 20
	manyEntries = 100
	allEntries  = "10000"
	maxBody     = 16 << 10
	maxError    = 300
)

type trafficQuery struct {
	Application string `json:"application,omitempty" jsonschema:"only of this application id"`
	Kind        string `json:"kind,omitempty" jsonschema:"request, delivery, frame or outcome"`
	Route       string `json:"route,omitempty" jsonschema:"part of the route or of the event name"`
	Status      string `json:"status,omitempty" jsonschema:"such as 404 or 4xx"`
	Since       string `json:"since,omitempty" jsonschema:"a time, or a duration before now such as 30s"`
	After       string `json:"after,omitempty" jsonschema:"only entries after this id"`
	Limit       int    `json:"limit,omitempty" jsonschema:"up to 100; default 20"`
}

// entry is the short form of an exchange.
type entry struct {
	ID          string    `json:"id" jsonschema:"for read_exchange"`
	Time        time.Time `json:"time"`
	What        string    `json:"what"`
	Interaction string    `json:"interaction,omitempty"`
	Error       string    `json:"error,omitempty"`
}

type traffic struct {
	Entries []entry `json:"entries"`
}

func (t *Toolbox) readTraffic(ctx context.Context, in trafficQuery) (traffic, error) {
	limit := fewEntries
	if in.Limit > 0 {
		limit = min(in.Limit, manyEntries)
	}
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	for name, value := range map[string]string{
		"application": in.Application, "kind": in.Kind, "route": in.Route, "status": in.Status, "since": in.Since,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	after := uint64(0)
	if in.After != "" {
		var err error
		if after, err = strconv.ParseUint(in.After, 10, 64); err != nil {
			return traffic{}, fmt.Errorf("after: want the id of an entry, not %q", in.After)
		}
	}
	list, err := t.dev().Requests(ctx, query)
	r := traffic{Entries: []entry{}}
	for i := range list {
		if list[i].ID > after {
			r.Entries = append(r.Entries, entryOf(&list[i]))
		}
	}
	return r, err
}

func entryOf(e *client.Exchange) entry {
	s := entry{ID: strconv.FormatUint(e.ID, 10), Time: e.Time, Error: cut(e.Error, maxError)}
	if e.Interaction != 0 {
		s.Interaction = e.Interaction.String()
	}
	switch e.Kind {
	case "frame":
		s.What = fmt.Sprintf("frame %s, op %d %s", e.Method, e.Status, e.Route)
		return s
	case "outcome":
		s.What = fmt.Sprintf("outcome of %s %s: %s after %.1f ms", e.Method, e.Path, e.Outcome, e.TookMS)
		return s
	}
	s.What = fmt.Sprintf("%s %s %s: %d after %.1f ms", e.Kind, e.Method, cmp.Or(e.Path, e.Route), e.Status, e.TookMS)
	switch {
	case e.Gap != "":
		s.Error = "Bellhop does not serve " + e.Gap
	case e.Status >= http.StatusBadRequest && e.Response != nil:
		s.Error = cut(e.Response.Body, maxError)
	}
	return s
}

type exchangeQuery struct {
	ID string `json:"id"`
}

type wholeExchange struct {
	entry

	Application string `json:"application,omitempty"`
	User        string `json:"user,omitempty"`
	Request     string `json:"request,omitempty" jsonschema:"what the app or person sent; of a delivery what Bellhop sent"`
	Response    string `json:"response,omitempty" jsonschema:"what came back"`
}

func (t *Toolbox) readExchange(ctx context.Context, in exchangeQuery) (r wholeExchange, err error) {
	list, err := t.dev().Requests(ctx, url.Values{"limit": {allEntries}})
	if err != nil {
		return r, err
	}
	for i := range list {
		e := &list[i]
		if strconv.FormatUint(e.ID, 10) != in.ID {
			continue
		}
		r.entry = entryOf(e)
		if e.Application != 0 {
			r.Application = e.Application.String()
		}
		if e.User != 0 {
			r.User = e.User.String()
		}
		if e.Request != nil {
			r.Request = cut(e.Request.Body, maxBody)
		}
		if e.Response != nil {
			r.Response = cut(e.Response.Body, maxBody)
		}
		return r, nil
	}
	return r, fmt.Errorf("there is no entry %q any more: read_traffic lists the last ones", in.ID)
}

type permissionQuery struct {
	person

	Command     string `json:"command" jsonschema:"name of the command; a slash command starts with a slash: /ban"`
	Application string `json:"application,omitempty" jsonschema:"needed if several applications have a command with this name"`
}

type permissionResult struct {
	Allowed     bool     `json:"allowed"`
	Explanation string   `json:"explanation"`
	Reason      string   `json:"reason"`
	Level       string   `json:"level" jsonschema:"where the decision was made"`
	Missing     []string `json:"missing,omitempty" jsonschema:"permissions"`
	Command     string   `json:"command" jsonschema:"id"`
}

func (t *Toolbox) explainPermissions(ctx context.Context, in permissionQuery) (r permissionResult, err error) {
	query := url.Values{"as": {in.As}, "in": {in.In}, "command": {in.Command}}
	if in.Application != "" {
		query.Set("application", in.Application)
	}
	v, err := t.ask(ctx, http.MethodGet, "/_dev/explain?"+query.Encode(), "", nil)
	if err != nil {
		return r, err
	}
	r = permissionResult{
		Allowed: v.Get("allowed").String() == "true", Explanation: v.Get("explanation").Text(), Reason: v.Get("reason").Text(),
		Level: v.Get("level").Text(), Command: v.Get("command").Get("id").Text(),
	}
	for _, m := range v.Get("missing").Items() {
		r.Missing = append(r.Missing, m.Text())
	}
	return r, nil
}

type scenarioFiles struct {
	Files []string `json:"files" jsonschema:"paths of scenario files"`
	Match string   `json:"match,omitempty" jsonschema:"run only the scenarios whose name matches this regular expression"`
}

type scenarioResult struct {
	Scenario string `json:"scenario"`
	Place    string `json:"place" jsonschema:"file, line and column of the step"`
	Step     string `json:"step,omitempty"`
	Problem  string `json:"problem"`
	Output   string `json:"output,omitempty" jsonschema:"the end of what the bot printed"`
}

type scenarioResults struct {
	Passed   int              `json:"passed"`
	Failed   int              `json:"failed"`
	Failures []scenarioResult `json:"failures,omitempty" jsonschema:"the first 10"`
	Gaps     []string         `json:"gaps,omitempty" jsonschema:"operations of Discord that were called and that Bellhop does not serve"`
}

// maxFailures bounds the failures in an answer.
const maxFailures = 10

func (t *Toolbox) runScenarios(ctx context.Context, in scenarioFiles) (r scenarioResults, err error) {
	match, err := regexp.Compile(in.Match)
	if err != nil {
		return r, fmt.Errorf("match: %w", err)
	}
	var files []*scenario.File
	for _, name := range in.Files {
		f, err := scenario.Load(name)
		if err != nil {
			return r, err
		}
		files = append(files, f)
	}
	runner := scenario.Runner{Open: t.Open, Clock: t.Clock, Match: match}
	results, err := runner.Run(ctx, files)
	if err != nil {
		return r, err
	}
	for i := range results {
		f := results[i].Failure
		if f == nil {
			r.Passed++
			continue
		}
		if r.Failed++; r.Failed > maxFailures {
			continue
		}
		r.Failures = append(r.Failures, scenarioResult{
			Scenario: results[i].Scenario, Place: results[i].Place(), Step: f.Step, Problem: cut(f.Summary(), maxContent),
			Output: last(f.Output, maxContent),
		})
	}
	for _, o := range scenario.Gaps(results) {
		r.Gaps = append(r.Gaps, operationLine(o))
	}
	return r, nil
}

// last returns at most the last n bytes of a text.
func last(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return "…" + toValid(text[len(text)-n:])
}

type gapQuery struct {
	Search string `json:"search,omitempty" jsonschema:"search Discord's operations by a part of the path or the name, such as /pins; empty: only what was called"`
}

type gapResult struct {
	Called     []string `json:"called" jsonschema:"operations that were called and are not served, the newest first, with the id of the request"`
	Operations []string `json:"operations,omitempty" jsonschema:"operations that match the search, with their state"`
	LeftOut    int      `json:"left_out,omitempty"`
	Served     int      `json:"served" jsonschema:"how many operations are served"`
	Part       int      `json:"part" jsonschema:"how many are served in part"`
	Absent     int      `json:"absent" jsonschema:"how many are not served"`
}

func (t *Toolbox) listGaps(ctx context.Context, in gapQuery) (gapResult, error) {
	all := parity.All()
	n := all.Count()
	r := gapResult{Called: []string{}, Served: n[parity.Served], Part: n[parity.Part], Absent: n[parity.Absent]}
	gaps, err := remote.Gaps(ctx, t.Service, 0)
	if err != nil {
		return r, err
	}
	named := map[string]bool{}
	for _, g := range gaps {
		if !named[g.Name] {
			r.Called = append(r.Called, fmt.Sprintf("%s: %s %s (%d)", g.Name, g.Method, g.Path, g.ID))
		}
		named[g.Name] = true
	}
	search := strings.ToLower(in.Search)
	for _, o := range all.Operations {
		if search == "" || !strings.Contains(strings.ToLower(o.Method+" "+o.Path+" "+o.Name), search) {
			continue
		}
		r.Operations = append(r.Operations, operationLine(o))
	}
	r.Called, r.LeftOut = few(r.Called, maxNames, r.LeftOut)
	r.Operations, r.LeftOut = few(r.Operations, maxNames, r.LeftOut)
	return r, nil
}

// operationLine describes an operation of Discord and its state.
func operationLine(o parity.Operation) string {
	line := fmt.Sprintf("%s: %s %s (%s)", o.State, o.Method, o.Path, o.Name)
	if o.Note != "" {
		line += ": " + o.Note
	}
	return line
}
