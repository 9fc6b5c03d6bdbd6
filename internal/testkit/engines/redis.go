package engines

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

// errRedis means that Redis is not installed.
var errRedis = errors.New("Redis is not installed: tools/needs has its packages")

// Redis is a running Redis server.
type Redis struct{ server }

// StartRedis starts a new server that writes its data to disk. The caller stops it.
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
	// By default a cluster uses the port plus 10,000, which a client may have.
	cluster, err := freePort(ctx)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.dir))
	}
	r.program = program
	r.args = slices.Concat([]string{
		"--bind", "127.0.0.1", "--port", strconv.Itoa(r.port), "--cluster-port", strconv.Itoa(cluster), "--dir", r.dir, "--save", "",
		"--appendonly", "yes", "--appendfsync", "everysec",
	}, settings)
	r.probe = r.ping
	if err := r.start(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.dir))
	}
	return r, nil
}

// URL returns the URL of the server.
func (r *Redis) URL() string { return fmt.Sprintf("redis://127.0.0.1:%d", r.port) }

// Forget deletes the data of a stopped server.
func (r *Redis) Forget() error { return os.RemoveAll(filepath.Join(r.dir, "appendonlydir")) }

// ping checks that the server answers and has loaded its data.
func (r *Redis) ping(ctx context.Context) error { return r.send(ctx, "PING\r\n", "+PONG\r\n") }

// send sends a command and checks the answer.
func (r *Redis) send(ctx context.Context, command, want string) error {
	answer, err := r.ask(ctx, command)
	if err == nil && answer != want {
		err = fmt.Errorf("answered %q", answer)
	}
	return err
}

// ask sends a command and returns the first 4 KiB of the answer.
func (r *Redis) ask(ctx context.Context, command string) (answer string, err error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(r.port)))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return "", err
	}
	if _, err := conn.Write([]byte(command)); err != nil {
		return "", err
	}
	buf := make([]byte, 4<<10)
	n, err := conn.Read(buf)
	return string(buf[:n]), err
}

// AwaitSubscriber waits until one client has subscribed to a channel.
func (r *Redis) AwaitSubscriber(ctx context.Context, channel string) error {
	want := fmt.Sprintf("*2\r\n$%d\r\n%s\r\n:1\r\n", len(channel), channel)
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(probeInterval) {
		err := r.send(ctx, "PUBSUB NUMSUB "+channel+"\r\n", want)
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// Cluster makes a server with --cluster-enabled a cluster of one node.
func (r *Redis) Cluster(ctx context.Context) error {
	if err := r.send(ctx, "CLUSTER ADDSLOTSRANGE 0 16383\r\n", "+OK\r\n"); err != nil {
		return err
	}
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(probeInterval) {
		err := r.send(ctx, "SET {ready} 1\r\n", "+OK\r\n")
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// StartSentinel starts a sentinel for a server. The caller stops it.
func StartSentinel(ctx context.Context, of *Redis, name string) (*Redis, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, errRedis
	}
	r := &Redis{}
	if r.dir, r.owner, err = folder("sentinel"); err != nil {
		return nil, err
	}
	if r.port, err = freePort(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.dir))
	}
	file := filepath.Join(r.dir, "sentinel.conf")
	text := fmt.Sprintf("bind 127.0.0.1\nport %d\nsentinel monitor %s 127.0.0.1 %d 1\n", r.port, name, of.port)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.dir))
	}
	if r.owner != nil { // the sentinel writes to the file
		if err := os.Chown(file, int(r.owner.Uid), int(r.owner.Gid)); err != nil {
			return nil, errors.Join(err, os.RemoveAll(r.dir))
		}
	}
	r.program, r.args, r.probe = program, []string{file, "--sentinel"}, r.ping
	if err := r.start(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.dir))
	}
	return r, nil
}
