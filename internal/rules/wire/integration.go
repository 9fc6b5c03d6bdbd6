package wire

import "github.com/bellhop/bellhop/snowflake"

// Integration is an application that is installed in a guild. Its id is the application's.
type Integration struct {
	ID          snowflake.Application `json:"id"`
	Name        string                `json:"name"`
	Type        string                `json:"type"`
	Enabled     bool                  `json:"enabled"`
	Account     Account               `json:"account"`
	Application IntegrationApp        `json:"application"`
	Scopes      []string              `json:"scopes"`
}

// Account is the account of an integration. Its id and name are the application's.
type Account struct {
	ID   snowflake.Application `json:"id"`
	Name string                `json:"name"`
}

// IntegrationApp is the application of an integration.
type IntegrationApp struct {
	ID          snowflake.Application `json:"id"`
	Name        string                `json:"name"`
	Icon        NullString            `json:"icon"`
	Description string                `json:"description"`
	Bot         User                  `json:"bot"`
}
