package channels

import (
	"context"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Move sets positions and categories of channels of a guild.
func (s *Channels) Move(ctx context.Context, viewer directory.Viewer, guild snowflake.Guild, body jsonbody.Value) error {
	return s.Directory.Update(ctx, func(tx *directory.Tx) error {
		state, member, err := tx.EnterGuild(guild, viewer, s.now(), directory.ReadGuildState)
		if err != nil {
			return err
		}
		if err := allow(permission.OpViewGuild, member); err != nil {
			return err
		}
		moves, err := channel.ReadMoves(body)
		if err != nil {
			return err
		}
		channels, err := tx.Directory.Channels(guild)
		if err != nil {
			return err
		}
		m := mover{state: state, member: member, channels: channels, log: recorder{tx, state, viewer.User}}
		if err := channel.CheckParents(moves, m.parentOf); err != nil {
			return err
		}
		for _, move := range moves {
			if err := m.move(tx, move); err != nil {
				return err
			}
		}
		return nil
	})
}

// mover moves channels of a guild for a member.
type mover struct {
	state    *directory.GuildState
	member   *permission.Member
	channels []store.Channel
	log      recorder
}

func (m *mover) parentOf(id snowflake.Channel) snowflake.Channel {
	c, _ := find(m.channels, id)
	return c.Parent
}

// move moves one channel. A channel that stays where it is needs no permission.
func (m *mover) move(tx *directory.Tx, move channel.Move) error {
	old, found := find(m.channels, move.ID)
	if !found || world.IsThread(old.Type) {
		return directory.ErrUnknownChannel
	}
	next := old
	next.Position = move.Position.Or(old.Position)
	next.Parent = move.Parent.Or(old.Parent)
	if next.Parent == old.Parent {
		if next.Position == old.Position {
			return nil
		}
		if err := m.allowPosition(old); err != nil {
			return err
		}
		m.log.record(permission.OpMoveChannels, &old, &next)
		return directory.ChannelKind.Put(tx, next)
	}
	if err := m.allowParent(old, next.Parent, move.Lock); err != nil {
		return err
	}
	if err := checkParent(m.channels, move.ID, next.Parent); err != nil {
		return err
	}
	if parent, found := find(m.channels, next.Parent); found && move.Lock {
		next.Overwrites = parent.Overwrites
	}
	m.log.record(permission.OpMoveChannels, &old, &next)
	return directory.ChannelKind.Put(tx, next)
}

// allowPosition checks whether the member may set a position: with MANAGE_CHANNELS in the guild or in the category of the channel.
func (m *mover) allowPosition(c store.Channel) error {
	err := allow(permission.OpMoveChannels, m.member)
	if err != nil && m.manages(c.Parent, permission.ManageChannels) {
		return nil
	}
	return err
}

// allowParent checks whether the member may move a channel to another category, 0 for none: the member manages both, and with lock
// also the roles of the channel.
func (m *mover) allowParent(c store.Channel, parent snowflake.Channel, lock bool) error {
	need := permission.ViewChannel | permission.ManageChannels
	if lock {
		need |= permission.ManageRoles
	}
	there := m.member.Permissions().Has(permission.ManageChannels)
	if parent != 0 {
		there = m.manages(parent, permission.ViewChannel|permission.ManageChannels) || m.state.Channel(parent) == nil
	}
	if there && m.manages(c.ID, need) {
		return nil
	}
	return &directory.DeniedError{Operation: permission.OpMoveChannels, Outcome: permission.Outcome{
		Reason: "missing permissions", Missing: need, Code: missingAccess,
	}}
}

// missingAccess is the code for a channel that the member cannot manage.
const missingAccess = 50001

// manages reports whether the member has permissions in a channel.
func (m *mover) manages(id snowflake.Channel, need permission.Bits) bool {
	c := m.state.Channel(id)
	return c != nil && m.member.In(c.Channel).Has(need)
}
