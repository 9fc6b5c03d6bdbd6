package ratelimit_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

func TestDeleteGroup(t *testing.T) {
	t.Parallel()
	const id = snowflake.Message(1499742181785600002)
	for age, want := range map[time.Duration]ratelimit.Group{
		-time.Second: ratelimit.ChannelMessagesDeleteNew, 9 * time.Second: ratelimit.ChannelMessagesDeleteNew,
		10 * time.Second: ratelimit.ChannelMessagesDelete, 14 * 24 * time.Hour: ratelimit.ChannelMessagesDelete,
		14*24*time.Hour + time.Second: ratelimit.ChannelMessagesDeleteOld,
	} {
		if got := ratelimit.DeleteGroup(id, id.Time().Add(age)); got != want {
			t.Errorf("1.6 the deletion of a message of age %v belongs to %v, want %v", age, got, want)
		}
	}
	if got := ratelimit.DeleteGroup(0, id.Time()); got != ratelimit.ChannelMessagesDeleteNew {
		t.Errorf("1.6 the deletion of an unknown message belongs to %v", got)
	}
}

// TestChannelLimits checks that a limit of channels counts each caller and each channel separately.
func TestChannelLimits(t *testing.T) {
	t.Parallel()
	p := ratelimit.Default()
	p.Routes[ratelimit.ChannelMessagesWrite] = ratelimit.Rule{Limit: 1, Window: 5 * time.Second, Per: ratelimit.PerCallerAndChannel}
	guard := ratelimit.Guard{Policy: &p, Limiter: ratelimit.NewMemory(1000, start)}
	for _, tt := range []struct {
		name   string
		caller ratelimit.Caller
		want   ratelimit.Scope
	}{
		{"a bot", ratelimit.Caller{Application: 100, Channel: 310}, ratelimit.Allowed},
		{"the bot again", ratelimit.Caller{Application: 100, Channel: 310}, ratelimit.User},
		{"in another channel", ratelimit.Caller{Application: 100, Channel: 311}, ratelimit.Allowed},
		{"a user", ratelimit.Caller{User: 200, Channel: 310}, ratelimit.Allowed},
	} {
		v := guard.Check(t.Context(), ratelimit.ChannelMessagesWrite, &tt.caller, start)
		if got := v.Scope(); got != tt.want {
			t.Errorf("1.6 %s: scope %v, want %v", tt.name, got, tt.want)
		}
	}
}
