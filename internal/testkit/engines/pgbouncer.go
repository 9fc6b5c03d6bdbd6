package engines

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
)

// PgBouncer is a running connection pooler in front of a PostgreSQL server.
type PgBouncer struct{ server }

// pgbouncerSettings give each transaction any of a few sessions of the server.
const pgbouncerSettings = `[databases]
* = host=127.0.0.1 port=%d user=bellhop
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 1000
server_login_retry = 1
`

// StartPgBouncer starts a pooler in transaction mode. It tries again soon when the server does not answer. The caller stops it.
func StartPgBouncer(ctx context.Context, of *Postgres) (*PgBouncer, error) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		return nil, errors.New("PgBouncer is not installed: tools/needs has its packages")
	}
	b := &PgBouncer{}
	if b.dir, b.owner, err = folder("pgbouncer"); err != nil {
		return nil, err
	}
	if b.port, err = freePort(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.dir))
	}
	file := filepath.Join(b.dir, "pgbouncer.ini")
	if err := os.WriteFile(file, fmt.Appendf(nil, pgbouncerSettings, of.port, b.port), 0o644); err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.dir))
	}
	b.program, b.args = program, []string{file}
	b.probe = func(ctx context.Context) error {
		var d net.Dialer
		c, err := d.DialContext(ctx, "tcp", b.Addr())
		if err != nil {
			return err
		}
		return c.Close()
	}
	if err := b.start(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.dir))
	}
	return b, nil
}

// Addr returns the address that the pooler listens on.
func (b *PgBouncer) Addr() string { return fmt.Sprintf("127.0.0.1:%d", b.port) }

// URL returns a URL with the host of the pooler in place of its own.
func (b *PgBouncer) URL(of string) (string, error) {
	u, err := url.Parse(of)
	if err != nil {
		return "", err
	}
	u.Host = b.Addr()
	return u.String(), nil
}
