package server

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// TestDamagedRowsOfLoops damages more rows than a batch of each loop has. The loops must reach the rows behind them.
func TestDamagedRowsOfLoops(t *testing.T) {
	t.Parallel()
	const damaged = 300
	cfg := Config{Data: t.TempDir(), World: testWorld(t)}
	if err := runServer(t, cfg).stop(); err != nil { // creates the tables
		t.Fatal(err)
	}
	now := time.Now()
	first := func(age time.Duration) uint64 { return uint64(now.Add(-age).UnixMilli()-snowflake.Epoch) << 22 }
	interactions, messages, lobbies, removed := first(10*time.Minute), first(25*time.Hour), first(time.Hour), first(2*time.Hour)
	var records []store.Record
	for i := range uint64(damaged + 1) {
		records = append(records, store.Interaction{
			ID: snowflake.Interaction(interactions + i), Application: 1300000000000000001, User: 200, Hash: store.TokenHash{byte(i), byte(i >> 8)},
			State: interaction.State{Status: interaction.Pending}, Due: now.Add(-time.Hour).Add(time.Duration(i) * time.Second),
			Origin: store.Origin{Type: interaction.ApplicationCommand, Channel: 310},
		}, store.Message{
			ID: snowflake.Message(messages + i), Channel: 310, User: 200, Ephemeral: true, Content: jsontext.Value(`{}`),
		}, store.Lobby{
			Lobby: lobby.Lobby{ID: snowflake.Lobby(lobbies + i), Application: 1300000000000000001, IdleSince: now.Add(-time.Hour), IdleTimeout: time.Second},
			Due:   now.Add(-time.Hour).Add(time.Duration(i) * time.Second),
		}, store.Lobby{ // of an application that was deleted; the newest ones are removed first
			Lobby: lobby.Lobby{ID: snowflake.Lobby(removed + damaged - i), Application: 77, IdleSince: now, IdleTimeout: time.Hour},
		})
	}
	records = append(records, store.Tombstone{Kind: store.KindApplication, ID: 77})
	commitTo(t, cfg.Data, records...)
	change(t, cfg.Data, "UPDATE interactions SET checksum = checksum + 1 WHERE id < "+decimal(interactions+damaged))
	change(t, cfg.Data, "UPDATE messages SET checksum = checksum + 1 WHERE id < "+decimal(messages+damaged))
	change(t, cfg.Data, "UPDATE lobbies SET checksum = checksum + 1 WHERE id NOT IN ("+decimal(lobbies+damaged)+", "+decimal(removed)+")")

	r := runServer(t, cfg)
	for _, c := range []struct {
		what string
		gone func(store.Reader) error
	}{
		{"interaction", func(q store.Reader) error {
			i, err := q.Interactions.Interaction(snowflake.Interaction(interactions + damaged))
			if err == nil && i.State.Status == interaction.Failed {
				err = store.ErrNotFound
			}
			return err
		}},
		{"message", func(q store.Reader) error {
			_, err := q.Messages.Message(snowflake.Message(messages + damaged))
			return err
		}},
		{"idle lobby", func(q store.Reader) error { _, err := q.Lobbies.Lobby(snowflake.Lobby(lobbies + damaged)); return err }},
		{"lobby of a deleted application", func(q store.Reader) error { _, err := q.Lobbies.Lobby(snowflake.Lobby(removed)); return err }},
	} {
		var err error
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end) && !isNotFound(err); time.Sleep(20 * time.Millisecond) {
			err = r.server.store.Read(t.Context(), c.gone)
		}
		if !isNotFound(err) {
			t.Errorf("the %s behind %d damaged ones was not reached within 30 s: it is there (%v)", c.what, damaged, err)
		}
	}
	if log := r.log.String(); strings.Count(log, "due records cannot be handled") == 0 {
		t.Error("the log does not say that records are skipped")
	}
}

// commitTo stores records in the database of a data folder. No service may use the folder.
func commitTo(t *testing.T, data string, records ...store.Record) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(data, DatabaseFile), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	err = store.Decide(context.WithoutCancel(t.Context()), db, func(tx *store.Tx) error { return tx.Put(records...) })
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

func isNotFound(err error) bool { return errors.Is(err, store.ErrNotFound) }
