package store

import (
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/snowflake"
)

// RoleMetadata describes one value of the metadata of role connections.
type RoleMetadata struct {
	Type                     int        `json:"type"`
	Key                      string     `json:"key"`
	Name                     string     `json:"name"`
	NameLocalizations        locale.Map `json:"name_localizations,omitzero"`
	Description              string     `json:"description"`
	DescriptionLocalizations locale.Map `json:"description_localizations,omitzero"`
}

// RoleConnection holds the values that an application gives the account of a user on its platform.
type RoleConnection struct {
	Application      snowflake.Application `json:"application"`
	User             snowflake.User        `json:"user"`
	PlatformName     string                `json:"platform_name,omitzero"`
	PlatformUsername string                `json:"platform_username,omitzero"`
	Metadata         map[string]string     `json:"metadata,omitzero"`
}

func (c RoleConnection) subjects() []Subject {
	return []Subject{RoleConnectionSubject(c.Application, c.User)}
}

func (c RoleConnection) write(w *writes) {
	w.put(roleConnectionsTable, key(c.Application), key(c.User), w.doc(c))
}

// RoleConnectionKey names the role connection of a user with an application.
func RoleConnectionKey(app snowflake.Application, user snowflake.User) Key {
	return Key{
		ends: []Subject{RoleConnectionSubject(app, user)},
		rows: []rowKey{{roleConnectionsTable, []string{"application_id", "user_id"}, []any{key(app), key(user)}}},
	}
}

// RoleConnection returns the role connection of a user with an application.
func (q DirectoryQueries) RoleConnection(app snowflake.Application, user snowflake.User) (RoleConnection, error) {
	q.read(RoleConnectionSubject(app, user))
	return find[RoleConnection](q.reader, roleConnectionsTable, key(app), key(user))
}

// RoleConnections returns up to limit role connections with an application.
func (q DirectoryQueries) RoleConnections(app snowflake.Application, limit int) ([]RoleConnection, error) {
	return list[RoleConnection](q.reader, roleConnectionsTable, page{"user_id", 0, limit}, []string{"application_id"}, key(app))
}

// RoleConnectionsOf returns up to limit role connections of a user.
func (q DirectoryQueries) RoleConnectionsOf(user snowflake.User, limit int) ([]RoleConnection, error) {
	return list[RoleConnection](q.reader, roleConnectionsTable, page{"application_id", 0, limit}, []string{"user_id"}, key(user))
}
