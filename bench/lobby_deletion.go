package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/workload"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	deletedLobbies  = 100_000 // lobbies of the application that is deleted
	deletionRate    = 200     // edits of lobbies of other applications per second
	deletionClients = 20
)

// deletionCase reads the 99th percentile of the latency of edits while an application with many lobbies is deleted.
func (s *lobbyCases) deletionCase() compare.Case {
	return compare.Case{
		Name: "delete-application-p99", Bound: compare.AtMost(0.02), Unit: compare.Seconds,
		Reading: func(ctx context.Context) (float64, error) {
			l, adminToken, err := s.deletionServer(ctx)
			if err != nil {
				return 0, err
			}
			edits := load.Paced(deletionRate, deletionClients, func(i int) []byte {
				n := 1 + i%(smallApplications-1) // not the deleted application
				return l.edits[n].RenderEach(nil, uint64(n), s.serial.Next())
			})
			alone, err := load.Target{Addr: l.Addr, Connections: deletionClients, Requests: edits}.Run(ctx, 4*s.plan().Round)
			if err != nil {
				return 0, err
			}
			s.logf("99th percentile of the edits without a deletion: %v", alone.Latency.Quantile(0.99))
			loaded, stop := context.WithCancel(ctx)
			defer stop()
			type outcome struct {
				load.Result
				err error
			}
			done := make(chan outcome, 1)
			go func() { // stop ends it; its result is read below
				r, err := load.Target{Addr: l.Addr, Connections: deletionClients, Requests: until(loaded, edits)}.Drain(ctx)
				done <- outcome{r, err}
			}()
			began := time.Now()
			err = deleteApplication(ctx, l, adminToken)
			s.logf("deleted an application with %d lobbies in %v", s.deleted(), time.Since(began).Round(time.Millisecond))
			stop()
			o := <-done
			return o.Latency.Quantile(0.99).Seconds(), errors.Join(err, o.err)
		},
	}
}

// deleted returns the number of lobbies of the deleted application.
func (s *lobbyCases) deleted() int {
	if s.quick {
		return deletedLobbies / 1000
	}
	return deletedLobbies
}

// deletionServer starts Bellhop with an application that has many lobbies, and others that have one each.
func (s *lobbyCases) deletionServer(ctx context.Context) (l *lobbyServer, adminToken string, err error) {
	data, err := s.folder("deletion")
	if err != nil {
		return nil, "", err
	}
	db, err := sqlite.Open(ctx, filepath.Join(data, server.DatabaseFile), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, "", err
	}
	players := func(i int) (timeout time.Duration, first int) { return lobby.MaxIdleTimeout, player(i) }
	now := time.Now().UTC().Truncate(time.Microsecond)
	for first := smallApplications; first < smallApplications+s.deleted() && err == nil; first += 1000 {
		var c store.Change
		for i := first; i < min(first+1000, smallApplications+s.deleted()); i++ {
			putLobby(&c, i, snowflake.Application(workload.ApplicationID(0)), players, now)
		}
		err = db.Commit(ctx, c)
	}
	if err != nil {
		return nil, "", errors.Join(err, db.Close())
	}
	if err := fillLobbies(ctx, db, smallApplications, smallApplications, week); err != nil {
		return nil, "", err
	}
	if adminToken, err = s.adminToken(ctx, data); err != nil {
		return nil, "", err
	}
	file, err := s.file("world.yaml", workload.World(smallApplications))
	if err != nil {
		return nil, "", err
	}
	p, err := s.startWith(ctx, data, file, "off")
	if err != nil {
		return nil, "", err
	}
	l = newLobbyServer(registry{p, smallApplications}, smallApplications)
	s.running = append(s.running, l)
	return l, adminToken, nil
}

// deleteApplication deletes application 0.
func deleteApplication(ctx context.Context, l *lobbyServer, adminToken string) error {
	url := fmt.Sprintf("http://%s/admin/v1/applications/%d", l.Addr, workload.ApplicationID(0))
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, url, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+adminToken)
	return send(r)
}
