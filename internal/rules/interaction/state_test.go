package interaction_test

import (
	"errors"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const bornID snowflake.Interaction = 1300000000000000000

var born = bornID.Time()

// answered returns the state after a first response one second after the creation.
func answered(tb testing.TB, c interaction.CallbackType) interaction.State {
	tb.Helper()
	at := born.Add(time.Second)
	s, err := interaction.NewState(bornID, interaction.Owners{ByGuild: true}).Acknowledge(c, at, at)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// TestStates tests the table in section 15 of the specification.
func TestStates(t *testing.T) {
	t.Parallel()
	pending := interaction.NewState(bornID, interaction.Owners{})
	for _, tt := range []struct {
		name, rule string
		give       interaction.State
		want       interaction.Status
	}{
		{"created", "15", pending, interaction.Pending},
		{"callback 4", "15 pending", answered(t, interaction.ChannelMessage), interaction.Answered},
		{"callback 7", "15 pending", answered(t, interaction.UpdateMessage), interaction.Answered},
		{"callback 9", "15 pending", answered(t, interaction.OpenModal), interaction.Answered},
		{"callback 12", "15 pending", answered(t, interaction.LaunchActivity), interaction.Answered},
		{"callback 5", "15 pending", answered(t, interaction.DeferredChannelMessage), interaction.Deferred},
		{"callback 6", "15 pending", answered(t, interaction.DeferredUpdateMessage), interaction.Deferred},
		{"callback 8", "15 pending", answered(t, interaction.AutocompleteResult), interaction.Closed},
		{"before the deadline", "15 pending", pending.At(born.Add(3*time.Second-1), false), interaction.Pending},
		{"at the deadline", "15 pending", pending.At(born.Add(3*time.Second), false), interaction.Failed},
		{"at the deadline while an answer is read", "15 grace", pending.At(born.Add(3*time.Second), true), interaction.Pending},
		{"after the grace", "15 grace", pending.At(born.Add(3250*time.Millisecond), true), interaction.Failed},
		{"delivery error", "15 pending", pending.Fail(), interaction.Failed},
		{"delivery error after an answer", "15", answered(t, interaction.ChannelMessage).Fail(), interaction.Answered},
		{"answered, before 15 minutes", "15 answered", answered(t, interaction.ChannelMessage).At(born.Add(15*time.Minute-1), false), interaction.Answered},
		{"answered, 15 minutes", "15 answered", answered(t, interaction.ChannelMessage).At(born.Add(15*time.Minute), false), interaction.Expired},
		{"deferred, 15 minutes", "15 deferred", answered(t, interaction.DeferredChannelMessage).At(born.Add(15*time.Minute), false), interaction.Expired},
		{"failed stays failed", "15", pending.Fail().At(born.Add(time.Hour), false), interaction.Failed},
		{"closed stays closed", "15", answered(t, interaction.AutocompleteResult).At(born.Add(time.Hour), false), interaction.Closed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.give.Status != tt.want {
				t.Errorf("%s: %v, want %v", tt.rule, tt.give.Status, tt.want)
			}
		})
	}
}

func TestAcknowledge(t *testing.T) {
	t.Parallel()
	pending := interaction.NewState(bornID, interaction.Owners{})
	for _, tt := range []struct {
		name, rule   string
		give         interaction.State
		arrived, now time.Duration
		want         error
	}{
		{"in time", "8.3", pending, 2999 * time.Millisecond, 2999 * time.Millisecond, nil},
		{"late", "8.3 deadline passed", pending, 3 * time.Second, 3 * time.Second, interaction.ErrUnknownInteraction},
		{"arrived in time, read late", "15 grace", pending, 2999 * time.Millisecond, 3249 * time.Millisecond, nil},
		{"arrived in time, read too late", "15 grace", pending, 2999 * time.Millisecond, 3250 * time.Millisecond, interaction.ErrUnknownInteraction},
		{"failed", "8.3", pending.Fail(), 0, 0, interaction.ErrUnknownInteraction},
		{"already answered", "8.3", answered(t, interaction.ChannelMessage), time.Second, time.Second, interaction.ErrAcknowledged},
		{"already deferred", "8.3", answered(t, interaction.DeferredUpdateMessage), time.Second, time.Second, interaction.ErrAcknowledged},
		{"already closed", "8.3", answered(t, interaction.AutocompleteResult), time.Second, time.Second, interaction.ErrAcknowledged},
		{"token too old", "8.3", answered(t, interaction.ChannelMessage), 15 * time.Minute, 15 * time.Minute, interaction.ErrUnknownInteraction},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := tt.give.Acknowledge(interaction.ChannelMessage, born.Add(tt.arrived), born.Add(tt.now)); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", tt.rule, err, tt.want)
			}
		})
	}
}

