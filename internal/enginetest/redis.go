package enginetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// errRedis says what to do where Redis is not installed.
var errRedis = errors.New("Redis is not installed: run `make deps` as root, or install Debian's package redis-server")

// Redis is a running Redis server.
type Redis struct{ server }

// StartRedis runs a new server that writes everything down. The caller stops it.
func StartRedis(ctx context.Context, settings ...string) (*Redis, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, errRedis
	}
	r := &Redis{}
	if r.dir, r.owner, err = folder("redis"); err != nil {
		return nil, err
	}
	if r.port, err = freePort(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.dir))
	}
	r.program = program
	r.args = slices.Concat([]string{
		"--bind", "127.0.0.1", "--port", strconv.Itoa(r.port), "--dir", r.dir, "--save", "", "--appendonly", "yes",
		"--appendfsync", "everysec",
	}, settings)
	r.probe = r.ping
	if err := r.start(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.dir))
	}
	return r, nil
}

// URL returns the address of the server.
func (r *Redis) URL() string { return fmt.Sprintf("redis://127.0.0.1:%d", r.port) }

// Forget removes what the server has written down. It does not run.
func (r *Redis) Forget() error { return os.RemoveAll(filepath.Join(r.dir, "appendonlydir")) }

// ping reports whether the server answers and has read its data.
func (r *Redis) ping(ctx context.Context) (err error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(r.port)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return err
	}
	answer := make([]byte, 64)
	n, err := conn.Read(answer)
	if err == nil && string(answer[:n]) != "+PONG\r\n" {
		err = fmt.Errorf("answered %q", answer[:n])
	}
	return err
}
