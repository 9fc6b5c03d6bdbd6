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
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	deletedLobbies   = 100_000 // of the application that is deleted
	deletionRate    = 200     // edits of other applications' lobbies a second meanwhile
	deletionClients = 20
)

// deletionCase reads the latency that 99 of 100 edits keep while an application with many lobbies is deleted.
func (s *stage) deletionCase() compare.Case {
	return compare.Case{
		Name: "delete-application-p99", Bound: compare.AtMost(0.02), Unit: compare.Seconds,
		Reading: func(ctx context.Context) (float64, error) {
			h, operator, err := s.deletionServer(ctx)
			if err != nil {
				return 0, err
			}
			loaded, stop := context.WithCancel(ctx)
			defer stop()
			type outcome struct {
				load.Result
				err error
			}
			done := make(chan outcome, 1)
			edits := load.Paced(deletionRate, deletionClients, func(i int) []byte {
				n := 1 + i%(smallApplications-1) // not the application that goes
				return h.edits[n].RenderEach(nil, uint64(n), s.serial.Next())
			})
			go func() { // ends with stop, and is waited for below
				r, err := load.Target{Addr: h.Addr, Connections: deletionClients, Requests: until(loaded, edits)}.Drain(ctx)
				done <- outcome{r, err}
			}()
			began := time.Now()
			err = deleteApplication(ctx, h, operator)
			s.logf("deleted an application with %d lobbies in %v", s.deleted(), time.Since(began).Round(time.Millisecond))
			stop()
			o := <-done
			return o.Latency.Quantile(0.99).Seconds(), errors.Join(err, o.err)
		},
	}
}

func (s *stage) deleted() int {
	if s.quick {
		return deletedLobbies / 1000
	}
	return deletedLobbies
}

// deletionServer runs Bellhop with an application that has many lobbies and others that have one each.
func (s *stage) deletionServer(ctx context.Context) (h *lobbyServer, operator string, err error) {
	data, err := s.folder("doomed")
	if err != nil {
		return nil, "", err
	}
	db, err := sqlite.Open(ctx, filepath.Join(data, server.DatabaseFile), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, "", err
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	for first := smallApplications; first < smallApplications+s.deleted() && err == nil; first += 1000 {
		var c store.Change
		for i := first; i < min(first+1000, smallApplications+s.deleted()); i++ {
			putLobby(&c, i, snowflake.Application(workload.ApplicationID(0)), week(i), now)
		}
		err = db.Commit(ctx, c)
	}
	if err != nil {
		return nil, "", errors.Join(err, db.Close())
	}
	if err := fillLobbies(ctx, db, smallApplications, smallApplications, week); err != nil {
		return nil, "", err
	}
	if operator, err = s.adminToken(ctx, data); err != nil {
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
	h = newLobbyServer(registry{p, smallApplications}, smallApplications)
	s.running = append(s.running, h)
	return h, operator, nil
}

func deleteApplication(ctx context.Context, h *lobbyServer, operator string) error {
	url := fmt.Sprintf("http://%s/admin/v1/applications/%d", h.Addr, workload.ApplicationID(0))
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, url, nil) //nolint:gosec // G704: of a process that this one started
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+operator)
	return send(r)
}
