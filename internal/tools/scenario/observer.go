package scenario

import (
	"context"

	"github.com/bellhop/bellhop/internal/tools/userclient"
)

// connectObservers connects the owner of each guild if a step looks at a channel that its user may not see: another channel than its own,
// or one of a guild that the user leaves. Owners see all channels. They appear offline, so that the app does not notice them.
func (x *execution) connectObservers(ctx context.Context, s *Scenario) error {
	needed := false
	for i := range s.Steps {
		step := &s.Steps[i].Step
		needed = needed || step.Leave != "" || step.Expect != nil && step.Expect.In != ""
	}
	if !needed {
		return nil
	}
	for _, g := range x.service.world.Guilds {
		token, known := x.service.userTokens[g.Owner]
		if !known {
			continue
		}
		one, err := userclient.Observe(ctx, x.service.url, token, x.clock)
		if err != nil {
			return err
		}
		x.clients[observerOf(g.ID.String())] = one
	}
	return nil
}

// observerOf returns the key of the client that observes a guild. No user has such a name.
func observerOf(guild string) string { return "@observer of " + guild }

// watcher returns the client that sees what apps do in a channel: that of the user, or the one that observes the guild.
func (x *execution) watcher(ctx context.Context, s *Step, e *Expect, channel string) (*userclient.Client, error) {
	if e.In != "" || s.Leave != "" {
		guild, err := x.guildOf(channel)
		if one := x.clients[observerOf(guild)]; err == nil && one != nil {
			return one, nil
		}
	}
	return x.currentUser(ctx)
}
