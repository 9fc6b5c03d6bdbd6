package conformance

import (
	"net/http"
	"net/url"
)

// channelChecks returns the checks of channels, permission overwrites, invites and direct messages. Most need a bot that manages
// the guild.
func channelChecks() []Check {
	on := func(id, section, rule string, run func(*probe)) Check {
		return on(id, section, 0, rule, Writes|Guild|Manager, run)
	}
	return append([]Check{
		on("CHN-01", "Channel: Modify Channel", "An edit of a channel changes what it names and keeps the rest.", func(p *probe) {
			path, _ := p.channel(0, obj{"topic": "kept"})
			changed := p.edit(path, obj{"name": p.name("renamed"), "rate_limit_per_user": 5})
			want := obj{"name": p.name("renamed"), "rate_limit_per_user": 5, "topic": "kept", "type": 0}
			p.wantMembers("the response", changed, want)
			p.wantMembers("the channel", p.read(path), want)
		}),
		on("CHN-02", "Channel: Modify Channel", "A topic above 1024 characters and a slow mode above six hours are refused.", func(p *probe) {
			path, _ := p.channel(0, nil)
			p.wantRejected(p.send(http.MethodPatch, path, obj{"topic": repeat(1025)}), "the topic is too long")
			p.wantRejected(p.send(http.MethodPatch, path, obj{"rate_limit_per_user": 21601}), "the slow mode is too long")
		}),
		on("CHN-03", "Channel: Delete/Close Channel", "A deleted channel is returned and no longer exists.", func(p *probe) {
			path, made := p.channel(0, nil)
			deleted := p.object(p.wantStatus(p.send(http.MethodDelete, path, nil), "the bot manages channels", http.StatusOK))
			p.wantMembers("the response", deleted, obj{"id": made["id"]})
			p.wantNotFound(p.send(http.MethodGet, path, nil), "the channel was deleted")
		}),
		on("CHN-04", "Channel: Edit Channel Permissions", "A permission overwrite is set, shown, and deleted once.", func(p *probe) {
			path, _ := p.channel(0, nil)
			overwrite := path + "/permissions/" + p.Guild.String()
			p.wantEmpty(p.send(http.MethodPut, overwrite, obj{"type": 0, "deny": "2048"}), "the bot manages roles")
			shown := items(p.read(path), "permission_overwrites")
			if len(shown) != 1 {
				p.fail("the channel has the overwrites %s, want one", short(encode(shown)))
			}
			p.wantMembers("the overwrite", shown[0], obj{"id": p.Guild.String(), "type": 0, "allow": "0", "deny": "2048"})
			p.wantRejected(p.send(http.MethodPut, overwrite, obj{"deny": "0"}), "the type is missing")
			p.wantEmpty(p.send(http.MethodDelete, overwrite, nil), "the overwrite exists")
			p.wantNotFound(p.send(http.MethodDelete, overwrite, nil), "the overwrite was deleted")
		}),
		on("CHN-05", "Channel: Create Channel Invite", "An invite is returned, listed for its channel and its guild, and can be read by its code.", func(p *probe) {
			path, made := p.channel(0, nil)
			r := p.send(http.MethodPost, path+"/invites", obj{"max_age": 3600, "max_uses": 2})
			invite := p.object(p.wantStatus(r, "the bot may invite", http.StatusOK))
			p.wantMembers("the invite", invite, obj{"max_age": 3600, "max_uses": 2, "uses": 0, "temporary": false, "channel": obj{"id": made["id"]}})
			code := text(invite["code"])
			for _, list := range []string{path + "/invites", "/guilds/" + p.Guild.String() + "/invites"} {
				if !hasCode(p.readList(list), code) {
					p.fail("GET %s does not list the invite %s", list, code)
				}
			}
			p.wantMembers("the invite", p.read("/invites/"+url.PathEscape(code)), obj{"code": code, "guild": obj{"id": p.Guild.String()}})
			p.wantStatus(p.send(http.MethodDelete, "/invites/"+url.PathEscape(code), nil), "the bot manages channels", http.StatusOK)
			p.wantNotFound(p.send(http.MethodGet, "/invites/"+url.PathEscape(code), nil), "the invite was deleted")
		}),
		on("CHN-06", "Channel: Create Channel Invite", "A similar invite is used again unless the request asks for a unique one.", func(p *probe) {
			path, _ := p.channel(0, nil)
			code := func(body obj) any {
				return p.object(p.wantStatus(p.send(http.MethodPost, path+"/invites", body), "the bot may invite", http.StatusOK))["code"]
			}
			if first := code(obj{}); code(obj{}) != first || code(obj{"unique": true}) == first {
				p.fail("the invites do not follow the member unique")
			}
			p.wantRejected(p.send(http.MethodPost, path+"/invites", obj{"max_uses": 101}), "max_uses is at most 100")
		}),
	}, directChecks()...)
}

// hasCode reports whether a list has an invite.
func hasCode(invites []obj, code string) bool {
	for _, i := range invites {
		if i["code"] == code {
			return true
		}
	}
	return false
}

// directChecks returns the checks of direct messages.
func directChecks() []Check {
	on := func(id, section, rule string, run func(*probe)) Check {
		return on(id, section, 0, rule, Writes|Guild|Users, run)
	}
	direct := func(p *probe) obj {
		r := p.send(http.MethodPost, "/users/@me/channels", obj{"recipient_id": p.user(0)})
		return p.object(p.wantStatus(r, "the person shares a guild with the bot", http.StatusOK))
	}
	return []Check{
		on("CHN-07", "User: Create DM", "The direct message channel with a person is always the same.", func(p *probe) {
			first := direct(p)
			p.wantMembers("the channel", first, obj{"type": 1})
			if people := items(first, "recipients"); len(people) != 1 || people[0]["id"] != p.user(0) || direct(p)["id"] != first["id"] {
				p.fail("the channel is %s, want one with %s, and the same one again", short(encode(first)), p.user(0))
			}
			p.wantRejected(p.send(http.MethodPost, "/users/@me/channels", obj{"recipient_id": "5"}), "there is no such person")
		}),
		on("CHN-08", "Message: Create Message", "A direct message can be sent, edited and deleted by the bot, and is in no guild.", func(p *probe) {
			path, made := p.write("/channels/"+text(direct(p)["id"]), obj{"content": "hi"})
			p.messages[path] = true
			p.wantAbsent(made, "guild_id", "it is a direct message")
			p.wantMembers("the message", p.edit(path, obj{"content": "hello"}), obj{"content": "hello"})
			p.wantEmpty(p.send(http.MethodDelete, path, nil), "the bot wrote it")
		}),
		on("CHN-09", "Message: Bulk Delete Messages", "Messages cannot be deleted in bulk outside of guilds.", func(p *probe) {
			channel := "/channels/" + text(direct(p)["id"])
			p.wantStatus(p.send(http.MethodPost, channel+"/messages/bulk-delete", obj{"messages": []any{"5", "6"}}), "there is no guild",
				http.StatusForbidden, http.StatusBadRequest)
		}),
	}
}
