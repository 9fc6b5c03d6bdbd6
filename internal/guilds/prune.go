package guilds

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// prunePage is the number of members that are read at once.
	prunePage = 1000
	// pruneBatch bounds how many members one commit removes, so that other writes do not wait long.
	pruneBatch = 20
)

// CountInactive returns how many members Prune would remove. invalid is the error of reading the request: only members of the guild get it.
func (s *Guilds) CountInactive(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, p guild.Prune, invalid error,
) (int, error) {
	users, err := s.inactive(ctx, by, id, p, invalid)
	return len(users), err
}

// Prune removes the inactive members of a guild, in several commits. It returns how many it removed, or nil if the request does not ask
// for the number. The audit log of the guild gets one entry.
func (s *Guilds) Prune(ctx context.Context, by directory.Viewer, id snowflake.Guild, body jsonbody.Value) (*int, error) {
	p, invalid := guild.ReadPrune(body)
	users, err := s.inactive(ctx, by, id, p, invalid)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // a client that leaves does not stop the removal between two commits
	removed := 0
	for batch := range slices.Chunk(users, pruneBatch) {
		left := 0
		err := s.Directory.Update(ctx, s.by(by, id, func(g *manager) (err error) {
			left, err = s.prune(g, batch, p)
			return err
		}))
		if err != nil {
			return nil, err
		}
		removed += left
	}
	if removed > 0 {
		err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
			g.tx.Touch(store.GuildSubject(id))
			g.record(permission.OpPrune, store.GuildSubject(id), audit.GuildEntry{
				Options: p.Options(removed), Reason: cmp.Or(audit.ReasonOf(ctx), p.Reason),
			})
			return nil
		}))
	}
	if err != nil || !p.Counted {
		return nil, err
	}
	return &removed, nil
}

// inactive returns the members that a request to prune selects.
func (s *Guilds) inactive(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, p guild.Prune, invalid error,
) (users []snowflake.User, err error) {
	var caller manager
	err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		for _, role := range p.Roles {
			if _, err := g.role(role); err != nil && invalid == nil {
				return err
			}
		}
		if invalid != nil {
			return invalid
		}
		caller = *g
		return g.allow(permission.OpPrune)
	}))
	if err != nil {
		return nil, err
	}
	if err := s.Activity.Flush(ctx); err != nil {
		return nil, err
	}
	for after := snowflake.User(0); ; {
		var page []store.Member
		err := s.Directory.Read(ctx, func(r store.Reader) (err error) {
			if page, err = r.Directory.Members(id, after, prunePage); err != nil {
				return err
			}
			users, err = s.appendPruned(users, r, &caller, page, p)
			return err
		})
		if err != nil || len(page) < prunePage {
			return users, err
		}
		after = page[len(page)-1].User
	}
}

// appendPruned appends the members of a page that a request to prune selects.
func (s *Guilds) appendPruned(users []snowflake.User, r store.Reader, caller *manager, page []store.Member, p guild.Prune) ([]snowflake.User, error) {
	for _, m := range page {
		selected, err := s.isPruned(r, caller, m, p)
		if err != nil {
			return users, err
		}
		if selected {
			users = append(users, m.User)
		}
	}
	return users, nil
}

// isPruned reports whether a request to prune selects a member: a person, not the owner, whom the caller outranks, without other roles
// than those of the request, and without activity for some days. Members count as active when they join, and while they are online.
func (s *Guilds) isPruned(r store.Reader, caller *manager, m store.Member, p guild.Prune) (bool, error) {
	if !p.Includes(m.Roles, m.JoinedAt, caller.now) || s.Presence.Online(m.User) {
		return false, nil
	}
	if !caller.by.MayActOn(permission.OpPrune, caller.Member(m, caller.now)).Allowed {
		return false, nil
	}
	if _, err := r.Directory.User(m.User); err != nil { // a bot
		return false, orNone(err)
	}
	last, err := r.Directory.LastDay(m.User)
	if errors.Is(err, store.ErrNotFound) {
		return true, nil
	}
	return p.Includes(m.Roles, last.Day.End(), caller.now), err
}

// orNone returns nil for store.ErrNotFound.
func orNone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// prune removes the members of a list that are still selected. It returns their number.
func (s *Guilds) prune(g *manager, users []snowflake.User, p guild.Prune) (left int, err error) {
	for _, user := range users {
		m, err := g.tx.Directory.Member(g.ID, user)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return 0, err
		}
		selected, err := s.isPruned(g.tx.Reader, g, m, p)
		if err != nil {
			return 0, err
		}
		if !selected {
			continue
		}
		if err := directory.Leave(g.tx, g.ID, user); err != nil {
			return 0, err
		}
		left++
	}
	return left, nil
}
