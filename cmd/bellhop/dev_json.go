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

// devInfo is the line of JSON that "bellhop dev --json" prints.
type devInfo struct {
	URL          string           `json:"url"`
	BaseURL      string           `json:"base_url"`
	Gateway      string           `json:"gateway_url"`
	AdminToken   string           `json:"admin_token,omitzero"` // only if this start created it
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

// serveParent serves until the parent process closes standard input or exits.
func (o devOptions) serveParent(ctx context.Context, cfg server.Config, s streams) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // runs until the process exits
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return serve(ctx, cfg, o.World, addresses{o.Listen, o.TLS, s.err, cfg.Log, false, ""}, func(base string, srv *server.Server) error {
		info := newDevInfo(base, *cfg.World, srv.Applied)
		admin, err := srv.Directory().Operators.CreateFirst(ctx)
		if err != nil {
			return err
		}
		info.AdminToken = admin.Reveal()
		text, err := json.Marshal(info)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s\n", text)
		return err
	})
}

// newDevInfo collects URLs, ids and known tokens: those of the world file, and those that this start created.
func newDevInfo(base string, w world.World, applied directory.Applied) devInfo {
	info := devInfo{
		URL: base, BaseURL: base + "/api/v10", Gateway: "ws" + base[len("http"):] + "/gateway/",
		Applications: []devApplication{}, Users: []devUser{}, Guilds: []devGuild{},
	}
	for _, a := range w.Applications {
		if created, ok := applied.BotTokens[a.ID]; ok {
			a.BotToken = created.Reveal()
		}
		if created, ok := applied.ClientSecrets[a.ID]; ok {
			a.ClientSecret = created.Reveal()
		}
		info.Applications = append(info.Applications, devApplication{a.ID, a.Name, a.BotToken, a.ClientSecret})
	}
	for _, u := range w.Users {
		if created, ok := applied.UserTokens[u.ID]; ok {
			u.Token = created.Reveal()
		}
		info.Users = append(info.Users, devUser{u.ID, u.Username, u.Token})
	}
	for _, g := range w.Guilds {
		guild := devGuild{ID: g.ID, Name: g.Name, Channels: []devChannel{}}
		for _, c := range g.Channels {
			guild.Channels = append(guild.Channels, devChannel{c.ID, c.Name})
		}
		info.Guilds = append(info.Guilds, guild)
	}
	return info
}
