package engines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// errPostgres means that PostgreSQL is not installed.
var errPostgres = errors.New("PostgreSQL is not installed: tools/needs has its packages")

// Postgres is a running PostgreSQL server.
type Postgres struct {
	server

	databases atomic.Int64
	copying   sync.Mutex
}

// Quick are settings for tests that do not simulate a power failure: a killed server keeps acknowledged writes without
// waiting for the disk.
var Quick = []string{"fsync=off"}

// StartPostgres starts a new server with settings such as "fsync=off". The caller stops it.
func StartPostgres(ctx context.Context, settings ...string) (*Postgres, error) {
	p, err := SparePostgres(ctx, settings...)
	if err != nil {
		return nil, err
	}
	if err := p.create(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(p.dir))
	}
	if err := p.start(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(p.dir))
	}
	return p, nil
}

// create makes the data of a server: a copy of those that initdb has made before, because it takes a second of processor time.
// They are kept in the cache folder of the user, for each version of PostgreSQL.
func (p *Postgres) create(ctx context.Context) error {
	initdb, err := find("initdb")
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	version, err := exec.CommandContext(ctx, initdb, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", initdb, err)
	}
	made := filepath.Join(cache, "bellhop", "postgres", url.PathEscape(strings.TrimSpace(string(version))))
	if err := p.copyData(made); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	run := p.command(ctx, initdb, "-D", p.data(), "-U", "bellhop", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if err := run.Run(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, p.output.String())
	}
	return keepData(p.data(), made)
}

// copyData copies a folder to the data of the server. Its error is fs.ErrNotExist if there is no such folder.
func (p *Postgres) copyData(from string) error {
	if _, err := os.Stat(from); err != nil {
		return err
	}
	if err := os.CopyFS(p.data(), os.DirFS(from)); err != nil {
		return err
	}
	if err := os.Chmod(p.data(), 0o700); err != nil || p.owner == nil {
		return err
	}
	return filepath.WalkDir(p.data(), func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, int(p.owner.Uid), int(p.owner.Gid)))
	})
}

// keepData keeps a copy of a folder. Several processes may do that at the same time.
func keepData(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(to), "part-")
	if err != nil {
		return err
	}
	if err := os.CopyFS(part, os.DirFS(from)); err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	if os.Rename(part, to) != nil { // another process was faster
		return os.RemoveAll(part)
	}
	return nil
}

// SparePostgres returns a server that has no data and does not run. Follow starts it. The caller stops it.
func SparePostgres(ctx context.Context, settings ...string) (*Postgres, error) {
	program, err := find("postgres")
	if err != nil {
		return nil, err
	}
	p := &Postgres{}
	if p.dir, p.owner, err = folder("postgres"); err != nil {
		return nil, err
	}
	if p.port, err = freePort(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(p.dir))
	}
	p.program = program
	p.args = []string{"-D", p.data(), "-p", strconv.Itoa(p.port)}
	for _, s := range slices.Concat([]string{
		"listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=400", "autovacuum_naptime=5s",
		"shared_buffers=128MB", "log_min_messages=fatal",
	}, settings) {
		p.args = append(p.args, "-c", s)
	}
	p.probe = func(ctx context.Context) error { return p.run(ctx, "SELECT 1") }
	return p, nil
}

// data returns the folder of the server's data.
func (p *Postgres) data() string { return filepath.Join(p.dir, "data") }

// find returns the path of a PostgreSQL program, of the newest version that Debian has installed.
func find(program string) (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + program)
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		return newest(found), nil
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", errPostgres
	}
	return path, nil
}

// newest returns the path with the largest version.
func newest(paths []string) string {
	return slices.MaxFunc(paths, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
}

// URL returns the URL of a database.
func (p *Postgres) URL(database string) string {
	return fmt.Sprintf("postgres://bellhop@127.0.0.1:%d/%s?sslmode=disable", p.port, database)
}

// Addr returns the host and port of the server.
func (p *Postgres) Addr() string { return fmt.Sprintf("127.0.0.1:%d", p.port) }

// Database creates an empty database and returns its URL.
func (p *Postgres) Database(ctx context.Context) (string, error) {
	name := "t" + strconv.FormatInt(p.databases.Add(1), 10)
	if err := p.run(ctx, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	return p.URL(name), nil
}

// Copy creates a copy of a database that has no open connections, and returns its URL.
func (p *Postgres) Copy(ctx context.Context, of string) (string, error) {
	from, err := pgx.ParseConfig(of)
	if err != nil {
		return "", err
	}
	p.copying.Lock() // the server creates one at a time
	defer p.copying.Unlock()
	name := "t" + strconv.FormatInt(p.databases.Add(1), 10)
	if err := p.run(ctx, "CREATE DATABASE "+name+" TEMPLATE "+from.Database+""); err != nil {
		return "", err
	}
	return p.URL(name), nil
}

// empty removes all rows except the schema versions, and the position of the last event that was removed. Most tests write to
// few of the tables. Tables without pages are left out: a DELETE of each table takes longer than most tests.
const empty = `DO $$ DECLARE list text; BEGIN
	SELECT string_agg(relname, ', ') INTO list FROM pg_class
		WHERE relkind = 'r' AND relnamespace = CAST(current_schema AS regnamespace) AND pg_relation_size(oid) > 0
		AND relname NOT IN ('schema_versions', 'events_removed');
	IF list IS NOT NULL THEN EXECUTE 'TRUNCATE ' || list; END IF;
	END $$`

// Empty deletes the records of a database, so that it can be used again.
func (p *Postgres) Empty(ctx context.Context, url string) error { return p.exec(ctx, url, empty) }

// Cut ends all client connections, as a network failure would.
func (p *Postgres) Cut(ctx context.Context) error {
	return p.run(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"+
		" WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'")
}

// run executes a statement in the server's own database.
func (p *Postgres) run(ctx context.Context, query string) error {
	return p.exec(ctx, p.URL("postgres"), query)
}

func (p *Postgres) exec(ctx context.Context, url, query string) (err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	_, err = conn.Exec(ctx, query)
	return err
}
