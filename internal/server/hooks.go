package server

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/hooks/remote"
)

// openHooks builds the hooks of the configuration: those of the program and those over HTTP.
func (s *Server) openHooks(cfg Config) (err error) {
	log := cfg.Log.With("part", "hooks")
	s.hookKey = &remote.Key{Store: s.store, Clock: s.clock, Sealer: s.sealer}
	s.remoteHooks = remote.New(remote.Config{Clock: s.wall, Log: log, Key: s.hookKey, Dev: cfg.Dev})
	all := append(slices.Clip(cfg.Hooks), s.remoteHooks.Hooks(cfg.RemoteHooks)...)
	c := hooks.Config{Outbox: s.outbox, Clock: s.wall, Log: log, Metrics: s.figures}
	if len(cfg.RemoteHooks) > 0 {
		c.VerifyKey = s.hookKey.Public
	}
	s.callbacks, err = hooks.New(all, c)
	return err
}

// announceHooks logs the key that verifies the calls of hooks over HTTP, and creates it if there is none.
func (s *Server) announceHooks(ctx context.Context, cfg Config) error {
	if len(cfg.RemoteHooks) == 0 {
		return nil
	}
	var key string
	err := s.atStart(ctx, func() (err error) {
		key, err = s.hookKey.Public(ctx)
		return err
	})
	switch {
	case err == nil:
		cfg.Log.InfoContext(ctx, "hooks over HTTP", "count", len(cfg.RemoteHooks), "verify_key", key)
	case s.ReadOnly():
		cfg.Log.ErrorContext(ctx, "the key of hooks cannot be read: calls before fail", "err", err)
		err = nil
	}
	return err
}
