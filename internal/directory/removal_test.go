package directory_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
	zsqlite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Ids that are found in the database only when a record names them.
const (
	goneUser    snowflake.User        = 770000000000000001
	goneApp     snowflake.Application = 770000000000000002
	goneGuild   snowflake.Guild       = 770000000000000003
	goneChannel snowflake.Channel     = 770000000000000004
	goneThread  snowflake.Channel     = 770000000000000005
	goneRole    snowflake.Role        = 770000000000000006
)

// deletedWorld is a world whose records are deleted. Its records refer to each other.
const deletedWorld = `
users:
  - {id: 200, username: ada, token: user-ada}
  - {id: "770000000000000001", username: eve, token: user-eve}
applications:
  - {id: 100, name: Echo, owner: 200, bot_token: bot-echo, integration_types: [0, 1]}
  - {id: "770000000000000002", name: Old, owner: 200, bot_token: bot-old, integration_types: [0, 1]}
guilds:
  - id: 300
    name: Lab
    owner: 200
    roles: [{id: 301, name: mods}]
    channels:
      - id: 310
        name: general
        permission_overwrites: [{id: "770000000000000001", type: 1, allow: 1024}, {id: "770000000000000002", type: 1, allow: 1024}]
    members: [{user: "770000000000000001", roles: [301]}]
    installs: [{application: "770000000000000002", scopes: [bot], permissions: 8}]
  - id: "770000000000000003"
    name: Old
    owner: 200
    roles: [{id: "770000000000000006", name: old}]
    channels:
      - {id: "770000000000000004", name: crypt}
      - {id: "770000000000000005", name: tomb, type: 11, parent: "770000000000000004"}
    members: [{user: "770000000000000001", roles: ["770000000000000006"]}]
    installs: [{application: 100, scopes: [bot], permissions: 8}, {application: "770000000000000002", scopes: [bot]}]
user_installs:
  - {user: "770000000000000001", application: 100}
  - {user: 200, application: "770000000000000002"}
`

// dependents record their calls. fail may be nil; its error makes the call fail.
type dependents struct {
	mu    sync.Mutex
	calls []string
	fail  func(call string) error
}

func (x *dependents) note(format string, id any) error {
	call := fmt.Sprintf(format, id)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.fail != nil {
		if err := x.fail(call); err != nil {
			return err
		}
	}
	x.calls = append(x.calls, call)
	return nil
}

func (x *dependents) UserDeleted(_ context.Context, id snowflake.User) error {
	return x.note("user %v", id)
}

func (x *dependents) ApplicationDeleted(_ context.Context, id snowflake.Application) error {
	return x.note("application %v", id)
}

func (x *dependents) GuildDeleted(_ context.Context, id snowflake.Guild) error {
	return x.note("guild %v", id)
}

func (x *dependents) ChannelDeleted(_ context.Context, c store.Channel) error {
	if c.Guild != 0 {
		return x.note("channel %v", fmt.Sprint(c.ID, " of ", c.Guild))
	}
	return x.note("channel %v", fmt.Sprint(c.ID, " of ", c.Recipients))
}

