package conformance

import (
	"net/http"
	"strings"
)

// rejoin makes a person a member of the guild again, through the dev controls, also one who is banned.
func (p *probe) rejoin(user string) {
	p.send(http.MethodDelete, p.guildPath()+"/bans/"+user, nil)
	r := p.send(http.MethodPost, p.bot.Root()+"/_dev/members", obj{"as": user, "guild": p.Guild.String(), "join": true})
	p.wantStatus(r, "the person may join", http.StatusOK)
}

// last returns the last of the people, who does not own the guild.
func (p *probe) last() string { return p.user(len(p.Users) - 1) }

// removalChecks returns the checks that remove people from the guild, and of what only a service with dev controls can undo.
func removalChecks() []Check {
	on := func(id, section, rule string, run func(*probe)) Check {
		return on(id, section, 0, rule, Writes|Guild|Manager|Users|Dev, run)
	}
	return []Check{
		on("GLD-19", "Guild: Create Guild Ban", "A ban removes the member, has the reason of the header, and is lifted once.", func(p *probe) {
			ban := p.guildPath() + "/bans/" + p.last()
			defer p.rejoin(p.last())
			reason := http.Header{"X-Audit-Log-Reason": {"no%20spam"}}
			p.wantEmpty(p.sendAs(p.bot, http.MethodPut, ban, obj{}, reason), "the bot bans members")
			p.wantMembers("the ban", p.read(ban), obj{"reason": "no spam", "user": obj{"id": p.last()}})
			p.wantNotFound(p.send(http.MethodGet, p.guildPath()+"/members/"+p.last(), nil), "the member was banned")
			p.wantEmpty(p.send(http.MethodPut, ban, nil), "the user is banned already")
			p.wantEmpty(p.send(http.MethodDelete, ban, nil), "the bot lifts bans")
			p.wantNotFound(p.send(http.MethodDelete, ban, nil), "the ban was lifted")
		}),
		on("GLD-20", "Guild: Remove Guild Member", "A member is removed once.", func(p *probe) {
			member := p.guildPath() + "/members/" + p.last()
			defer p.rejoin(p.last())
			p.wantEmpty(p.send(http.MethodDelete, member, nil), "the bot removes members")
			p.wantNotFound(p.send(http.MethodDelete, member, nil), "the member was removed")
		}),
		on("GLD-21", "Voice: Modify Guild Member", "A member in a voice channel has a voice state, until the bot disconnects the member.", func(p *probe) {
			const seeAndConnect = "1049600"
			_, room := p.channel(2, obj{"permission_overwrites": []any{obj{"id": p.Guild.String(), "type": 0, "allow": seeAndConnect}}})
			state, member := p.guildPath()+"/voice-states/"+p.last(), p.guildPath()+"/members/"+p.last()
			p.wantNotFound(p.send(http.MethodGet, state, nil), "the member is in no voice channel")
			p.wantRejected(p.send(http.MethodPatch, member, obj{"mute": true}), "the member is in no voice channel")
			join := obj{"as": p.last(), "guild": p.Guild.String(), "voice": room["id"]}
			p.wantStatus(p.send(http.MethodPost, p.bot.Root()+"/_dev/members", join), "the member may connect", http.StatusOK)
			p.wantMembers("the voice state", p.read(state), obj{"channel_id": room["id"], "user_id": p.last()})
			p.edit(member, obj{"channel_id": nil})
			p.wantNotFound(p.send(http.MethodGet, state, nil), "the member was disconnected")
		}),
	}
}