// TestTokenRoutes tests the table in section 9 of the specification.
func TestTokenRoutes(t *testing.T) {
	t.Parallel()
	pending := interaction.NewState(bornID, interaction.Owners{})
	deleted, err := answered(t, interaction.ChannelMessage).DeleteOriginal(born)
	if err != nil {
		t.Fatal(err)
	}
	webhook, message, token := interaction.ErrUnknownWebhook, interaction.ErrUnknownMessage, interaction.ErrTokenExpired
	for _, tt := range []struct {
		name               string
		give               interaction.State
		after              time.Duration
		original, followUp error
	}{
		{"before any acknowledgement", pending, time.Second, webhook, webhook},
		{"pending past the deadline", pending, time.Minute, webhook, webhook},
		{"failed", pending.Fail(), time.Hour, webhook, webhook},
		{"after 4", answered(t, interaction.ChannelMessage), time.Minute, nil, nil},
		{"after 5", answered(t, interaction.DeferredChannelMessage), time.Minute, nil, nil},
		{"after 6", answered(t, interaction.DeferredUpdateMessage), time.Minute, nil, nil},
		{"after 7", answered(t, interaction.UpdateMessage), time.Minute, nil, nil},
		{"after 8", answered(t, interaction.AutocompleteResult), time.Minute, message, webhook},
		{"after 9", answered(t, interaction.OpenModal), time.Minute, message, nil},
		{"after 12", answered(t, interaction.LaunchActivity), time.Minute, message, nil},
		{"original deleted", deleted, time.Minute, message, nil},
		{"15 minutes", answered(t, interaction.ChannelMessage), 15 * time.Minute, token, token},
		{"15 minutes and deleted", deleted, 15*time.Minute + time.Second, token, token},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			now := born.Add(tt.after)
			if err := tt.give.Original(now); !errors.Is(err, tt.original) {
				t.Errorf("Original() = %v, want %v", err, tt.original)
			}
			if _, err := tt.give.EditOriginal(now); !errors.Is(err, tt.original) {
				t.Errorf("EditOriginal() = %v, want %v", err, tt.original)
			}
			if _, err := tt.give.DeleteOriginal(now); !errors.Is(err, tt.original) {
				t.Errorf("DeleteOriginal() = %v, want %v", err, tt.original)
			}
			if _, _, err := tt.give.FollowUp(now); !errors.Is(err, tt.followUp) {
				t.Errorf("FollowUp() = %v, want %v", err, tt.followUp)
			}
			if err := tt.give.Messages(now); !errors.Is(err, tt.followUp) {
				t.Errorf("Messages() = %v, want %v", err, tt.followUp)
			}
		})
	}
}

