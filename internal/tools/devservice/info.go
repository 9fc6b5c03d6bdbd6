package devservice

import (
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Info is the line of JSON that "bellhop dev --json" prints.
type Info struct {
	URL          string        `json:"url"`
	BaseURL      string        `json:"base_url"`
	Gateway      string        `json:"gateway_url"`
	AdminToken   string        `json:"admin_token,omitzero"` // only if this start created it
	DevToken     string        `json:"dev_token,omitzero"`   // for requests from other machines
	Applications []application `json:"applications"`
	Users        []user        `json:"users"`
	Guilds       []guild       `json:"guilds"`
}

// application is an application with its secrets.
type application struct {
	ID           snowflake.Application `json:"id"`
	Name         string                `json:"name"`
	BotToken     string                `json:"bot_token,omitzero"`
	ClientSecret string                `json:"client_secret,omitzero"`
}

// user is a user with a token of their own.
type user struct {
	ID       snowflake.User `json:"id"`
	Username string         `json:"username"`
	Token    string         `json:"token,omitzero"`
}

// guild is a guild with its channels.
type guild struct {
	ID       snowflake.Guild `json:"id"`
	Name     string          `json:"name"`
	Channels []channel       `json:"channels"`
}

// channel is a channel of a guild.
type channel struct {
	ID   snowflake.Channel `json:"id"`
	Name string            `json:"name"`
}

// NewInfo collects URLs, ids and known tokens: those of the world file, and those that this start created.
func NewInfo(base string, w world.World, applied provision.Applied) Info {
	info := Info{
		URL: base, BaseURL: base + "/api/v10", Gateway: "ws" + base[len("http"):] + "/gateway/",
		Applications: []application{}, Users: []user{}, Guilds: []guild{},
	}
	for _, a := range w.Applications {
		if created, ok := applied.BotTokens[a.ID]; ok {
			a.BotToken = created.Reveal()
		}
		if created, ok := applied.ClientSecrets[a.ID]; ok {
			a.ClientSecret = created.Reveal()
		}
		info.Applications = append(info.Applications, application{a.ID, a.Name, a.BotToken, a.ClientSecret})
	}
	for _, u := range w.Users {
		if created, ok := applied.UserTokens[u.ID]; ok {
			u.Token = created.Reveal()
		}
		info.Users = append(info.Users, user{u.ID, u.Username, u.Token})
	}
	for _, g := range w.Guilds {
		shown := guild{ID: g.ID, Name: g.Name, Channels: []channel{}}
		for _, c := range g.Channels {
			shown.Channels = append(shown.Channels, channel{c.ID, c.Name})
		}
		info.Guilds = append(info.Guilds, shown)
	}
	return info
}
