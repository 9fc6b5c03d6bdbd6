package registry_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/registry"
)

func TestCheckCounts(t *testing.T) {
	t.Parallel()
	of := func(chat, user, message, entry int) []command.Type {
		return slices.Concat(
			slices.Repeat([]command.Type{command.ChatInput}, chat), slices.Repeat([]command.Type{command.User}, user),
			slices.Repeat([]command.Type{command.Message}, message), slices.Repeat([]command.Type{command.PrimaryEntryPoint}, entry),
		)
	}
	for _, tt := range []struct {
		name  string
		types []command.Type
		want  registry.LimitError
	}{
		{"none", nil, registry.LimitError{}},
		{"full", of(100, 15, 15, 1), registry.LimitError{}},
		{"101 CHAT_INPUT", of(101, 0, 0, 0), registry.LimitError{Type: command.ChatInput, Max: 100}},
		{"16 USER", of(0, 16, 0, 0), registry.LimitError{Type: command.User, Max: 15}},
		{"16 MESSAGE", of(0, 0, 16, 0), registry.LimitError{Type: command.Message, Max: 15}},
		{"2 entry points", of(0, 0, 0, 2), registry.LimitError{Type: command.PrimaryEntryPoint, Max: 1}},
		{"the lowest type first", of(101, 16, 16, 2), registry.LimitError{Type: command.ChatInput, Max: 100}},
		{"130 of one type", of(130, 0, 0, 0), registry.LimitError{Type: command.ChatInput, Max: 100}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got registry.LimitError
			if err := registry.CheckCounts(tt.types...); err != nil {
				limit, ok := errors.AsType[*registry.LimitError](err)
				if !ok {
					t.Fatalf("CheckCounts() = %v, want a *LimitError", err)
				}
				got = *limit
			}
			if got != tt.want {
				t.Errorf("Limits: CheckCounts() = %v, want %v", got, tt.want)
			}
		})
	}
	if got := command.Type(9).Max(); got != 0 {
		t.Errorf("Max() of an unknown type = %d, want 0", got)
	}
	err := registry.CheckCounts(of(0, 16, 0, 0)...)
	if want := "maximum number of application commands reached (15)"; err.Error() != want {
		t.Errorf("error = %q, want %q", err, want)
	}
}

func TestQuotaTake(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for _, tt := range []struct {
		name  string
		give  registry.Quota
		n     int
		after time.Duration
		want  registry.Quota
		retry time.Duration // 0: taken
	}{
		{"first create opens the window", registry.Quota{}, 1, time.Hour, registry.Quota{Since: start.Add(time.Hour), Used: 1}, 0},
		{"later creates count in it", registry.Quota{Since: start, Used: 1}, 3, time.Hour, registry.Quota{Since: start, Used: 4}, 0},
		{"the last of 200", registry.Quota{Since: start, Used: 199}, 1, time.Hour, registry.Quota{Since: start, Used: 200}, 0},
		{"the 201st", registry.Quota{Since: start, Used: 200}, 1, time.Hour, registry.Quota{Since: start, Used: 200}, 23 * time.Hour},
		{"a list that would pass the limit is refused whole", registry.Quota{Since: start, Used: 150}, 51, 2 * time.Hour, registry.Quota{Since: start, Used: 150}, 22 * time.Hour},
		{"a list that just fits", registry.Quota{Since: start, Used: 150}, 50, 2 * time.Hour, registry.Quota{Since: start, Used: 200}, 0},
		{"one moment before the window ends", registry.Quota{Since: start, Used: 200}, 1, day - time.Nanosecond, registry.Quota{Since: start, Used: 200}, time.Nanosecond},
		{"when the window ends", registry.Quota{Since: start, Used: 200}, 1, day, registry.Quota{Since: start.Add(day), Used: 1}, 0},
		{"long after", registry.Quota{Since: start, Used: 200}, 7, 10 * day, registry.Quota{Since: start.Add(10 * day), Used: 7}, 0},
		{"nothing created opens no window", registry.Quota{}, 0, time.Hour, registry.Quota{}, 0},
		{"nothing created at the limit", registry.Quota{Since: start, Used: 200}, 0, time.Hour, registry.Quota{Since: start, Used: 200}, 0},
		{"more than a whole day's", registry.Quota{}, 201, time.Hour, registry.Quota{}, day},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.give.Take(tt.n, registry.MaxCreates, start.Add(tt.after))
			if got != tt.want {
				t.Errorf("Limits: Take() = %v, want %v", got, tt.want)
			}
			quota, refused := errors.AsType[*registry.QuotaError](err)
			switch {
			case refused != (tt.retry > 0):
				t.Errorf("Limits: Take() = %v, want refused %v", err, tt.retry > 0)
			case refused && (quota.Max != 200 || quota.RetryAfter != tt.retry):
				t.Errorf("Limits: refused with %d after %v, want 200 after %v", quota.Max, quota.RetryAfter, tt.retry)
			}
		})
	}
	_, err := registry.Quota{Since: start, Used: 200}.Take(1, registry.MaxCreates, start)
	if want := "max number of daily application command creates has been reached (200)"; err.Error() != want {
		t.Errorf("error = %q, want %q", err, want)
	}
}

func TestDailyCreatesSetting(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		most, n int
		refused bool
	}{
		{"another number", 2, 2, false},
		{"more than another number", 2, 3, true},
		{"no limit", 0, 250, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.DailyCreates = tt.most
			var err error
			for i := 0; i < tt.n && err == nil; i++ {
				var c *command.Command
				if c, _, err = d.Create(t.Context(), global, env(global), []byte(definition("roll", "x"))); err == nil {
					err = d.Delete(t.Context(), global, c.ID)
				}
			}
			if _, refused := errors.AsType[*registry.QuotaError](err); refused != tt.refused {
				t.Errorf("Limits: %d creates: %v, want refused %v", tt.n, err, tt.refused)
			}
		})
	}
}
