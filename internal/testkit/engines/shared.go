package engines

import (
	"context"
	"sync"
	"testing"
)

// SharedRedis is a Redis server that the tests of a package share. The first test that needs it starts it.
type SharedRedis struct {
	mu     sync.Mutex
	server *Redis
}

// Get returns the server. It skips the test if Redis is not installed.
func (s *SharedRedis) Get(t testing.TB) *Redis {
	t.Helper()
	Need(t, "redis-server")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		server, err := StartRedis(context.WithoutCancel(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		s.server = server
	}
	return s.server
}

// Stop stops the server if a test has started it. TestMain calls it.
func (s *SharedRedis) Stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		return nil
	}
	return s.server.Stop()
}
