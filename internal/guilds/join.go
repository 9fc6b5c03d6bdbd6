package guilds

import (
	"cmp"
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// scopeJoin lets an application add the user to guilds.
const scopeJoin = "guilds.join"

// AddMember adds a user to a guild with an access token that the user granted to the bot's application. It returns nil if the
// user is a member already.
func (s *Guilds) AddMember(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, user snowflake.User, body jsonbody.Value,
) (shown *wire.Member, err error) {
	if !by.Bot {
		return nil, apierror.BotsOnly
	}
	request, invalid := guild.ReadNewMember(body, id)
	refused, err := s.checkAccess(ctx, request.AccessToken, snowflake.Application(by.User), user)
	if err != nil {
		return nil, err
	}
	err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		shown = nil
		_, err := g.target(user)
		if !errors.Is(err, directory.ErrUnknownMember) {
			return err
		}
		if invalid != nil {
			return invalid
		}
		for _, op := range append(request.Member.Operations(), permission.OpAddMember) {
			if err := g.allow(op); err != nil {
				return err
			}
		}
		if refused != nil {
			return refused
		}
		in, err := g.tx.Directory.Memberships(user, 0, guild.MaxGuilds)
		if err != nil || len(in) >= guild.MaxGuilds {
			return cmp.Or(err, error(apierror.TooManyGuilds))
		}
		shown, err = g.addMember(user, request.Member)
		return err
	}))
	return shown, err
}

// Join makes a user a member of a guild, without an invite. A user who is a member stays one.
func (s *Guilds) Join(ctx context.Context, id snowflake.Guild, user snowflake.User) error {
	return s.Directory.Update(ctx, func(tx *directory.Tx) error {
		_, err := directory.Join(tx, id, user, s.now())
		return err
	})
}

// Leave removes the caller from a guild. The owner cannot leave.
func (s *Guilds) Leave(ctx context.Context, by directory.Viewer, id snowflake.Guild) error {
	return s.Directory.Update(ctx, func(tx *directory.Tx) error {
		_, err := tx.Directory.Member(id, by.User)
		if errors.Is(err, store.ErrNotFound) {
			return directory.ErrUnknownGuild
		}
		if err != nil {
			return err
		}
		err = directory.Leave(tx, id, by.User)
		if errors.Is(err, directory.ErrOwner) {
			return apierror.InvalidGuild
		}
		return err
	})
}

// checkAccess checks an access token. refused is nil if the user granted it to the application, with the scope guilds.join.
func (s *Guilds) checkAccess(
	ctx context.Context, token string, app snowflake.Application, user snowflake.User,
) (refused, err error) {
	if token == "" {
		return apierror.InvalidAccessToken, nil
	}
	p, err := s.Tokens.Authenticate(ctx, "Bearer "+token)
	if errors.Is(err, auth.ErrUnauthorized) {
		return apierror.InvalidAccessToken, nil
	}
	if err == nil && (p.Application != app || p.User != user || p.Own || !p.HasScope(scopeJoin)) {
		refused = apierror.InvalidAccessToken
	}
	return refused, err
}

// addMember makes a user a member, with settings.
func (g *manager) addMember(id snowflake.User, p guild.MemberPatch) (*wire.Member, error) {
	if _, err := directory.Join(g.tx, g.ID, id, g.now); err != nil {
		return nil, err
	}
	m := apply(store.Member{Guild: g.ID, User: id, JoinedAt: g.now}, p.Apply(guild.Member{}))
	for _, role := range m.Roles {
		if err := g.mayAssign(role); err != nil {
			return nil, err
		}
	}
	if err := directory.MemberKind.Put(g.tx, m); err != nil {
		return nil, err
	}
	user, err := directory.ReadUser(g.tx.Reader, id)
	if err != nil {
		return nil, err
	}
	return new(convert.WireMember(m, user)), nil
}
