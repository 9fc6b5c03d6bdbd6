package conformance

import (
	"maps"
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/client"
)

// secPlayers is the heading in Discord's documentation for players who have no account.
const secPlayers = "Using Provisional Accounts: Bot Token Endpoint"

// provisionalFlag marks a provisional user in public_flags.
const provisionalFlag = 1 << 23

// player is a player who signed in, with the client of the game.
type player struct {
	token  obj
	client *client.Client
	user   obj
}

// signIn signs in a player whom the bot names, and reads the player's user.
func (p *probe) signIn(id string, body obj) player {
	full := obj{"external_user_id": p.name(id)}
	maps.Copy(full, body)
	token := p.object(p.wantStatus(p.send(http.MethodPost, "/partner-sdk/token/bot", full), "the bot can name players", http.StatusOK))
	one := player{token: token, client: p.client("Bearer " + text(token["access_token"]))}
	one.user = p.object(p.wantStatus(p.sendAs(one.client, http.MethodGet, "/users/@me", nil, nil), "the token is that of a player", http.StatusOK))
	return one
}

// playerChecks returns the checks of provisional accounts. A service that refuses such accounts for the application fails them; the
// users that they make stay, because no request of a bot deletes them.
func playerChecks() []Check {
	return []Check{
		on("PLA-01", secPlayers, 0, "A bot gets an access token for a player that it names.", Writes, func(p *probe) {
			token := p.signIn("player", nil).token
			p.wantMembers("the token", token, obj{"token_type": "Bearer"})
			if !strings.Contains(text(token["scope"]), "sdk.social_layer") {
				p.fail("the scope of the token is %s, want sdk.social_layer", encode(token["scope"]))
			}
			if n, ok := token["expires_in"].(float64); !ok || n <= 0 {
				p.fail("expires_in of the token is %s, want seconds", encode(token["expires_in"]))
			}
		}),
		on("PLA-02", secPlayers, 0, "A player is the same user at each sign-in, and no other player's.", Writes, func(p *probe) {
			first, again, other := p.signIn("player", nil), p.signIn("player", nil), p.signIn("other", nil)
			if first.user["id"] != again.user["id"] {
				p.fail("a player is user %s, and %s at the second sign-in", encode(first.user["id"]), encode(again.user["id"]))
			}
			if first.user["id"] == other.user["id"] {
				p.fail("two players are the same user %s", encode(first.user["id"]))
			}
		}),
		on("PLA-03", secPlayers, 0, "A provisional user has a flag and the preferred name.", Writes, func(p *probe) {
			user := p.signIn("named", obj{"preferred_global_name": "Vex"}).user
			p.wantMembers("the user", user, obj{"global_name": "Vex"})
			if flags, ok := user["public_flags"].(float64); !ok || uint64(flags)&provisionalFlag == 0 {
				p.fail("public_flags of the user are %s, want the flag %d", encode(user["public_flags"]), provisionalFlag)
			}
		}),
		on("PLA-04", secPlayers, 0, "A player joins a lobby, sends a message and leaves.", Writes, func(p *probe) { playInLobby(p, p.signIn("player", nil)) }),
		on("PLA-05", secPlayers, 0, "A player needs an external_user_id.", Writes, func(p *probe) {
			p.wantRejected(p.send(http.MethodPost, "/partner-sdk/token/bot", obj{}), "external_user_id is missing")
			p.wantRejected(p.send(http.MethodPost, "/partner-sdk/token/bot", obj{"external_user_id": ""}), "external_user_id is empty")
		}),
		on("PLA-06", secPlayers, 0, "A player cannot name players.", Writes, func(p *probe) {
			r := p.sendAs(p.signIn("player", nil).client, http.MethodPost, "/partner-sdk/token/bot", obj{"external_user_id": p.name("other")}, nil)
			p.wantStatus(r, "the token is that of a player", http.StatusUnauthorized, http.StatusForbidden)
		}),
		on("PLA-07", "Using Provisional Accounts: Unmerging", 0, "An account that is not merged cannot be taken apart.", Writes, func(p *probe) {
			p.signIn("player", nil)
			r := p.send(http.MethodPost, "/partner-sdk/provisional-accounts/unmerge/bot", obj{"external_user_id": p.name("player")})
			p.wantRejected(r, "the account is provisional")
		}),
	}
}

// playInLobby sends the requests of a game client.
func playInLobby(p *probe, one player) {
	as := func(method, path string, body any) reply { return p.sendAs(one.client, method, path, body, nil) }
	r := p.wantStatus(as(http.MethodPut, "/lobbies", obj{"secret": p.name("round"), "member_metadata": obj{"team": "red"}}), "a player can join a lobby", http.StatusOK, http.StatusCreated)
	joined := p.object(r)
	id := text(joined["id"])
	p.lobbies[id] = true
	members, _ := joined["members"].([]any)
	if len(members) != 1 {
		p.fail("the lobby has the members %s, want the player", encode(joined["members"]))
	}
	member, _ := members[0].(map[string]any)
	p.wantMembers("the member", member, obj{"id": one.user["id"], "metadata": obj{"team": "red"}})

	messages := "/lobbies/" + id + "/messages"
	sent := p.object(p.wantStatus(as(http.MethodPost, messages, obj{"content": "hello"}), "the player is a member", http.StatusCreated, http.StatusOK))
	p.wantMembers("the message", sent, obj{"content": "hello", "lobby_id": id, "application_id": p.Application.String()})
	author, _ := sent["author"].(map[string]any)
	p.wantMembers("the author", author, obj{"id": one.user["id"]})
	if list := p.objects(p.wantStatus(as(http.MethodGet, messages, nil), "the player is a member", http.StatusOK)); len(list) != 1 || list[0]["id"] != sent["id"] {
		p.fail("the messages of the lobby are %s, want the one that was sent", encode(list))
	}
	p.wantEmpty(as(http.MethodDelete, "/lobbies/"+id+"/members/@me", nil), "the lobby has a secret")
	p.wantStatus(as(http.MethodPost, messages, obj{"content": "late"}), "the player has left", http.StatusForbidden)
}
