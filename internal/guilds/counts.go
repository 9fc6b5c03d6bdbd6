package guilds

import (
	"context"

	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// countedMembers is the number of members whose presence is looked up. In a larger guild they stand for the others.
const countedMembers = 250

// Counts returns the number of members of a guild, and about how many of them are not offline.
func (s *Guilds) Counts(ctx context.Context, id snowflake.Guild) (*wire.Counts, error) {
	n, err := s.Directory.Guilds.MemberCount(ctx, id)
	if err != nil {
		return nil, err
	}
	var page []store.Member
	err = s.Directory.Read(ctx, func(r store.Reader) (err error) {
		page, err = r.Directory.Members(id, 0, countedMembers)
		return err
	})
	online := 0
	for _, m := range page {
		if s.Presence.Online(m.User) {
			online++
		}
	}
	if n > len(page) && len(page) > 0 {
		online = online * n / len(page)
	}
	return &wire.Counts{Members: n, Presences: online}, err
}