func TestDeferredIsFilledOnce(t *testing.T) {
	t.Parallel()
	now := born.Add(time.Minute)
	s, fills, err := answered(t, interaction.DeferredChannelMessage).FollowUp(now)
	if err != nil || !fills || s.Status != interaction.Answered || s.FollowUps != 0 {
		t.Errorf("first follow-up after 5: %+v, fills %v, %v, want it to fill the original", s, fills, err)
	}
	if s, fills, err = s.FollowUp(now); err != nil || fills || s.FollowUps != 1 {
		t.Errorf("second follow-up after 5: %+v, fills %v, %v, want a new message", s, fills, err)
	}
	s, err = answered(t, interaction.DeferredChannelMessage).EditOriginal(now)
	if err != nil || s.Status != interaction.Answered {
		t.Errorf("edit after 5: %v, %v, want answered", s.Status, err)
	}
	if s, fills, err = s.FollowUp(now); err != nil || fills {
		t.Errorf("follow-up after 5 and an edit: %+v, fills %v, %v, want a new message", s, fills, err)
	}
	s, fills, err = answered(t, interaction.DeferredUpdateMessage).FollowUp(now)
	if err != nil || fills || s.Status != interaction.Answered {
		t.Errorf("first follow-up after 6: %+v, fills %v, %v, want a new message", s, fills, err)
	}
	gone, err := answered(t, interaction.DeferredChannelMessage).DeleteOriginal(now)
	if err != nil {
		t.Fatal(err)
	}
	if _, fills, err := gone.FollowUp(now); err != nil || fills {
		t.Errorf("follow-up after the original was deleted: fills %v, %v, want a new message", fills, err)
	}
}

func TestFollowUpsOfUserInstalls(t *testing.T) {
	t.Parallel()
	now := born.Add(time.Second)
	for _, tt := range []struct {
		name   string
		owners interaction.Owners
		want   int // accepted ones of seven
	}{
		{"user alone", interaction.Owners{User: 5}, 5},
		{"guild and user", interaction.Owners{ByGuild: true, Guild: 3, User: 5}, 7},
		{"DM with the bot", interaction.Owners{ByGuild: true}, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := interaction.NewState(bornID, tt.owners).Acknowledge(interaction.ChannelMessage, now, now)
			if err != nil {
				t.Fatal(err)
			}
			sent := 0
			for range 7 {
				next, _, err := s.FollowUp(now)
				if err == nil {
					sent++
				} else if !errors.Is(err, interaction.ErrTooManyFollowUps) {
					t.Fatalf("FollowUp() = %v", err)
				}
				s = next
			}
			if sent != tt.want || s.FollowUps != tt.want {
				t.Errorf("%d follow-ups, counted %d, want %d (9 create follow-up)", sent, s.FollowUps, tt.want)
			}
		})
	}
}

func TestStatusWords(t *testing.T) {
	t.Parallel()
	var got []string
	for s := interaction.Pending; s <= interaction.Expired+1; s++ {
		got = append(got, s.String())
	}
	want := []string{"pending", "answered", "deferred", "closed", "failed", "expired", "unknown"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names differ (-want +got):\n%s", diff)
	}
}

// TestFirstAnswerCounts applies random requests in random order. There is at most one first response, it is in time,
// and a token that has failed or expired stays so.
func TestFirstAnswerCounts(t *testing.T) {
	t.Parallel()
	kinds := []interaction.CallbackType{4, 5, 6, 7, 8, 9, 12}
	rapid.Check(t, func(t *rapid.T) {
		s := interaction.NewState(bornID, interaction.Owners{User: 1})
		now := born
		answers := 0
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 4000).Draw(t, "ms")) * time.Millisecond)
			before := s.At(now, false)
			var next interaction.State
			switch rapid.IntRange(0, 4).Draw(t, "event") {
			case 0:
				var err error
				if next, err = s.Acknowledge(rapid.SampledFrom(kinds).Draw(t, "kind"), now, now); err == nil {
					answers++
					if late := now.Sub(born); late >= interaction.Deadline {
						t.Fatalf("a response is accepted after %v", late)
					}
				}
			case 1:
				next, _, _ = s.FollowUp(now)
			case 2:
				next, _ = s.EditOriginal(now)
			case 3:
				next, _ = s.DeleteOriginal(now)
			default:
				next = s.At(now, false)
			}
			if dead := before.Status == interaction.Failed || before.Status == interaction.Expired; dead && (next.At(now, false).Status != before.Status) {
				t.Fatalf("%v became %v", before.Status, next.Status)
			}
			if answers > 1 || next.FollowUps > interaction.MaxUserFollowUps {
				t.Fatalf("%d first answers, %d follow-ups", answers, next.FollowUps)
			}
			s = next
		}
	})
}
