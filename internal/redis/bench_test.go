package redis_test

import (
	"bytes"
	"syscall"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/snowflake"
)

// joined returns the events of a user who joins a lobby of eight: one for the user, one for the others.
func joined() []events.Event {
	var others []snowflake.User
	for i := range snowflake.User(8) {
		others = append(others, 700000000000000001+i)
	}
	const app snowflake.Application = 1300000000000000001
	return []events.Event{
		{
			Name: "LOBBY_CREATE", Data: bytes.Repeat([]byte("lobby..."), 150),
			To: events.Audience{Users: others[:1], Application: app, Intents: events.Lobbies},
		},
		{
			Name: "LOBBY_MEMBER_ADD", Data: bytes.Repeat([]byte("member.."), 30),
			To: events.Audience{Users: others, Application: app, Intents: events.Lobbies},
		},
	}
}

// BenchmarkRelay sends events from one node to itself and another, in batches. An operation is an event; cpu-ns is the
// CPU time of this process, which runs both nodes.
func BenchmarkRelay(b *testing.B) {
	for name, burst := range map[string]int{"one by one": 1, "a commit of many": 200, "flood": 4000} {
		b.Run(name, func(b *testing.B) {
			var buses [2]events.Bus
			var heard [2]*events.Subscription
			for i := range buses {
				r := redis.NewRelay(open(b, server.Get(b).URL()), &buses[i], &table{})
				run(b, r.Run)
				<-r.Begun()
				heard[i] = buses[i].Subscribe(1 << 14)
			}
			list := joined()
			b.ReportAllocs()
			b.ResetTimer()
			before := processorTime(b)
			for sent := 0; sent < b.N; sent += burst {
				n := min(burst, b.N-sent)
				for i := range n {
					buses[0].Publish(list[(sent+i)%len(list)])
				}
				receive(b, heard[0], n)
				receive(b, heard[1], n)
			}
			b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// receive reads n events that have a name.
func receive(tb testing.TB, s *events.Subscription, n int) {
	tb.Helper()
	for n > 0 {
		e, ok := <-s.Events()
		if !ok {
			tb.Fatal(s.Err())
		}
		if e.Name != "" {
			n--
		}
	}
}

// processorTime returns the CPU time of this process.
func processorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