// listChecks returns the checks of what bots find and change in a guild besides members and roles.
func listChecks() []Check {
	on := func(id, section, rule string, needs Needs, run func(*probe)) Check {
		return on(id, section, 0, rule, Writes|Guild|Manager|needs, run)
	}
	return []Check{
		on("GLD-22", "Guild: Bulk Guild Ban", "A request that bans nobody is an error, and one without users too.", 0, func(p *probe) {
			p.wantRejected(p.send(http.MethodPost, p.guildPath()+"/bulk-ban", obj{"user_ids": []any{"5"}}), "there is no such user")
			p.wantRejected(p.send(http.MethodPost, p.guildPath()+"/bulk-ban", obj{"user_ids": []any{}}), "it has no users")
		}),
		on("GLD-23", "Guild: Search Guild Members", "Members are found by the start of their names, and a search needs a text.", Users, func(p *probe) {
			user := item(p.read(p.guildPath()+"/members/"+p.last()), "user")
			search := p.guildPath() + "/members/search?limit=1000&query="
			found := p.readList(search + strings.ToUpper(text(user["username"])))
			if len(found) == 0 || item(found[0], "user")["id"] != p.last() {
				p.fail("the search for %s found %s", text(user["username"]), short(encode(found)))
			}
			p.wantRejected(p.send(http.MethodGet, p.guildPath()+"/members/search", nil), "it has no query")
		}),
		on("GLD-24", "Guild: Modify Guild Channel Positions", "Channels are moved without a body in the response.", 0, func(p *probe) {
			path, made := p.channel(0, nil)
			p.wantEmpty(p.send(http.MethodPatch, p.guildPath()+"/channels", []any{obj{"id": made["id"], "position": 99}}), "the bot manages channels")
			p.wantMembers("the channel", p.read(path), obj{"position": 99})
		}),
		on("GLD-25", "Emoji: List Application Emojis", "An application has emojis of its own, in a list with the name items.", 0, func(p *probe) {
			emojis := "/applications/" + p.Application.String() + "/emojis"
			made := p.object(p.wantStatus(p.send(http.MethodPost, emojis, obj{"name": "conform", "image": pixel}), "the image is valid", http.StatusCreated))
			path := emojis + "/" + text(made["id"])
			p.channels[path] = true // the cleanup of the run deletes it
			if !hasID(items(p.read(emojis), "items"), made["id"]) {
				p.fail("the emojis of the application do not have the new one")
			}
			p.wantMembers("the emoji", p.edit(path, obj{"name": "renamed"}), obj{"name": "renamed", "roles": []any{}})
			p.wantEmpty(p.send(http.MethodDelete, path, nil), "it is an emoji of the application")
			p.wantNotFound(p.send(http.MethodDelete, path, nil), "the emoji was deleted")
		}),
		on("GLD-26", "Guild: Get Guild Preview", "A preview has the approximate counts, which the guild has only on request.", 0, func(p *probe) {
			counts := []string{"approximate_member_count", "approximate_presence_count"}
			preview, guild := p.read(p.guildPath()+"/preview"), p.read(p.guildPath()+"?with_counts=true")
			for _, name := range counts {
				if preview[name] == nil || guild[name] == nil {
					p.fail("the preview or the guild has no %s", name)
				}
				p.wantAbsent(p.read(p.guildPath()), name, "the request does not ask for it")
			}
		}),
		on("GLD-27", "User: Modify Current User", "A username of one character is refused, and an avatar that is no data URI.", 0, func(p *probe) {
			p.wantRejected(p.send(http.MethodPatch, "/users/@me", obj{"username": "x"}), "the username is too short")
			p.wantRejected(p.send(http.MethodPatch, "/users/@me", obj{"avatar": "no image"}), "the avatar is no data URI")
		}),
		on("GLD-28", "Guild: Get Guild Member", "A user who does not exist is not found, and neither is such a role.", 0, func(p *probe) {
			p.wantNotFound(p.send(http.MethodGet, p.guildPath()+"/members/5", nil), "there is no such user")
			p.wantNotFound(p.send(http.MethodPatch, p.guildPath()+"/members/5", obj{"nick": "x"}), "there is no such user")
			p.wantNotFound(p.send(http.MethodDelete, p.guildPath()+"/members/5", nil), "there is no such user")
			p.wantNotFound(p.send(http.MethodPatch, p.guildPath()+"/roles/5", obj{"name": "x"}), "there is no such role")
			if p.read(p.guildPath() + "/roles/member-counts")[p.Guild.String()] != nil {
				p.fail("the counts have the role of everyone")
			}
		}),
	}
}
