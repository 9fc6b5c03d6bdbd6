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

// accessChecks are about who may call.
func accessChecks() []Check {
	return []Check{
		on("AUT-01", secAuth, 250, "Command endpoints are closed to callers without a token.", 0, func(p *probe) {
			turnedAway(p, p.askAs(p.client(""), http.MethodGet, client.CommandsPath(p.global), nil, nil), "there is no token")
		}),
		on("AUT-02", secAuth, 250, "Command endpoints are closed to tokens that do not exist.", 0, func(p *probe) {
			for _, kind := range []string{"Bot ", "Bearer "} {
				turnedAway(p, p.askAs(p.client(kind+"nobody.has.this"), http.MethodGet, client.CommandsPath(p.global), nil, nil), "nobody has this token")
			}
		}),
		on("AUT-03", secAuth, 250, "A bot token, behind the word Bot, opens the command endpoints.", 0, func(p *probe) {
			for _, s := range p.scopes() {
				p.want(p.ask(http.MethodGet, client.CommandsPath(s), nil), "the bot token is the application's", http.StatusOK)
			}
		}),
		on("AUT-04", secAuth, 250, "A client-credentials token, behind the word Bearer, reads commands.", Client, func(p *probe) {
			p.want(p.askAs(p.owned(), http.MethodGet, client.CommandsPath(p.global), nil, nil), "the token is the application's", http.StatusOK)
		}),
		on("AUT-05", secAuth, 250, "A client-credentials token with the scope for it registers commands.", Client|Writes, func(p *probe) {
			p.want(p.askAs(p.owned(), http.MethodPost, client.CommandsPath(p.global), p.define(nil), nil), "the token has the scope", http.StatusCreated, http.StatusOK)
		}),
		on("AUT-06", secAuth, 250, "A token opens the commands of its own application alone.", 0, func(p *probe) {
			r := p.ask(http.MethodGet, client.CommandsPath(command.Scope{Application: p.Application - 1}), nil)
			p.want(r, "the application is another one", http.StatusForbidden, http.StatusNotFound, http.StatusUnauthorized)
		}),
		on("AUT-07", secAuth, 251, "Commands of a guild need the application to be installed there.", Writes, func(p *probe) {
			r := p.ask(http.MethodPost, client.CommandsPath(command.Scope{Application: p.Application, Guild: 1}), p.define(nil))
			p.want(r, "the application is not installed in guild 1", http.StatusForbidden, http.StatusNotFound)
		}),
		on("AUT-08", secAuth, 253, "Setting default_member_permissions needs no more than registering.", Writes, func(p *probe) {
			p.shows("a command with permissions", p.create(p.global, obj{"default_member_permissions": "32"}), obj{"default_member_permissions": "32"})
		}),
		on("AUT-09", secAuth, 254, "Lobby endpoints want the word Bot in front of the token.", 0, func(p *probe) {
			turnedAway(p, p.askAs(p.client(p.BotToken), http.MethodGet, "/lobbies/1", nil, nil), "the word Bot is missing")
		}),
		on("AUT-10", secAuth, 254, "Lobby endpoints are closed to callers without a token.", 0, func(p *probe) {
			turnedAway(p, p.askAs(p.client(""), http.MethodGet, "/lobbies/1", nil, nil), "there is no token")
		}),
		on("AUT-11", secAuth, 254, "Lobby endpoints take a bot token, not an access token.", Client, func(p *probe) {
			turnedAway(p, p.askAs(p.owned(), http.MethodGet, "/lobbies/1", nil, nil), "the token is no bot's")
		}),
	}
}

// owned returns a client with the application's own access token.
func (p *probe) owned() *client.Client { return p.client("Bearer " + p.ClientToken) }

// turnedAway ends the check unless the answer turns the caller away.
func turnedAway(p *probe, r reply, why string) {
	p.want(r, why, http.StatusUnauthorized, http.StatusForbidden)
}