// openAt opens a directory with a database file. The caller calls the returned function to close it.
func openAt(t *testing.T, path string) (*fixture, func()) {
	t.Helper()
	db, err := sqlite.OpenVolatile(t.Context(), path, clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return newFixture(db), func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// mentions returns the rows of all tables that contain an id.
func mentions(t *testing.T, path string, id fmt.Stringer) []string {
	t.Helper()
	c, err := zsqlite.OpenConn(path, zsqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }() // nothing was written
	var tables, found []string
	each := func(query string, row func(*zsqlite.Stmt)) {
		err := sqlitex.ExecuteTransient(c, query, &sqlitex.ExecOptions{ResultFunc: func(s *zsqlite.Stmt) error { row(s); return nil }})
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	each("SELECT name FROM sqlite_master WHERE type = 'table'", func(s *zsqlite.Stmt) { tables = append(tables, s.ColumnText(0)) })
	for _, table := range tables {
		each("SELECT * FROM "+table, func(s *zsqlite.Stmt) {
			values := []string{table}
			for i := range s.ColumnCount() {
				values = append(values, s.ColumnText(i))
			}
			if line := strings.Join(values, " "); strings.Contains(line, id.String()) {
				found = append(found, line)
			}
		})
	}
	return found
}

// deletions delete records that other records depend on.
var deletions = []struct {
	name   string
	id     fmt.Stringer
	delete func(ctx context.Context, d *fixture) error
	calls  []string // of dependents
}{
	{
		"user", goneUser, func(ctx context.Context, d *fixture) error { return d.Users.Delete(ctx, goneUser) },
		[]string{"user 770000000000000001", "channel 9003 of [200 770000000000000001]"},
	},
	{
		"application", goneApp, func(ctx context.Context, d *fixture) error { return d.Applications.Delete(ctx, goneApp) },
		[]string{"application 770000000000000002", "channel 9004 of [200 770000000000000002]"},
	},
	{
		"guild", goneGuild, func(ctx context.Context, d *fixture) error { return d.Guilds.Delete(ctx, goneGuild) },
		[]string{
			"guild 770000000000000003", "channel 770000000000000004 of 770000000000000003", "channel 770000000000000005 of 770000000000000003",
		},
	},
	{
		"channel", goneChannel, func(ctx context.Context, d *fixture) error {
			return d.Guilds.DeleteChannel(ctx, goneGuild, goneChannel)
		},
		[]string{"channel 770000000000000005 of 770000000000000003", "channel 770000000000000004 of 770000000000000003"},
	},
}

// openDeletedWorld opens a directory with the records that are deleted.
func openDeletedWorld(t *testing.T, path string) (*fixture, *dependents, func()) {
	t.Helper()
	d, end := openAt(t, path)
	d.ApplyText(t, deletedWorld)
	x := &dependents{}
	d.Removals.Dependents = []directory.Dependent{x}
	for _, other := range []snowflake.User{goneUser, snowflake.User(goneApp)} {
		lab.Get[directory.ChannelView](t)(d.Channels.OpenDirect(t.Context(), 200, []snowflake.User{other}))
	}
	lab.Get[auth.Secret](t)(credentials.Tokens{Directory: d.Directory, Clock: d.Now}.CreateAccessToken(t.Context(), goneApp, goneUser, []string{"identify"}))
	d.Seed(t, store.OverwriteSet{Guild: 300, Application: 100, ID: 7, Entries: []store.OverwriteEntry{
		{ID: snowflake.Target(goneUser), Type: 2}, {ID: snowflake.Target(goneApp), Type: 2},
	}})
	return d, x, end
}

// TestRemoval deletes records. Afterwards the database does not contain their ids, and the dependents were called.
func TestRemoval(t *testing.T) {
	t.Parallel()
	for _, tt := range deletions {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "bellhop.db")
			d, x, end := openDeletedWorld(t, path)
			if err := tt.delete(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			end()
			if left := mentions(t, path, tt.id); len(left) > 0 {
				t.Errorf("rows are left:\n%s", strings.Join(left, "\n"))
			}
			if diff := cmp.Diff(tt.calls, x.calls); diff != "" {
				t.Errorf("dependents (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRemovalContinues stops a removal at every call of a dependent. A process that starts later removes the rest.
func TestRemovalContinues(t *testing.T) {
	t.Parallel()
	for _, tt := range deletions {
		for stop := range len(tt.calls) {
			t.Run(fmt.Sprint(tt.name, " ", stop), func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "bellhop.db")
				d, x, end := openDeletedWorld(t, path)
				calls, broken := 0, errors.New("broken")
				x.fail = func(string) error {
					if calls++; calls > stop {
						return broken
					}
					return nil
				}
				if err := tt.delete(t.Context(), d); err != nil {
					t.Fatalf("a committed deletion returns %v", err)
				}
				if err := d.Removals.Resume(t.Context()); !errors.Is(err, broken) {
					t.Errorf("Resume() = %v, want %v", err, broken)
				}
				end()
				if left := mentions(t, path, tt.id); len(left) == 0 {
					t.Error("the removal did not stop")
				}

				again, end := openAt(t, path)
				rest := &dependents{}
				again.Removals.Dependents = []directory.Dependent{rest}
				if err := again.Removals.Resume(t.Context()); err != nil {
					t.Errorf("Resume() = %v", err)
				}
				end()
				if left := mentions(t, path, tt.id); len(left) > 0 {
					t.Errorf("rows are left:\n%s", strings.Join(left, "\n"))
				}
				if missed := len(tt.calls) - stop; len(rest.calls) < missed {
					t.Errorf("dependents were called for %v, want the last %d of %v", rest.calls, missed, tt.calls)
				}
			})
		}
	}
}

// TestPutAgain puts records with the ids of deleted ones whose removal has not finished.
func TestPutAgain(t *testing.T) {
	t.Parallel()
	d, x, end := openDeletedWorld(t, filepath.Join(t.TempDir(), "bellhop.db"))
	defer end()
	broken := true
	x.fail = func(string) error {
		if broken {
			return store.ErrUnavailable
		}
		return nil
	}
	for _, tt := range deletions[:3] {
		if err := tt.delete(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	_, err := d.PutUser(t.Context(), world.User{ID: goneUser, Username: "new"})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("PutUser() = %v while old rows are left, want ErrUnavailable", err)
	}
	broken = false
	d.ApplyText(t, `
users: [{id: "770000000000000001", username: new}]
applications: [{id: "770000000000000002", name: New, owner: 200}]
guilds: [{id: "770000000000000003", name: New, owner: 200}]
`)
	if m := lab.Get[[]store.Member](t)(d.Users.Memberships(t.Context(), goneUser, 0, 10)); len(m) > 0 {
		t.Errorf("the new user is a member of %v", m)
	}
	if c := lab.Get[[]store.Channel](t)(d.Guilds.Channels(t.Context(), goneGuild)); len(c) > 0 {
		t.Errorf("the new guild has channels %v", c)
	}
	if g, u, err := d.Applications.InstallCount(t.Context(), goneApp); g+u > 0 || err != nil {
		t.Errorf("the new application is installed in %d guilds and with %d users (%v)", g, u, err)
	}
	if d.Accepts(t, "user-eve") || d.Accepts(t, "Bot bot-old") {
		t.Error("old tokens are accepted")
	}
}

// commitSizes records the number of records in each commit.
type commitSizes struct {
	store.Store

	mu    sync.Mutex
	sizes []int
}

func (p *commitSizes) Commit(ctx context.Context, c store.Change) error {
	p.mu.Lock()
	p.sizes = append(p.sizes, len(c.Put)+len(c.Delete))
	p.mu.Unlock()
	return p.Store.Commit(ctx, c)
}

// TestBatches deletes records with many dependent records. No commit is large.
func TestBatches(t *testing.T) {
	t.Parallel()
	const many, most = 400, 300 // more than a batch, because the last record of a batch may need several writes
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	counted := &commitSizes{Store: db}
	d := newFixture(counted)
	d.ApplyText(t, deletedWorld)
	var all []store.Record
	for i := range many {
		u, g := snowflake.User(10000+i), snowflake.Guild(20000+i)
		all = append(all, store.User{ID: u}, store.Guild{ID: g, Owner: 200},
			store.Member{Guild: goneGuild, User: u, Roles: []snowflake.Role{goneRole}},
			store.Member{Guild: g, User: goneUser}, store.Install{Guild: g, Application: goneApp},
			store.Install{User: u, Application: goneApp},
			store.Channel{ID: snowflake.Channel(30000 + i), Guild: goneGuild},
			store.Channel{ID: snowflake.Channel(40000 + i), Type: 1, Recipients: []snowflake.User{u, goneUser}},
			store.Credential{Hash: auth.Hash(strconv.Itoa(i)), Kind: store.BearerToken, Application: goneApp, User: u})
	}
	d.Seed(t, all...)
	counted.sizes = nil
	if err := d.Users.Delete(t.Context(), goneUser); err != nil {
		t.Fatal(err)
	}
	if err := d.Applications.Delete(t.Context(), goneApp); err != nil {
		t.Fatal(err)
	}
	if err := d.Guilds.DeleteRole(t.Context(), goneGuild, goneRole); err != nil {
		t.Fatal(err)
	}
	if m := lab.Get[[]store.Member](t)(d.Guilds.Members(t.Context(), goneGuild, 10000, 1)); len(m) != 1 || len(m[0].Roles) > 0 {
		t.Errorf("Members() = %+v after the role is deleted", m)
	}
	if err := d.Guilds.Delete(t.Context(), goneGuild); err != nil {
		t.Fatal(err)
	}
	if largest := slices.Max(counted.sizes); largest > most {
		t.Errorf("a commit has %d records, want at most %d", largest, most)
	}
	left := 0
	err = db.Read(t.Context(), func(r store.Reader) error {
		members, err := r.Directory.MemberCount(goneGuild)
		guilds, users, err2 := r.Directory.InstallCount(goneApp)
		hashes, err3 := r.Credentials.OfApplication(goneApp, 10)
		tombstones, err4 := r.Directory.Tombstones()
		left = members + guilds + users + len(hashes) + len(tombstones)
		return errors.Join(err, err2, err3, err4)
	})
	if err != nil || left > 0 {
		t.Errorf("%d records are left (%v)", left, err)
	}
}

// TestReadsDuringRoleRemoval reads members while a deleted role is removed from them.
func TestReadsDuringRoleRemoval(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, deletedWorld)
	var all []store.Record
	for i := range 600 {
		u := snowflake.User(10000 + i)
		all = append(all, store.User{ID: u}, store.Member{Guild: goneGuild, User: u, Roles: []snowflake.Role{goneRole}})
	}
	d.Seed(t, all...)
	tombstone := store.Tombstone{Kind: store.KindRole, ID: uint64(goneRole), Guild: goneGuild}
	err := store.Decide(t.Context(), d.Store, func(tx *store.Tx) error {
		tx.Delete(store.RoleKey(goneGuild, goneRole)) // as DeleteRole does before the removal
		return tx.Put(tombstone)
	})
	if err != nil {
		t.Fatal(err)
	}
	if m := lab.Get[store.Member](t)(d.Guilds.Member(t.Context(), goneGuild, 10300)); len(m.Roles) > 0 {
		t.Errorf("Member() = %+v", m)
	}
	if m := lab.Get[[]store.Member](t)(d.Guilds.Members(t.Context(), goneGuild, 10000, 600)); len(m) < 599 || len(m[400].Roles) > 0 {
		t.Errorf("Members() = %d members, %+v", len(m), m[400])
	}
	if _, err := d.PutRole(t.Context(), goneGuild, world.Role{ID: goneRole, Name: "again"}); err != nil {
		t.Fatal(err)
	}
	if m := lab.Get[store.Member](t)(d.Guilds.Member(t.Context(), goneGuild, 10300)); len(m.Roles) > 0 {
		t.Errorf("Member() = %+v has the new role", m)
	}
}

func (d *fixture) tombstones(t *testing.T) (list []store.Tombstone) {
	t.Helper()
	err := d.Store.Read(t.Context(), func(r store.Reader) (err error) {
		list, err = r.Directory.Tombstones()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestRun makes a removal fail. Run finishes it a minute later.
func TestRun(t *testing.T) {
	t.Parallel()
	d, x, end := openDeletedWorld(t, filepath.Join(t.TempDir(), "bellhop.db"))
	defer end()
	now := clock.NewMovable(clock.System{})
	d.Now.Clock = now // for the timer of Run
	tries, done := 0, make(chan struct{})
	x.fail = func(string) error {
		switch tries++; tries {
		case 1, 2: // in DeleteChannel, and at the start of Run
			return store.ErrUnavailable
		case 3:
			close(done)
		}
		return nil
	}
	if err := d.Guilds.DeleteChannel(t.Context(), goneGuild, goneThread); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := d.Removals.Run(ctx); err != nil {
			t.Errorf("Run() = %v", err)
		}
	})
	for waiting := true; waiting || len(d.tombstones(t)) > 0; {
		select {
		case <-done:
			waiting = false
		default:
			now.Advance(time.Minute)
		}
	}
	stop()
	wg.Wait()
}

// claimedStore is a store in which another node has claimed all work, or none.
type claimedStore struct {
	store.Store

	taken  atomic.Bool
	claims atomic.Int64
}

func (s *claimedStore) Claim(_ context.Context, _ store.Work, ids []uint64) ([]uint64, error) {
	s.claims.Add(1)
	if s.taken.Load() {
		return nil, nil
	}
	return ids, nil
}

func (s *claimedStore) Release(context.Context, store.Work, []uint64) error { return nil }

// TestRemovalClaimed deletes a user while another node removes its records. This node leaves the removal to it, and takes it
// over when the claim has ended.
func TestRemovalClaimed(t *testing.T) {
	t.Parallel()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	shared := &claimedStore{Store: db}
	shared.taken.Store(true)
	d := directory.New(directory.Config{Store: shared, Cache: cache.New(shared, 1<<20), Clock: clock.System{}, IDs: &lab.IDs{}})
	x := &dependents{}
	d.Removals.Dependents = []directory.Dependent{x}
	worlds := &provision.Provisioner{Directory: d, Clock: clock.System{}}
	if _, err := worlds.PutUser(t.Context(), world.User{ID: 200, Username: "ada"}); err != nil {
		t.Fatal(err)
	}
	if err := d.Users.Delete(t.Context(), 200); err != nil {
		t.Fatal(err)
	}
	if err := d.Removals.Resume(t.Context()); err != nil || len(x.calls) != 0 {
		t.Errorf("Resume() = %v and calls %v while another node removes the records", err, x.calls)
	}
	before := shared.claims.Load()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := worlds.PutUser(ctx, world.User{ID: 200, Username: "ada"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("PutUser() = %v while another node removes the records of an earlier user", err)
	}
	if n := shared.claims.Load() - before; n > 50 {
		t.Errorf("PutUser() looked %d times in 200 ms whether the other node has finished", n)
	}
	shared.taken.Store(false)
	if err := d.Removals.Resume(t.Context()); err != nil || len(x.calls) == 0 {
		t.Errorf("Resume() = %v and calls %v after the claim has ended", err, x.calls)
	}
}
