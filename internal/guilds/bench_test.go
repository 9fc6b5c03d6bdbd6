package guilds_test

import (
	"fmt"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// BenchmarkLargeGuild measures operations on members in guilds of two sizes. The large guild takes minutes to fill.
func BenchmarkLargeGuild(b *testing.B) {
	for _, size := range []int{100, 1_000_000} {
		b.Run(fmt.Sprint(size, " members"), func(b *testing.B) {
			s := open(b)
			fill(b, s, size)
			join := func() error {
				return s.Directory.Guilds.AcceptInvite(b.Context(), 203, func(*store.Tx) (snowflake.Guild, error) { return lab, nil })
			}
			for _, op := range []struct {
				name string
				do   func(i int) error
			}{
				{"count", func(int) error { _, err := s.Directory.Guilds.MemberCount(b.Context(), lab); return err }},
				{"join and leave", func(i int) error {
					if i%2 == 0 {
						return join()
					}
					return s.Kick(b.Context(), ada, lab, 203)
				}},
				{"role", func(i int) error { return s.SetRole(b.Context(), ada, lab, 1000, 301, i%2 == 0) }},
				{"ban and unban", func(i int) error {
					if i%2 == 0 {
						return s.Ban(b.Context(), ada, lab, 203, jsonbody.Value{})
					}
					return s.Unban(b.Context(), ada, lab, 203)
				}},
			} {
				b.Run(op.name, func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						if err := op.do(i); err != nil {
							b.Fatal(err)
						}
					}
					_ = s.Unban(b.Context(), ada, lab, 203) // an odd number of rounds leaves a ban
					_ = s.Kick(b.Context(), ada, lab, 203)  // or a member
				})
			}
		})
	}
}

// fill adds users to the guild.
func fill(b *testing.B, s *service, size int) {
	b.Helper()
	const batch = 5000
	for first := 0; first < size; first += batch {
		err := store.Decide(b.Context(), s.db, func(tx *store.Tx) error {
			for i := first; i < min(first+batch, size); i++ {
				id := snowflake.User(1000 + i)
				if err := tx.Put(store.User{ID: id, Username: fmt.Sprint("user", i)}, store.Member{Guild: lab, User: id}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
