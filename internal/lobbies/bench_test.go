package lobbies_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// BenchmarkJoinAndLeave adds a member to a lobby and removes it again, from many goroutines: two writes.
func BenchmarkJoinAndLeave(b *testing.B) {
	h := open(b, lobbies.Settings{})
	empty := body(b, `{}`)
	ids := make([]snowflake.Lobby, 16)
	for i := range ids {
		ids[i] = h.create(`{}`)
	}
	var n atomic.Int64
	b.SetParallelism(64)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		user := snowflake.User(1000 + n.Add(1))
		for i := int(user); pb.Next(); i++ {
			id := ids[i%len(ids)]
			if _, err := h.Members.Put(b.Context(), game, id, user, empty); err != nil {
				b.Error(err)
				return
			}
			if err := h.Members.Remove(b.Context(), game, id, user); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkCreate creates lobbies with two members from many goroutines.
func BenchmarkCreate(b *testing.B) {
	h := open(b, lobbies.Settings{})
	var n atomic.Int64
	b.SetParallelism(64)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			user := 1000 + n.Add(1)/lobby.MaxLobbiesPerUser*2
			two := body(b, fmt.Sprintf(`{"metadata":{"map":"dust"},"members":[{"id":"%d"},{"id":"%d"}]}`, user, user+1))
			if _, err := h.Create(b.Context(), game, two); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkGet reads a lobby of four members.
func BenchmarkGet(b *testing.B) {
	h := open(b, lobbies.Settings{})
	id := h.create(everybody)
	b.ReportAllocs()
	for b.Loop() {
		st, err := h.Lobby(b.Context(), game, id)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := h.Body(b.Context(), st); err != nil {
			b.Fatal(err)
		}
	}
}
