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
	"strings"
	"time"
)

// errRedis means that Redis is not installed.
var errRedis = errors.New("Redis is not installed: tools/needs has its packages")

// Redis is a running Redis server.
type Redis struct {
	server

	clusterPort int // for the other servers of a cluster
}

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
	if r.clusterPort, err = freePort(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.dir))
	}
	r.program = program
	r.args = slices.Concat([]string{
		"--bind", "127.0.0.1", "--port", strconv.Itoa(r.port), "--cluster-port", strconv.Itoa(r.clusterPort), "--dir", r.dir, "--save", "",
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
	answer, err := r.Ask(ctx, command)
	if err == nil && answer != want {
		err = fmt.Errorf("answered %q", answer)
	}
	return err
}

// Ask sends a command and returns the first 4 KiB of the answer.
func (r *Redis) Ask(ctx context.Context, command string) (answer string, err error) {
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
	return AwaitSubscriber(ctx, []*Redis{r}, channel)
}

// AwaitSubscriber waits until one client has subscribed to a channel at one of the servers of a cluster.
func AwaitSubscriber(ctx context.Context, servers []*Redis, channel string) error {
	want := fmt.Sprintf("*2\r\n$%d\r\n%s\r\n:1\r\n", len(channel), channel)
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(probeInterval) {
		var last error
		for _, r := range servers {
			if last = r.send(ctx, "PUBSUB NUMSUB "+channel+"\r\n", want); last == nil {
				return nil
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("no subscriber of %s after %v: %w", channel, startTimeout, last)
		}
	}
}

// slots is the number of slots of a cluster.
const slots = 16384

// StartRedisCluster starts a cluster of masters, which share the slots. The caller stops each.
func StartRedisCluster(ctx context.Context, masters int) (list []*Redis, err error) {
	defer func() {
		if err != nil {
			for _, r := range list {
				err = errors.Join(err, r.Stop())
			}
		}
	}()
	for i := range masters {
		r, err := StartRedis(ctx, "--cluster-enabled", "yes")
		if err != nil {
			return list, err
		}
		list = append(list, r)
		from, to := slots*i/masters, slots*(i+1)/masters-1
		for _, command := range []string{
			fmt.Sprintf("CLUSTER ADDSLOTSRANGE %d %d\r\n", from, to),
			fmt.Sprintf("CLUSTER SET-CONFIG-EPOCH %d\r\n", i+1),
			fmt.Sprintf("CLUSTER MEET 127.0.0.1 %d %d\r\n", list[0].port, list[0].clusterPort),
		} {
			if err := r.send(ctx, command, "+OK\r\n"); err != nil {
				return list, fmt.Errorf("%q: %w", command, err)
			}
		}
	}
	return list, awaitCluster(ctx, list)
}

// awaitCluster waits until all servers of a cluster know each other and serve all slots.
func awaitCluster(ctx context.Context, list []*Redis) error {
	known := fmt.Sprintf("cluster_known_nodes:%d\r\n", len(list))
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(probeInterval) {
		ready := true
		var last string
		for _, r := range list {
			answer, err := r.Ask(ctx, "CLUSTER INFO\r\n")
			if err != nil {
				return err
			}
			if !strings.Contains(answer, "cluster_state:ok") || !strings.Contains(answer, known) {
				ready, last = false, answer
			}
		}
		switch {
		case ready:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("the cluster is not ready after %v: %s", startTimeout, last)
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
