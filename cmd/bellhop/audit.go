package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
)

// auditOptions are the flags of "bellhop audit".
type auditOptions struct {
	BaseURL    string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service, http://127.0.0.1:8080 by default."`
	AdminToken string `required:"" placeholder:"TOKEN" help:"Token of an operator with the scope read."`
	Follow     bool   `short:"f" help:"Print new entries until the command is interrupted."`
	Output     string `short:"o" default:"table" enum:"table,json,yaml" help:"table, yaml, or json: one object per line."`
	Actor      string `placeholder:"KIND:NAME" help:"Only entries of this actor, for example operator:ci or user:200."`
	Action     string `help:"Only entries with this action, for example user.update."`
	Target     string `help:"Only entries about this target, for example guild/300/role/301."`
	Since      string `placeholder:"TIME" help:"Only entries from this time on, or a duration before now, for example 24h."`
	Limit      int    `default:"100" help:"Maximum number of entries that exist already."`
}

// auditServe are the flags of "bellhop serve" about the audit log.
type auditServe struct {
	Retention  time.Duration `default:"2160h" placeholder:"DURATION" help:"How long entries of the audit log are kept, 90 days by default."`
	MaxEntries int           `default:"1000000" placeholder:"N" help:"Largest number of entries of the audit log. The oldest are removed first."`
}

// check checks the flags.
func (o auditServe) check() error {
	if o.Retention < time.Hour || o.MaxEntries < 1 {
		return usageError{errors.New("--audit-retention must be at least 1h, and --audit-max-entries at least 1")}
	}
	return nil
}

// auditEntry is an entry of the audit log in the responses of the admin API.
type auditEntry struct {
	ID      uint64         `json:"id,string"`
	Time    time.Time      `json:"time"`
	Actor   string         `json:"actor"`
	Via     string         `json:"via,omitempty"`
	Address string         `json:"address,omitempty"`
	Action  string         `json:"action"`
	Target  string         `json:"target"`
	Before  jsontext.Value `json:"before,omitempty"`
	After   jsontext.Value `json:"after,omitempty"`
}

// auditPage is the largest number of entries in one response.
const auditPage = 1000

// Run prints the newest entries, oldest first. With --follow it then prints new ones.
func (o auditOptions) Run(ctx context.Context, s streams) error {
	if o.Limit < 0 {
		return usageError{errors.New("--limit must not be negative")}
	}
	list, err := o.list(ctx)
	if err != nil {
		return err
	}
	last := uint64(0)
	if len(list) > 0 {
		last = list[len(list)-1].ID
	}
	p := auditPrinter{out: s.out, format: o.Output}
	if err := p.print(list); err != nil || !o.Follow {
		return err
	}
	for ctx.Err() == nil {
		if last, err = o.follow(ctx, last, &p); err != nil && ctx.Err() == nil {
			return err
		}
		clock.Pause(ctx, reconnectAfter)
	}
	return nil
}

// reconnectAfter is the pause before --follow connects again, for example while the service restarts.
const reconnectAfter = time.Second

// query returns the path and the query of a request for entries.
func (o auditOptions) query(more url.Values) string {
	for name, value := range map[string]string{"actor": o.Actor, "action": o.Action, "target": o.Target, "since": o.Since} {
		if value != "" {
			more.Set(name, value)
		}
	}
	return remote.Root(o.BaseURL) + "/admin/v1/audit?" + more.Encode()
}

// list returns up to o.Limit entries, oldest first.
func (o auditOptions) list(ctx context.Context) ([]auditEntry, error) {
	var all []auditEntry
	for len(all) < o.Limit {
		limit := min(o.Limit-len(all), auditPage)
		values := url.Values{"limit": {strconv.Itoa(limit)}}
		if len(all) > 0 {
			values.Set("before", strconv.FormatUint(all[len(all)-1].ID, 10))
		}
		text, err := remote.Request{Method: http.MethodGet, URL: o.query(values), Token: o.AdminToken}.Send(ctx)
		if err != nil {
			return nil, err
		}
		var page []auditEntry
		if err := json.Unmarshal(text, &page); err != nil {
			return nil, fmt.Errorf("response of the service: %w", err)
		}
		all = append(all, page...)
		if len(page) < limit {
			break
		}
	}
	slices.Reverse(all)
	return all, nil
}

// follow prints entries after the one with the id last until the connection ends, and returns the id of the newest one.
func (o auditOptions) follow(ctx context.Context, last uint64, p *auditPrinter) (uint64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, o.query(url.Values{}), http.NoBody)
	if err != nil {
		return last, usageError{fmt.Errorf("--base-url: %w", err)}
	}
	r.Header.Set("Authorization", "Bearer "+o.AdminToken)
	r.Header.Set("Accept", "text/event-stream")
	if last != 0 {
		r.Header.Set("Last-Event-Id", strconv.FormatUint(last, 10))
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return last, nil // the service may restart: the caller connects again
	}
	defer func() { _ = resp.Body.Close() }() // nothing is left to read
	if resp.StatusCode != http.StatusOK {
		return last, fmt.Errorf("follow the audit log: %s", resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		var e auditEntry
		if err := json.Unmarshal(text, &e); err != nil {
			return last, fmt.Errorf("response of the service: %w", err)
		}
		last = max(last, e.ID)
		if err := p.print([]auditEntry{e}); err != nil {
			return last, err
		}
	}
	return last, nil // the connection ended: the caller connects again
}

// auditPrinter prints entries as lines of JSON or as a table.
type auditPrinter struct {
	out    io.Writer
	format string // table, json or yaml
	begun  bool   // the head of the table is printed
}

func (p *auditPrinter) print(list []auditEntry) error {
	if p.format != "table" {
		for _, e := range list {
			text, err := json.Marshal(e)
			if err == nil && p.format == "yaml" {
				text, err = yaml.JSONToYAML(slices.Concat([]byte("["), text, []byte("]")))
			}
			if err == nil {
				_, err = fmt.Fprintf(p.out, "%s\n", bytes.TrimSuffix(text, []byte("\n")))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(p.out, 20, 0, 2, ' ', 0)
	if !p.begun {
		p.begun = true
		fmt.Fprintln(table, "TIME\tACTOR\tADDRESS\tACTION\tTARGET\tCHANGES")
	}
	for _, e := range list {
		actor := e.Actor
		if e.Via != "" {
			actor += " via " + e.Via
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n",
			e.Time.Format(time.RFC3339), actor, e.Address, e.Action, e.Target, changedMembers(e.Before, e.After))
	}
	return table.Flush()
}

// changedMembers returns the members that differ between two objects, such as name: "a" → "b".
func changedMembers(before, after jsontext.Value) string {
	if len(before) == 0 || len(after) == 0 {
		return ""
	}
	var old, fresh map[string]jsontext.Value
	if json.Unmarshal(before, &old) != nil || json.Unmarshal(after, &fresh) != nil {
		return ""
	}
	both := maps.Clone(old)
	maps.Copy(both, fresh)
	var changes []string
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if was, is := shortValue(old[name]), shortValue(fresh[name]); !bytes.Equal(old[name], fresh[name]) {
			changes = append(changes, name+": "+was+" → "+is)
		}
	}
	return strings.Join(changes, ", ")
}

// shortValue returns a value as text, cut to 40 characters.
func shortValue(v jsontext.Value) string {
	if len(v) == 0 {
		return "none"
	}
	if text := []rune(string(v)); len(text) > 40 {
		return string(text[:39]) + "…"
	}
	return string(v)
}
