package messages_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// TestPinEvents checks the events about pins, their order, and the state of the channel.
func TestPinEvents(t *testing.T) {
	t.Parallel()
	s := openLab(t)
	first, second := s.say(t, bob, 310, `{"content":"one"}`), s.say(t, bob, 310, `{"content":"two"}`)
	s.sent, s.linked = nil, nil
	for _, id := range []snowflake.Message{first, second, second} {
		if err := s.Pin(t.Context(), ada, 310, id); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, e := range s.sent {
		names = append(names, e.Name)
	}
	one := []string{messages.Edited, "CHANNEL_PINS_UPDATE", messages.Created}
	if want := slices.Concat(one, one); !slices.Equal(names, want) {
		t.Fatalf("events %q, want %q", names, want)
	}
	if want := []string{messages.Edited, messages.Created, messages.Edited, messages.Created}; !slices.Equal(s.linked, want) {
		t.Errorf("linked %q, want %q", s.linked, want)
	}
	now := s.Clock.Now().Format("2006-01-02T15:04:05")
	for i, want := range map[int]string{
		0: `"pinned":true`, 1: `{"guild_id":"300","channel_id":"310","last_pin_timestamp":"` + now + `.000000+00:00"}`,
		2: fmt.Sprintf(`"message_reference":{"type":0,"channel_id":"310","message_id":"%v","guild_id":"300"}`, first),
		4: `{"guild_id":"300","channel_id":"310","last_pin_timestamp":"` + now + `.000001+00:00"}`,
	} {
		if got := string(s.sent[i].Data); !strings.Contains(got, want) {
			t.Errorf("6 %s is %s, want %s in it", names[i], got, want)
		}
	}
	if got := s.sent[1].To; got.Intents != events.Guilds || got.Channel != 310 {
		t.Errorf("6 CHANNEL_PINS_UPDATE goes to %+v, want bots with GUILDS who see the channel", got)
	}
	s.wantChannel(t, 4, 4, 2, s.Clock.Now().Add(time.Microsecond))
	s.sent = nil
	if err := s.Unpin(t.Context(), ada, 310, second); err != nil {
		t.Fatal(err)
	}
	s.wantChannel(t, 4, 4, 1, s.Clock.Now())
	if err := s.Unpin(t.Context(), ada, 310, first); err != nil {
		t.Fatal(err)
	}
	s.wantChannel(t, 4, 4, 0, time.Time{})
	if len(s.sent) != 4 || string(s.sent[3].Data) != `{"guild_id":"300","channel_id":"310","last_pin_timestamp":null}` {
		t.Errorf("6 events of two unpins: %v", s.sent)
	}
}

// wantChannel checks what is known about the messages of the channel 310.
func (s *service) wantChannel(t *testing.T, count, sent, pins int, last time.Time) {
	t.Helper()
	err := s.Cache.Store().Read(t.Context(), func(r store.Reader) error {
		got, err := r.Messages.Channel(310)
		if got.Count != count || got.Sent != sent || got.Pins != pins || !got.LastPin.Equal(last) {
			t.Errorf("the channel has %+v, want %d messages of %d, %d pins, the last at %v", got, count, sent, pins, last)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestPinLimit pins as many messages as possible, and reads them page by page.
func TestPinLimit(t *testing.T) {
	t.Parallel()
	s := openLab(t)
	for range messages.MaxPins {
		if err := s.Pin(t.Context(), ada, 310, s.say(t, bob, 310, `{"content":"x"}`)); err != nil {
			t.Fatal(err)
		}
	}
	id := s.say(t, bob, 310, `{"content":"x"}`)
	if err := s.Pin(t.Context(), ada, 310, id); !errors.Is(err, apierror.TooManyPins) {
		t.Errorf("6 pin %d: %v, want TooManyPins", messages.MaxPins+1, err)
	}
	seen := map[string]bool{}
	page := messages.PinsPage{Limit: 50}
	for range messages.MaxPins/50 + 1 {
		text, err := s.Pins(t.Context(), bob, 310, page)
		if err != nil {
			t.Fatal(err)
		}
		body := parse(t, text)
		items := body.Get("items").Items()
		for _, item := range items {
			seen[item.Get("message").Get("id").Text()] = true
		}
		if body.Get("has_more").String() != "true" {
			break
		}
		if page.Before, err = time.Parse(time.RFC3339, items[len(items)-1].Get("pinned_at").Text()); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != messages.MaxPins {
		t.Errorf("6 the pages have %d messages, want %d", len(seen), messages.MaxPins)
	}
}
