package directory

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Applied is the result of writing world records.
type Applied struct {
	// Changed is the number of written records. It is 0 when the directory already held all of them.
	Changed int
	// Secrets that were created because there were none. They are shown once: the store keeps their hashes only.
	BotTokens     map[snowflake.Application]auth.Secret
	ClientSecrets map[snowflake.Application]auth.Secret
	UserTokens    map[snowflake.User]auth.Secret
	// ActivitiesOn and ActivitiesOff are the applications whose activities were turned on or off.
	ActivitiesOn, ActivitiesOff []snowflake.Application
}

// Apply writes all records of a world in one transaction. A record in the world replaces the stored one. Records that
// the world does not name stay, so applying a world twice changes nothing. A world that breaks a rule is a
// *jsonbody.Tree.
func (d *Directory) Apply(ctx context.Context, all world.World) (Applied, error) {
	all, err := all.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.shared.apply(ctx, func(w *writer) error { return w.world.apply(all) })
}

// Reset replaces the contents of the store with a world in one transaction. Signing keys, tokens and client secrets
// that were created for applications and users of the world stay, so that clients can go on using them. The operator's
// token stays too.
func (d *Directory) Reset(ctx context.Context, all world.World) (Applied, error) {
	all, err := all.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.shared.apply(ctx, func(w *writer) error {
		w.reset = true
		records, err := w.createdSecrets(all)
		if err != nil {
			return err
		}
		w.tx.Clear()
		if err := w.put(records...); err != nil {
			return err
		}
		return w.world.apply(all)
	})
}

// createdSecrets returns the credentials and keys that were created for the records of a world, except those that the
// world replaces. The applications hold only ids and keys.
func (w *writer) createdSecrets(all world.World) ([]store.Record, error) {
	credentials, err := w.tx.Credentials.Credentials(store.AdminToken, 0, 0)
	if err != nil {
		return nil, err
	}
	var records []store.Record
	given := map[store.TokenHash]bool{}
	keep := func(token string, c store.Credential) error {
		if token != "" {
			given[auth.Hash(token)] = true
			return nil
		}
		have, err := w.tx.Credentials.Credentials(c.Kind, c.Application, c.User)
		credentials = append(credentials, have...)
		return err
	}
	for _, a := range all.Applications {
		old, err := w.tx.Directory.Application(a.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		records = append(records, store.Application{
			ID: a.ID, SecretHash: old.SecretHash, SigningKey: old.SigningKey, Sealed: old.Sealed, VerifyKey: old.VerifyKey,
		})
		if err := keep(a.BotToken, store.Credential{Kind: store.BotToken, Application: a.ID}); err != nil {
			return nil, err
		}
	}
	for _, u := range all.Users {
		if err := keep(u.Token, store.Credential{Kind: store.UserToken, User: u.ID}); err != nil {
			return nil, err
		}
	}
	for _, c := range credentials {
		if !given[c.Hash] {
			records = append(records, c)
		}
	}
	return records, nil
}

// Export returns a snapshot of the directory as a world, ordered by ids. It leaves out tokens, secrets and
// direct-message channels.
func (d *Directory) Export(ctx context.Context) (world.World, error) {
	return view(ctx, d.shared, ErrUnknownGuild, func(r store.Reader) (world.World, error) { return readWorld(r.Directory) })
}

func readWorld(r store.DirectoryQueries) (world.World, error) {
	var w world.World
	gone, err := readTombstones(r)
	if err != nil {
		return w, err
	}
	err = eachPage(r.Users, func(u store.User) (snowflake.User, error) {
		w.Users = append(w.Users, convert.WorldUser(u))
		installs, err := r.UserInstalls(u.ID)
		for _, i := range slices.DeleteFunc(installs, gone.install) {
			w.UserInstalls = append(w.UserInstalls, convert.WorldUserInstall(i))
		}
		return u.ID, err
	})
	if err != nil {
		return w, err
	}
	err = eachPage(r.Applications, func(a store.Application) (snowflake.Application, error) {
		w.Applications = append(w.Applications, convert.WorldApplication(a))
		return a.ID, nil
	})
	if err != nil {
		return w, err
	}
	err = eachPage(r.Guilds, func(g store.Guild) (snowflake.Guild, error) {
		guild, err := readWorldGuild(r, gone, g)
		w.Guilds = append(w.Guilds, guild)
		return g.ID, err
	})
	return w, err
}

func readWorldGuild(r store.DirectoryQueries, gone tombstones, record store.Guild) (world.Guild, error) {
	g := convert.WorldGuild(record)
	roles, err := r.Roles(g.ID)
	if err != nil {
		return g, err
	}
	for _, role := range roles {
		g.Roles = append(g.Roles, convert.WorldRole(role))
	}
	channels, err := r.Channels(g.ID)
	if err != nil {
		return g, err
	}
	for _, c := range channels {
		g.Channels = append(g.Channels, convert.WorldChannel(c))
	}
	installs, err := r.GuildInstalls(g.ID)
	if err != nil {
		return g, err
	}
	for _, i := range slices.DeleteFunc(installs, gone.install) {
		g.Installs = append(g.Installs, convert.WorldGuildInstall(i))
	}
	members := func(after snowflake.User, limit int) ([]store.Member, error) { return r.Members(g.ID, after, limit) }
	err = eachPage(members, func(m store.Member) (snowflake.User, error) {
		if !gone.member(m) {
			g.Members = append(g.Members, convert.WorldMember(gone.withoutRoles(m)))
		}
		return m.User, nil
	})
	return g, err
}

// eachPage reads a list page by page and calls each with every record. each returns the key of the record.
func eachPage[K, R any](page func(after K, limit int) ([]R, error), each func(R) (K, error)) error {
	var after K
	for {
		records, err := page(after, MaxPage)
		if err != nil {
			return err
		}
		for _, r := range records {
			if after, err = each(r); err != nil {
				return err
			}
		}
		if len(records) < MaxPage {
			return nil
		}
	}
}
