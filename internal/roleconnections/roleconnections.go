// Package roleconnections keeps role connections: what applications say about the accounts of users on their platforms, and the
// records that describe these values. The package does not know HTTP.
package roleconnections

import (
	"context"
	"errors"
	"reflect"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/roleconnection"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Connections keeps role connections. It is safe for concurrent use. All fields are required.
type Connections struct {
	Store     store.Store
	Directory *directory.Directory
}

// kind describes role connections. They have no events.
var kind = directory.Kind[store.RoleConnection]{
	Name: "role_connection",
	Target: func(c store.RoleConnection) string {
		return "application/" + c.Application.String() + "/role_connection/" + c.User.String()
	},
	Key: func(c store.RoleConnection) store.Key { return store.RoleConnectionKey(c.Application, c.User) },
	Read: func(q store.DirectoryQueries, c store.RoleConnection) (store.RoleConnection, error) {
		return q.RoleConnection(c.Application, c.User)
	},
	Show: func(c store.RoleConnection) any { return convert.WireRoleConnection(c) },
}

// Records returns the records that describe the connections of an application.
func (s *Connections) Records(ctx context.Context, app snowflake.Application) ([]wire.RoleMetadata, error) {
	a, err := s.Directory.Applications.Application(ctx, app)
	if err != nil {
		return nil, err
	}
	return convert.WireRoleMetadata(a.RoleConnections), nil
}

// SetRecords replaces the records of an application.
func (s *Connections) SetRecords(ctx context.Context, app snowflake.Application, body jsonbody.Value) ([]wire.RoleMetadata, error) {
	list, err := roleconnection.ReadRecords(body)
	if err != nil {
		return nil, err
	}
	records := convert.RoleMetadataRecords(list)
	err = s.Directory.Update(ctx, func(tx *directory.Tx) error {
		a, err := tx.Directory.Application(app)
		if errors.Is(err, store.ErrNotFound) {
			return directory.ErrUnknownApplication
		}
		if err != nil || reflect.DeepEqual(a.RoleConnections, records) {
			return err
		}
		tx.Record(audit.Entry{
			Action: "role_connection_records.update", Target: "application/" + app.String(), Before: convert.WireRoleMetadata(a.RoleConnections),
			After: convert.WireRoleMetadata(records),
		})
		a.RoleConnections = records
		return tx.Put(a) // an application looks the same to others, so there is no event
	})
	return convert.WireRoleMetadata(records), err
}

// Get returns the connection of a user with an application. One that was never set is empty.
func (s *Connections) Get(ctx context.Context, app snowflake.Application, user snowflake.User) (shown wire.RoleConnection, err error) {
	err = s.Directory.Read(ctx, func(r store.Reader) error {
		c, err := r.Directory.RoleConnection(app, user)
		if errors.Is(err, store.ErrNotFound) {
			c, err = store.RoleConnection{}, nil
		}
		shown = convert.WireRoleConnection(c)
		return err
	})
	return shown, err
}

// Set replaces the connection of a user with an application.
func (s *Connections) Set(
	ctx context.Context, app snowflake.Application, user snowflake.User, body jsonbody.Value,
) (wire.RoleConnection, error) {
	in, err := roleconnection.ReadConnection(body)
	if err != nil {
		return wire.RoleConnection{}, err
	}
	c := store.RoleConnection{
		Application: app, User: user, PlatformName: in.PlatformName, PlatformUsername: in.PlatformUsername, Metadata: in.Metadata,
	}
	err = s.Directory.Update(ctx, func(tx *directory.Tx) error {
		if _, err := tx.User(user); err != nil {
			return err
		}
		old, err := tx.Directory.RoleConnection(app, user)
		_, err = kind.Replace(tx, old, err, c)
		return err
	})
	return convert.WireRoleConnection(c), err
}

// Delete deletes the connection of a user with an application, if there is one.
func (s *Connections) Delete(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	return s.Directory.Update(ctx, func(tx *directory.Tx) error {
		c, err := tx.Directory.RoleConnection(app, user)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err == nil {
			kind.Delete(tx, c)
		}
		return err
	})
}

// UserDeleted removes the connections of a deleted user.
func (s *Connections) UserDeleted(ctx context.Context, user snowflake.User) error {
	return s.removeAll(ctx, func(q store.DirectoryQueries, limit int) ([]store.RoleConnection, error) {
		return q.RoleConnectionsOf(user, limit)
	})
}

// ApplicationDeleted removes the connections with a deleted application.
func (s *Connections) ApplicationDeleted(ctx context.Context, app snowflake.Application) error {
	return s.removeAll(ctx, func(q store.DirectoryQueries, limit int) ([]store.RoleConnection, error) {
		return q.RoleConnections(app, limit)
	})
}

// GuildDeleted does nothing: connections do not belong to guilds.
func (s *Connections) GuildDeleted(context.Context, snowflake.Guild) error { return nil }

// ChannelDeleted does nothing: connections do not belong to channels.
func (s *Connections) ChannelDeleted(context.Context, store.Channel) error { return nil }

// removeAll removes the connections that list returns, batch by batch.
func (s *Connections) removeAll(ctx context.Context, list func(store.DirectoryQueries, int) ([]store.RoleConnection, error)) error {
	return store.RemoveAll(ctx, s.Store, func(tx *store.Tx, limit int) (int, error) {
		all, err := list(tx.Directory, limit)
		for _, c := range all {
			tx.Delete(store.RoleConnectionKey(c.Application, c.User))
		}
		return len(all), err
	})
}
