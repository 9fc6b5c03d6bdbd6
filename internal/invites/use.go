package invites

import (
	"context"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// Accept makes a user a member of the guild of an invite. A user who is a member stays one, and does not use the invite.
func (s *Invites) Accept(ctx context.Context, id snowflake.User, code string) (accepted wire.Invite, err error) {
	err = s.Directory.Update(ctx, func(tx *directory.Tx) error {
		i, err := s.live(tx.Reader, code)
		if err != nil {
			return err
		}
		if accepted, err = show(tx.Reader, &i, false); err != nil {
			return err
		}
		if _, err := tx.User(id); err != nil {
			return err
		}
		joined, err := directory.Join(tx, i.Guild, id, s.now())
		if err != nil || !joined {
			return err
		}
		for _, role := range i.Roles {
			if err := addRole(tx, i.Guild, id, role); err != nil {
				return err
			}
		}
		if i.Uses++; i.MaxUses > 0 && i.Uses >= i.MaxUses {
			return remove(tx, &i)
		}
		return tx.Put(i)
	})
	return accepted, err
}

// addRole gives a role of an invite to a member, unless the role was deleted.
func addRole(tx *directory.Tx, guild snowflake.Guild, user snowflake.User, id snowflake.Role) error {
	roles, err := tx.Directory.Roles(guild)
	if err != nil {
		return err
	}
	for _, r := range roles {
		if r.ID == id {
			_, err := directory.AddRole(tx, guild, user, id)
			return err
		}
	}
	return nil
}

// remove deletes an invite and announces it.
func remove(tx *directory.Tx, i *store.GuildInvite) error {
	data, err := json.Marshal(struct {
		Channel snowflake.Channel `json:"channel_id"`
		Guild   snowflake.Guild   `json:"guild_id"`
		Code    string            `json:"code"`
	}{i.Channel, i.Guild, i.Code})
	if err != nil {
		return err
	}
	tx.Announce(event("INVITE_DELETE", i, data))
	tx.Delete(store.GuildInviteKey(*i))
	return nil
}

// Delete deletes an invite, for members who can manage its channel or its guild. It returns the invite.
func (s *Invites) Delete(ctx context.Context, viewer directory.Viewer, code string) (deleted wire.Invite, err error) {
	err = s.Directory.Update(ctx, func(tx *directory.Tx) error {
		i, err := s.live(tx.Reader, code)
		if err != nil {
			return err
		}
		p, err := tx.Enter(i.Channel, viewer, s.now())
		if err != nil {
			return err
		}
		if err := p.Allow(permission.OpDeleteInvite, false); err != nil {
			return err
		}
		if deleted, err = show(tx.Reader, &i, false); err != nil {
			return err
		}
		record(tx, permission.OpDeleteInvite, &i, viewer.User)
		return remove(tx, &i)
	})
	return deleted, err
}
