package engines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Archiving are settings with which a server keeps its write-ahead log in an archive, for Recover.
var Archiving = []string{"archive_mode=on", "archive_command=mkdir -p ../archive && cp %p ../archive/%f"}

// BaseBackup copies the data of a running server with pg_basebackup into a new server, which is not running yet.
func (p *Postgres) BaseBackup(ctx context.Context) (*Postgres, error) {
	program, err := find("pg_basebackup")
	if err != nil {
		return nil, err
	}
	base := &Postgres{}
	if base.dir, base.owner, err = folder("postgres"); err != nil {
		return nil, err
	}
	if base.port, err = freePort(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(base.dir))
	}
	base.program = p.program
	base.probe = func(ctx context.Context) error { return base.run(ctx, "SELECT 1") }
	data := filepath.Join(base.dir, "data")
	base.args = []string{
		"-D", data, "-p", strconv.Itoa(base.port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "max_connections=400", // a recovery needs as many as the server that wrote the log
		"-c", "restore_command=cp " + filepath.Join(p.dir, "archive") + "/%f %p", "-c", "recovery_target_action=promote",
	}
	copying := base.command(ctx, program, "-D", data, "-d", p.URL("postgres"), "-c", "fast", "--no-sync")
	if err := copying.Run(); err != nil {
		return nil, errors.Join(fmt.Errorf("pg_basebackup: %w: %s", err, base.output.String()), os.RemoveAll(base.dir))
	}
	return base, nil
}

// Recover starts a server that BaseBackup made. It replays the archive of the original server up to a target such as
// "recovery_target_time=2026-01-31 12:00:00+00", and returns when the server accepts writes. The caller stops the server.
func (p *Postgres) Recover(ctx context.Context, target string) error {
	if err := os.WriteFile(filepath.Join(p.dir, "data", "recovery.signal"), nil, 0o600); err != nil {
		return err
	}
	if p.owner != nil { // the server removes the file
		if err := os.Chown(filepath.Join(p.dir, "data", "recovery.signal"), int(p.owner.Uid), int(p.owner.Gid)); err != nil {
			return err
		}
	}
	p.args = append(p.args, "-c", target)
	p.probe = func(ctx context.Context) error { return p.run(ctx, "CREATE TEMPORARY TABLE accepts_writes ()") }
	return p.start(ctx)
}
