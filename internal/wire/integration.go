package wire

import (
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Integration is an app that is installed in a guild. Its id is the app's.
type Integration struct {
	ID          snowflake.Application `json:"id"`
	Name        string                `json:"name"`
	Type        string                `json:"type"`
	Enabled     bool                  `json:"enabled"`
	Account     Account               `json:"account"`
	Application IntegrationApp        `json:"application"`
	Scopes      []string              `json:"scopes"`
}

// Account is what an integration speaks for.
type Account struct {
	ID   snowflake.Application `json:"id"`
	Name string                `json:"name"`
}

// IntegrationApp is the app of an integration.
type IntegrationApp struct {
	ID          snowflake.Application `json:"id"`
	Name        string                `json:"name"`
	Icon        null                  `json:"icon"`
	Description string                `json:"description"`
	Bot         User                  `json:"bot"`
}

// IntegrationOf returns an app that is installed in a guild.
func IntegrationOf(a *store.Application, in store.Install, bot *directory.User) Integration {
	return Integration{
		ID: a.ID, Name: a.Name, Type: "discord", Enabled: true, Account: Account{a.ID, a.Name}, Scopes: in.Scopes,
		Application: IntegrationApp{ID: a.ID, Name: a.Name, Description: a.Description, Bot: UserOf(bot)},
	}
}
