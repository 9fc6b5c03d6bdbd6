package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
)

// sample measures the service.
func (r *soakRun) sample(ctx context.Context) error {
	s := sample{at: time.Since(r.began)}
	if n := len(r.samples); n > 0 && s.at-r.samples[n-1].at < r.every/2 {
		return nil // the sample before was late
	}
	m, err := r.service.Memory()
	if err != nil {
		return err
	}
	s.memory = float64(m.Resident) / (1 << 20)
	text, err := r.metrics(ctx)
	if err != nil {
		return err
	}
	s.goroutines, s.files = metric(text, "go_goroutines"), metric(text, "process_open_fds")
	if s.rows, err = r.rows(); err != nil {
		return err
	}
	s.p50, s.p99 = r.latencies()
	r.samples = append(r.samples, s)
	r.logf("%v: %.0f MiB, %.0f goroutines, %.0f open files, %.0f rows, p50 %.1f ms, p99 %.1f ms", s.at.Round(time.Second), s.memory,
		s.goroutines, s.files, s.rows, s.p50, s.p99)
	return nil
}

// metrics returns the metrics of the service.
func (r *soakRun) metrics(ctx context.Context) (_ string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.service.Addr+"/metrics", http.NoBody)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(r.admin)))
	resp, err := r.http.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	text, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return "", errors.Join(fmt.Errorf("GET /metrics: %s %s", resp.Status, text), err)
	}
	return string(text), err
}

// metric returns a value of the metrics.
func metric(text, name string) float64 {
	_, rest, _ := strings.Cut(text, "\n"+name+" ")
	value, _, _ := strings.Cut(rest, "\n")
	v, _ := strconv.ParseFloat(value, 64) // a missing one is 0
	return v
}

// keptFor lists the tables whose rows the service keeps for a time, and the kinds of their subjects. An interaction and its nonce
// have a row each.
var keptFor = map[string]store.Kind{"interactions": store.KindInteraction, "nonces": store.KindNonce, "guild_audit": 0, "audit": 0, "audit_seals": 0}

// worldEntries bounds the entries in audit logs about the world file.
const worldEntries = 100

// rows returns the number of rows of all tables without those of keptFor. It fails if there are more of them than were sent.
func (r *soakRun) rows() (_ float64, err error) {
	s, err := sqlite.OpenSnapshot(filepath.Join(r.data, server.DatabaseFile))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	count := func(from string) (n int64, err error) {
		err = s.Query("SELECT count(*) FROM "+from, nil, func(row store.Row) error {
			n, _ = row[0].(int64)
			return nil
		})
		return n, err
	}
	var total int64
	for _, t := range store.Tables() {
		n, err := count(t.Name)
		if err != nil {
			return 0, err
		}
		kind, kept := keptFor[t.Name]
		if !kept {
			total += n
			continue
		}
		sent := r.sentInAll()
		if t.Name == "interactions" {
			sent = r.sentWithin(interactionLife)
		}
		if n > sent+worldEntries {
			return 0, fmt.Errorf("there are %d rows in %s, but only %d requests that need one", n, t.Name, sent)
		}
		if kind == 0 {
			continue
		}
		if n, err = count(fmt.Sprintf("subjects WHERE kind = %d", kind)); err != nil {
			return 0, err
		}
		total -= n
	}
	return float64(total), nil
}

// interactionLife is the time for which the service keeps an interaction, with the time until its next cleanup.
const interactionLife = 65 * time.Minute

// sentInAll returns the number of all requests.
func (r *soakRun) sentInAll() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return int64(r.requests)
}

// latencies returns the median and the 99th percentile of the response times since the last call, in milliseconds.
func (r *soakRun) latencies() (p50, p99 float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Sort(r.took)
	n := len(r.took)
	if n == 0 {
		return 0, 0
	}
	p50, p99 = r.took[n/2].Seconds()*1000, r.took[n*99/100].Seconds()*1000
	r.took = r.took[:0]
	return p50, p99
}
