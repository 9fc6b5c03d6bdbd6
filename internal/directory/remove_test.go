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
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
	zsqlite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Ids that appear nowhere by accident.
const (
	goneUser    snowflake.User        = 770000000000000001
	goneApp     snowflake.Application = 770000000000000002
	goneGuild   snowflake.Guild       = 770000000000000003
	goneChannel snowflake.Channel     = 770000000000000004
	goneThread  snowflake.Channel     = 770000000000000005
	goneRole    snowflake.Role        = 770000000000000006
)

// doomed is a world whose records are deleted. Everything in it speaks of everything else.
const doomed = `
users:
  - {id: 200, username: ada, token: user-ada}
  - {id: "770000000000000001", username: eve, token: user-eve}
applications:
  - {id: 100, name: Echo, owner: 200, bot_token: bot-echo, integration_types: [0, 1]}
  - {id: "770000000000000002", name: Doom, owner: 200, bot_token: bot-doom, integration_types: [0, 1]}
guilds:
  - id: 300
    name: Lab
    owner: 200
    roles: [{id: 301, name: mods}]
    channels:
      - id: 310
        name: hall
        permission_overwrites: [{id: "770000000000000001", type: 1, allow: 1024}, {id: "770000000000000002", type: 1, allow: 1024}]
    members: [{user: "770000000000000001", roles: [301]}]
    installs: [{application: "770000000000000002", scopes: [bot], permissions: 8}]
  - id: "770000000000000003"
    name: Ruin
    owner: 200
    roles: [{id: "770000000000000006", name: ghosts}]
    channels:
      - {id: "770000000000000004", name: crypt}
      - {id: "770000000000000005", name: tomb, type: 11, parent: "770000000000000004"}
    members: [{user: "770000000000000001", roles: ["770000000000000006"]}]
    installs: [{application: 100, scopes: [bot], permissions: 8}, {application: "770000000000000002", scopes: [bot]}]
user_installs:
  - {user: "770000000000000001", application: 100}
  - {user: 200, application: "770000000000000002"}
`

// dependents note what they are called for. fail, when set, is asked before.
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

