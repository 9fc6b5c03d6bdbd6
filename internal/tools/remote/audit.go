package remote

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// AuditEntry is an entry of the audit log in the responses of the admin API.
type AuditEntry struct {
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

// AuditLog reads the audit log of a running service. The fields after Token select entries; an empty one selects all.
type AuditLog struct {
	BaseURL, Token               string
	Actor, Action, Target, Since string
}

// query returns the path and the query of a request for entries.
func (o AuditLog) query(more url.Values) string {
	for name, value := range map[string]string{"actor": o.Actor, "action": o.Action, "target": o.Target, "since": o.Since} {
		if value != "" {
			more.Set(name, value)
		}
	}
	return Root(o.BaseURL) + "/admin/v1/audit?" + more.Encode()
}

// Head returns the end of the chain of hashes of the log.
func (o AuditLog) Head(ctx context.Context) (string, error) {
	var found struct {
		Head string `json:"head"`
	}
	r := Request{Method: http.MethodGet, URL: Root(o.BaseURL) + "/admin/v1/audit/head", Token: o.Token}
	err := r.Ask(ctx, nil, &found)
	return found.Head, err
}

// Newest returns the newest entries, up to a limit, oldest first.
func (o AuditLog) Newest(ctx context.Context, most int) ([]AuditEntry, error) {
	var all []AuditEntry
	for len(all) < most {
		limit := min(most-len(all), auditPage)
		values := url.Values{"limit": {strconv.Itoa(limit)}}
		if len(all) > 0 {
			values.Set("before", strconv.FormatUint(all[len(all)-1].ID, 10))
		}
		var page []AuditEntry
		if err := (Request{Method: http.MethodGet, URL: o.query(values), Token: o.Token}).Ask(ctx, nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < limit {
			break
		}
	}
	slices.Reverse(all)
	return all, nil
}

// reconnectAfter is the pause before Watch connects again, for example while the service restarts.
const reconnectAfter = time.Second

// Watch calls show with the entries after the one with the id last, until ctx ends. It connects again when the connection ends.
func (o AuditLog) Watch(ctx context.Context, last uint64, show func(AuditEntry) error) (err error) {
	for ctx.Err() == nil {
		last, err = o.follow(ctx, last, show)
		if err != nil && ctx.Err() == nil {
			return err
		}
		clock.Pause(ctx, reconnectAfter)
	}
	return nil
}

// follow calls show with the entries after the one with the id last until the connection ends, and returns the id of the
// newest one.
func (o AuditLog) follow(ctx context.Context, last uint64, show func(AuditEntry) error) (uint64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, o.query(url.Values{}), http.NoBody)
	if err != nil {
		return last, URLError{err}
	}
	r.Header.Set("Authorization", "Bearer "+o.Token)
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
		var e AuditEntry
		if err := json.Unmarshal(text, &e); err != nil {
			return last, fmt.Errorf("response of the service: %w", err)
		}
		last = max(last, e.ID)
		if err := show(e); err != nil {
			return last, err
		}
	}
	return last, nil // the connection ended: the caller connects again
}

// Changes returns the members of the target that differ afterwards, such as name: "a" → "b".
func (e AuditEntry) Changes() string {
	if len(e.Before) == 0 || len(e.After) == 0 {
		return ""
	}
	var old, fresh map[string]jsontext.Value
	if json.Unmarshal(e.Before, &old) != nil || json.Unmarshal(e.After, &fresh) != nil {
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
