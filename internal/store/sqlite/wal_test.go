package sqlite_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

// writtenLog returns a database file and its write-ahead log, as a killed process leaves them after some commits.
func writtenLog(t *testing.T) (db, log []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	s, err := sqlite.OpenVolatile(t.Context(), path, clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		err := store.Decide(t.Context(), s, func(tx *store.Tx) error {
			return tx.Put(store.User{ID: snowflake.User(i + 1), Username: strconv.Itoa(i)})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []struct {
		suffix string
		into   *[]byte
	}{{"", &db}, {"-wal", &log}} {
		if *f.into, err = os.ReadFile(path + f.suffix); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return db, log
}

func TestDamagedLog(t *testing.T) {
	t.Parallel()
	db, intact := writtenLog(t)
	const frame = 24 + 4096
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte { b[at] ^= 4; return b }
	}
	hole := func(n int) func([]byte) []byte {
		return func(b []byte) []byte { clear(b[32+n*frame : 32+(n+1)*frame]); return b }
	}
	frames := (len(intact) - 32) / frame
	last := frames - 1 // the first frame of the last transaction
	for ; binary.BigEndian.Uint32(intact[32+(last-1)*frame+4:]) == 0; last-- {
	}
	if frames-last < 2 {
		t.Fatalf("the last transaction has %d frame, the test needs 2", frames-last)
	}
	for _, c := range []struct {
		name   string
		damage func([]byte) []byte
		lost   bool // Open refuses
		warns  bool // Open logs a warning
		users  int  // that are left
	}{
		{name: "intact", damage: func(b []byte) []byte { return b }, users: 10},
		{name: "a bit of the header", damage: flip(9), lost: true},
		{name: "a bit of the first page", damage: flip(32 + 24 + 100), lost: true},
		{name: "a bit in the middle", damage: flip(len(intact) / 2), lost: true, users: -1},
		{name: "a bit of a salt", damage: flip(32 + 5*frame + 9), lost: true, users: -1},
		{name: "a bit of a stored checksum", damage: flip(32 + 5*frame + 17), lost: true, users: -1},
		{name: "a page of zeros", damage: func(b []byte) []byte { clear(b[32+3*frame : 32+4*frame]); return b }, lost: true, users: -1},
		{name: "a bit of the last frame", damage: flip(len(intact) - 10), warns: true, users: 9},
		{name: "cut off in the last frame", damage: func(b []byte) []byte { return b[:len(b)-100] }, warns: true, users: 9},
		{name: "the last transaction without its last frame", damage: hole(frames - 1), warns: true, users: 9},
		{name: "the last transaction without its first frame", damage: hole(last), warns: true, users: 9},
		{name: "a hole at the end of the second to last transaction", damage: hole(last - 1), lost: true, users: 8},
		{name: "a damaged page of the last transaction", damage: flip(32 + last*frame + 24 + 100), warns: true, users: 9},
		{name: "a damaged page of the second to last transaction", damage: flip(32 + (last-1)*frame + 24 + 100), lost: true, users: 8},
		{name: "cut off in the header", damage: func(b []byte) []byte { return b[:20] }, warns: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "bellhop.db")
			for name, content := range map[string][]byte{path: db, path + "-wal": c.damage(bytes.Clone(intact))} {
				if err := os.WriteFile(name, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var logged strings.Builder
			s, err := sqlite.Open(t.Context(), path, clock.System{}, slog.New(slog.NewTextHandler(&logged, nil)))
			if errors.Is(err, sqlite.ErrLogDamaged) != c.lost {
				t.Fatalf("Open() = %v, damaged: want %v", err, c.lost)
			}
			if c.lost {
				s, err = sqlite.OpenDamaged(t.Context(), path, clock.System{}, slog.New(slog.DiscardHandler))
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(logged.String(), "incomplete transaction"); got != c.warns {
				t.Errorf("Open() warns: %v, want %v:\n%s", got, c.warns, &logged)
			}
			var users []store.User
			err = s.Read(t.Context(), func(r store.Reader) error {
				users, err = r.Directory.Users(0, 100)
				return err
			})
			if err != nil || (c.users >= 0 && len(users) != c.users) || len(users) > 10 {
				t.Errorf("%d users are left, %v, want %d", len(users), err, c.users)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