// openAt opens a directory whose file has a name, and returns what closes it.
func openAt(t *testing.T, path string) (*desk, func()) {
	t.Helper()
	db, err := sqlite.OpenVolatile(t.Context(), path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return newDesk(db), func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// mentions returns the rows of a database that name an id, in any table.
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

// deletions are the ways to delete something with everything that belongs to it.
var deletions = []struct {
	name   string
	id     fmt.Stringer
	delete func(ctx context.Context, d *desk) error
	calls  []string // of dependents
}{
	{
		"user", goneUser, func(ctx context.Context, d *desk) error { return d.DeleteUser(ctx, goneUser) },
		[]string{"user 770000000000000001", "channel 9003 of [200 770000000000000001]"},
	},
	{
		"application", goneApp, func(ctx context.Context, d *desk) error { return d.DeleteApplication(ctx, goneApp) },
		[]string{"application 770000000000000002", "channel 9004 of [200 770000000000000002]"},
	},
	{
		"guild", goneGuild, func(ctx context.Context, d *desk) error { return d.DeleteGuild(ctx, goneGuild) },
		[]string{
			"guild 770000000000000003", "channel 770000000000000004 of 770000000000000003", "channel 770000000000000005 of 770000000000000003",
		},
	},
	{
		"channel", goneChannel, func(ctx context.Context, d *desk) error { return d.DeleteChannel(ctx, goneGuild, goneChannel) },
		[]string{"channel 770000000000000005 of 770000000000000003", "channel 770000000000000004 of 770000000000000003"},
	},
}

// doom opens a directory with everything that is deleted in it.
func doom(t *testing.T, path string) (*desk, *dependents, func()) {
	t.Helper()
	d, end := openAt(t, path)
	d.apply(t, doomed)
	x := &dependents{}
	d.Dependents = []directory.Dependent{x}
	for _, other := range []snowflake.User{goneUser, snowflake.User(goneApp)} {
		get[directory.Sight](t)(d.OpenDirect(t.Context(), 200, []snowflake.User{other}))
	}
	get[auth.Secret](t)(d.MintAccessToken(t.Context(), goneApp, goneUser, []string{"identify"}))
	d.seed(t, store.OverwriteSet{Guild: 300, Application: 100, ID: 7, Entries: []store.OverwriteEntry{
		{ID: snowflake.Target(goneUser), Type: 2}, {ID: snowflake.Target(goneApp), Type: 2},
	}})
	return d, x, end
}

// TestRemoval deletes records. Nothing in the database names them afterwards, and dependents were called for each.
func TestRemoval(t *testing.T) {
	t.Parallel()
	for _, tt := range deletions {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "bellhop.db")
			d, x, end := doom(t, path)
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
				d, x, end := doom(t, path)
				calls, broken := 0, errors.New("broken")
				x.fail = func(string) error {
					if calls++; calls > stop {
						return broken
					}
					return nil
				}
				if err := tt.delete(t.Context(), d); err != nil {
					t.Fatalf("a deletion that is committed is acknowledged: %v", err)
				}
				if err := d.Resume(t.Context()); !errors.Is(err, broken) {
					t.Errorf("Resume() = %v, want %v", err, broken)
				}
				end()
				if left := mentions(t, path, tt.id); len(left) == 0 {
					t.Error("the removal did not stop")
				}

				again, end := openAt(t, path)
				rest := &dependents{}
				again.Dependents = []directory.Dependent{rest}
				if err := again.Resume(t.Context()); err != nil {
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
	d, x, end := doom(t, filepath.Join(t.TempDir(), "bellhop.db"))
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
		t.Errorf("PutUser() = %v as long as the old rows are there, want ErrUnavailable", err)
	}
	broken = false
	d.apply(t, `
users: [{id: "770000000000000001", username: new}]
applications: [{id: "770000000000000002", name: New, owner: 200}]
guilds: [{id: "770000000000000003", name: New, owner: 200}]
`)
	if m := get[[]store.Member](t)(d.Memberships(t.Context(), goneUser, 0, 10)); len(m) > 0 {
		t.Errorf("the new user is a member of %v", m)
	}
	if c := get[[]store.Channel](t)(d.Channels(t.Context(), goneGuild)); len(c) > 0 {
		t.Errorf("the new guild has channels %v", c)
	}
	if g, u, err := d.InstallCount(t.Context(), goneApp); g+u > 0 || err != nil {
		t.Errorf("the new application is installed in %d guilds and with %d users (%v)", g, u, err)
	}
	if d.accepts(t, "user-eve") || d.accepts(t, "Bot bot-doom") {
		t.Error("tokens of before are accepted")
	}
}

// pieces notes how many records each commit has.
type pieces struct {
	store.Store

	mu    sync.Mutex
	sizes []int
}

func (p *pieces) Commit(ctx context.Context, c store.Change) error {
	p.mu.Lock()
	p.sizes = append(p.sizes, len(c.Put)+len(c.Delete))
	p.mu.Unlock()
	return p.Store.Commit(ctx, c)
}

// TestPieces deletes what many records belong to: no commit is large.
func TestPieces(t *testing.T) {
	t.Parallel()
	const many, most = 400, 300 // a piece and what comes with its last record
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	counted := &pieces{Store: db}
	d := newDesk(counted)
	d.apply(t, doomed)
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
	d.seed(t, all...)
	counted.sizes = nil
	if err := d.DeleteUser(t.Context(), goneUser); err != nil {
		t.Fatal(err)
	}
	if err := d.DeleteApplication(t.Context(), goneApp); err != nil {
		t.Fatal(err)
	}
	if err := d.DeleteRole(t.Context(), goneGuild, goneRole); err != nil {
		t.Fatal(err)
	}
	if m := get[[]store.Member](t)(d.Members(t.Context(), goneGuild, 10000, 1)); len(m) != 1 || len(m[0].Roles) > 0 {
		t.Errorf("Members() = %+v after the role is deleted", m)
	}
	if err := d.DeleteGuild(t.Context(), goneGuild); err != nil {
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

// TestRoleInPieces looks at members while a role that many had is being taken from them.
func TestRoleInPieces(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.apply(t, doomed)
	var all []store.Record
	for i := range 600 {
		u := snowflake.User(10000 + i)
		all = append(all, store.User{ID: u}, store.Member{Guild: goneGuild, User: u, Roles: []snowflake.Role{goneRole}})
	}
	d.seed(t, all...)
	tombstone := store.Tombstone{Kind: store.KindRole, ID: uint64(goneRole), Guild: goneGuild}
	err := store.Decide(t.Context(), d.Store, func(tx *store.Tx) error {
		tx.Delete(store.RoleKey(goneGuild, goneRole)) // as DeleteRole does, without the rest
		return tx.Put(tombstone)
	})
	if err != nil {
		t.Fatal(err)
	}
	if m := get[store.Member](t)(d.Member(t.Context(), goneGuild, 10300)); len(m.Roles) > 0 {
		t.Errorf("Member() = %+v", m)
	}
	if m := get[[]store.Member](t)(d.Members(t.Context(), goneGuild, 10000, 600)); len(m) < 599 || len(m[400].Roles) > 0 {
		t.Errorf("Members() = %d members, %+v", len(m), m[400])
	}
	if _, err := d.PutRole(t.Context(), goneGuild, world.Role{ID: goneRole, Name: "again"}); err != nil {
		t.Fatal(err)
	}
	if m := get[store.Member](t)(d.Member(t.Context(), goneGuild, 10300)); len(m.Roles) > 0 {
		t.Errorf("Member() = %+v has the new role", m)
	}
}

func (d *desk) tombstones(t *testing.T) (list []store.Tombstone) {
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

// TestRun lets a removal fail. Run finishes it a minute later.
func TestRun(t *testing.T) {
	t.Parallel()
	d, x, end := doom(t, filepath.Join(t.TempDir(), "bellhop.db"))
	defer end()
	now := clock.NewMovable(clock.System{})
	d.Clock = now
	tries, done := 0, make(chan struct{})
	x.fail = func(string) error {
		switch tries++; tries {
		case 1, 2: // of DeleteChannel, of Run when it begins
			return store.ErrUnavailable
		case 3:
			close(done)
		}
		return nil
	}
	if err := d.DeleteChannel(t.Context(), goneGuild, goneThread); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := d.Run(ctx); err != nil {
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
