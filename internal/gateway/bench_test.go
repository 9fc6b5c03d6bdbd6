package gateway_test

import (
	"bytes"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// BenchmarkNoRecipients delivers events of the shared history at a node without connections. Each event is for the
// clients of many users, as events of lobbies are. An operation is an event.
func BenchmarkNoRecipients(b *testing.B) {
	for name, people := range map[string]int{"one": 1, "lobby": 8, "hall": 500} {
		b.Run(name, func(b *testing.B) {
			s := open(b, func(cfg *gateway.Config) {
				c, err := redis.Open(server.Get(b).URL(), b.Name(), clock.System{}, slog.New(slog.DiscardHandler))
				if err != nil {
					b.Fatal(err)
				}
				cfg.Shared = &redis.Sessions{Client: c} // not used: there are no sessions
			})
			to := events.Audience{Application: echo, Intents: events.Lobbies}
			for i := range people {
				to.Users = append(to.Users, ada+snowflake.User(i))
			}
			run := make([]events.Event, 100)
			for i := range run {
				run[i] = events.Event{Name: "LOBBY_MEMBER_ADD", Data: bytes.Repeat([]byte("member.."), 30), To: to}
			}
			room := s.bus.Room()
			b.ReportAllocs()
			b.ResetTimer()
			for n := range b.N/len(run) + 1 {
				for i := range run {
					run[i].Position = events.Position{Transaction: uint64(n + 1), Number: uint64(i)}
				}
				waitRoom(b, s.bus, room/2)
				s.bus.Deliver(run...)
			}
			waitRoom(b, s.bus, room)
		})
	}
}

// waitRoom waits until the bus has room for so many events.
func waitRoom(b *testing.B, bus *events.Bus, room int) {
	b.Helper()
	for end := time.Now().Add(waitTimeout); bus.Room() < room; runtime.Gosched() {
		if time.Now().After(end) {
			b.Fatalf("waited %v for room for %d events, there is room for %d", waitTimeout, room, bus.Room())
		}
	}
}
