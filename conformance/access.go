package conformance

import (
	"net/http"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
)

const (
	secAuth   = "Authentication"
	secErrors = "Errors"
)

// accessChecks returns the checks of authentication.
func accessChecks() []Check {
	return []Check{
		on("AUT-01", secAuth, 250, "Command endpoints reject requests without a token.", 0, func(p *probe) {
			wantUnauthorized(p, p.sendAs(p.client(""), http.MethodGet, client.CommandsPath(p.global), nil, nil), "there is no token")
		}),
		on("AUT-02", secAuth, 250, "Command endpoints reject unknown tokens.", 0, func(p *probe) {
			for _, kind := range []string{"Bot ", "Bearer "} {
				wantUnauthorized(p, p.sendAs(p.client(kind+"unknown.bot.token"), http.MethodGet, client.CommandsPath(p.global), nil, nil), "the token is unknown")
			}
		}),
		on("AUT-03", secAuth, 250, "Command endpoints accept the application's bot token with the prefix Bot.", 0, func(p *probe) {
			for _, s := range p.scopes() {
				p.wantStatus(p.send(http.MethodGet, client.CommandsPath(s), nil), "the token belongs to the application", http.StatusOK)
			}
		}),
		on("AUT-04", secAuth, 250, "A client-credentials token with the prefix Bearer can read commands.", Client, func(p *probe) {
			p.wantStatus(p.sendAs(p.appClient(), http.MethodGet, client.CommandsPath(p.global), nil, nil), "the token belongs to the application", http.StatusOK)
		}),
		on("AUT-05", secAuth, 250, "A client-credentials token with the scope applications.commands.update can create commands.", Client|Writes, func(p *probe) {
			p.wantStatus(p.sendAs(p.appClient(), http.MethodPost, client.CommandsPath(p.global), p.define(nil), nil), "the token has the scope", http.StatusCreated, http.StatusOK)
		}),
		on("AUT-13", secAuth, 250, "A client-credentials token without the scope applications.commands.update can read commands and cannot change them.", Client|Writes|Dev, readsWithoutScope),
		on("AUT-06", secAuth, 250, "A token gives access only to the commands of its own application.", 0, func(p *probe) {
			r := p.send(http.MethodGet, client.CommandsPath(command.Scope{Application: p.Application - 1}), nil)
			p.wantStatus(r, "the token belongs to another application", http.StatusForbidden, http.StatusNotFound, http.StatusUnauthorized)
		}),
		on("AUT-07", secAuth, 251, "Guild commands can be created only in a guild in which the application is installed.", Writes, func(p *probe) {
			r := p.send(http.MethodPost, client.CommandsPath(command.Scope{Application: p.Application, Guild: 1}), p.define(nil))
			p.wantStatus(r, "the application is not installed in guild 1", http.StatusForbidden, http.StatusNotFound)
		}),
		on("AUT-08", secAuth, 253, "A request that can create commands can also set default_member_permissions.", Writes, func(p *probe) {
			p.wantMembers("a command with permissions", p.create(p.global, obj{"default_member_permissions": "32"}), obj{"default_member_permissions": "32"})
		}),
		on("AUT-09", secAuth, 254, "Lobby endpoints reject a bot token without the prefix Bot.", 0, func(p *probe) {
			wantUnauthorized(p, p.sendAs(p.client(p.BotToken), http.MethodGet, "/lobbies/1", nil, nil), "the prefix Bot is missing")
		}),
		on("AUT-12", secAuth, 254, "Every endpoint requires the prefix Bot in exactly this spelling.", 0, func(p *probe) {
			for _, path := range []string{client.CommandsPath(p.global), "/lobbies/1"} {
				wantUnauthorized(p, p.sendAs(p.client("bot "+p.BotToken), http.MethodGet, path, nil, nil), "the prefix is bot, not Bot")
			}
		}),
		on("AUT-10", secAuth, 254, "Lobby endpoints reject requests without a token.", 0, func(p *probe) {
			wantUnauthorized(p, p.sendAs(p.client(""), http.MethodGet, "/lobbies/1", nil, nil), "there is no token")
		}),
		on("AUT-11", secAuth, 254, "Lobby endpoints reject access tokens.", Client, func(p *probe) {
			wantUnauthorized(p, p.sendAs(p.appClient(), http.MethodGet, "/lobbies/1", nil, nil), "the token is an access token")
		}),
	}
}

// appClient returns a client with the application's client-credentials token.
func (p *probe) appClient() *client.Client { return p.client("Bearer " + p.ClientToken) }

// readsWithoutScope sends requests with a client-credentials token that has another scope.
func readsWithoutScope(p *probe) {
	token, err := p.bot.Dev().MintToken(p.ctx, p.Application, 0, "identify")
	if err != nil {
		p.fail("the dev controls created no token: %v", err)
	}
	weak := p.client("Bearer " + token.AccessToken)
	for _, s := range p.scopes() {
		path := client.CommandsPath(s)
		made := p.create(s, nil)
		for _, read := range []string{path, path + "/" + text(made["id"])} {
			p.wantStatus(p.sendAs(weak, http.MethodGet, read, nil, nil), "reading needs no scope", http.StatusOK)
		}
		wantUnauthorized(p, p.sendAs(weak, http.MethodPost, path, p.define(obj{"name": p.name("weak")}), nil), "creating needs the scope")
		wantUnauthorized(p, p.sendAs(weak, http.MethodPatch, path+"/"+text(made["id"]), obj{"description": "Weak"}, nil), "changing needs the scope")
		wantUnauthorized(p, p.sendAs(weak, http.MethodDelete, path+"/"+text(made["id"]), nil, nil), "deleting needs the scope")
	}
}

// wantUnauthorized ends the check unless the status is 401 or 403.
func wantUnauthorized(p *probe, r reply, why string) {
	p.wantStatus(r, why, http.StatusUnauthorized, http.StatusForbidden)
}
