package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// devLine is what a program that starts bellhop needs to know.
type devLine struct {
	URL          string           `json:"url"`
	BaseURL      string           `json:"base_url"`
	Gateway      string           `json:"gateway_url"`
	AdminToken   string           `json:"admin_token,omitzero"` // only when it was just made
	Applications []devApplication `json:"applications"`
	Users        []devUser        `json:"users"`
	Guilds       []devGuild       `json:"guilds"`
}

type devApplication struct {
	ID           snowflake.Application `json:"id"`
	Name         string                `json:"name"`
	BotToken     string                `json:"bot_token,omitzero"`
	ClientSecret string                `json:"client_secret,omitzero"`
}

type devUser struct {
	ID       snowflake.User `json:"id"`
	Username string         `json:"username"`
	Token    string         `json:"token,omitzero"`
}

type devGuild struct {
	ID       snowflake.Guild `json:"id"`
	Name     string          `json:"name"`
	Channels []devChannel    `json:"channels"`
}

type devChannel struct {
	ID   snowflake.Channel `json:"id"`
	Name string            `json:"name"`
}

// serveParent serves for the program that started this one, and ends when that closes the pipe between them or dies.
func (o devOptions) serveParent(ctx context.Context, cfg server.Config, s streams) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // ends with the process, which it ends
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return serve(ctx, cfg, o.World, listening{o.Listen, o.TLS, s.err}, func(base string, srv *server.Server) error {
		line := devLineOf(base, *cfg.World, srv.Applied)
		admin, err := srv.Directory().Tokens.CreateFirstAdminToken(ctx)
		if err != nil {
			return err
		}
		line.AdminToken = admin.Reveal()
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s\n", text)
		return err
	})
}

// devLineOf gathers addresses, ids and the tokens that can be shown: those of the file, and those just made.
func devLineOf(base string, w world.World, applied directory.Applied) devLine {
	line := devLine{
		URL: base, BaseURL: base + "/api/v10", Gateway: "ws" + base[len("http"):] + "/gateway/",
		Applications: []devApplication{}, Users: []devUser{}, Guilds: []devGuild{},
	}
	for _, a := range w.Applications {
		if made, ok := applied.BotTokens[a.ID]; ok {
			a.BotToken = made.Reveal()
		}
		if made, ok := applied.ClientSecrets[a.ID]; ok {
			a.ClientSecret = made.Reveal()
		}
		line.Applications = append(line.Applications, devApplication{a.ID, a.Name, a.BotToken, a.ClientSecret})
	}
	for _, u := range w.Users {
		if made, ok := applied.UserTokens[u.ID]; ok {
			u.Token = made.Reveal()
		}
		line.Users = append(line.Users, devUser{u.ID, u.Username, u.Token})
	}
	for _, g := range w.Guilds {
		guild := devGuild{ID: g.ID, Name: g.Name, Channels: []devChannel{}}
		for _, c := range g.Channels {
			guild.Channels = append(guild.Channels, devChannel{c.ID, c.Name})
		}
		line.Guilds = append(line.Guilds, guild)
	}
	return line
}
