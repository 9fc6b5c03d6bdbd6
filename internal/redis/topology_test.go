package redis_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// cluster is a Redis cluster of three masters.
var cluster struct {
	sync.Mutex

	users   int
	masters []*engines.Redis
}

// clusterURL returns the URL of the cluster.
func clusterURL(t *testing.T) string {
	t.Helper()
	return startCluster(t)[0].URL()
}

// startCluster returns the masters of a cluster that runs until the last test that uses it ends.
func startCluster(t *testing.T) []*engines.Redis {
	t.Helper()
	engines.Need(t, "redis-server")
	cluster.Lock()
	defer cluster.Unlock()
	if cluster.users == 0 {
		masters, err := engines.StartRedisCluster(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		cluster.masters = masters
	}
	cluster.users++
	t.Cleanup(func() {
		cluster.Lock()
		defer cluster.Unlock()
		if cluster.users--; cluster.users == 0 {
			for _, r := range cluster.masters {
				if err := r.Stop(); err != nil {
					t.Error(err)
				}
			}
		}
	})
	return cluster.masters
}

// TestTopologies sends messages over a cluster, and over a server that a sentinel names.
func TestTopologies(t *testing.T) {
	t.Parallel()
	sentinel, err := engines.StartSentinel(t.Context(), server.Get(t), "main")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sentinel.Stop(); err != nil {
			t.Error(err)
		}
	})
	for name, url := range map[string]string{"cluster": clusterURL(t), "sentinel": sentinel.URL() + "?master_set=main"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := open(t, url)
			heard := make(chan string, 100)
			run(t, func(ctx context.Context) error {
				_ = c.Listen(ctx, "me", func(m []byte) { heard <- string(m) }) // ends with the test
				return nil
			})
			for {
				if err := c.Publish(t.Context(), "me", []byte("hello")); err != nil {
					t.Fatal(err)
				}
				select {
				case <-heard:
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		})
	}
}
