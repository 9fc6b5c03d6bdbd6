package wire

import "github.com/bellhop/bellhop/internal/rules/locale"

// RoleMetadata describes one value of the metadata of role connections.
type RoleMetadata struct {
	Type                     int        `json:"type"`
	Key                      string     `json:"key"`
	Name                     string     `json:"name"`
	NameLocalizations        locale.Map `json:"name_localizations,omitempty"`
	Description              string     `json:"description"`
	DescriptionLocalizations locale.Map `json:"description_localizations,omitempty"`
}

// RoleConnection holds the values that an application gives the account of a user on its platform.
type RoleConnection struct {
	PlatformName     NullString        `json:"platform_name"`
	PlatformUsername NullString        `json:"platform_username"`
	Metadata         map[string]string `json:"metadata"`
}
