package conformance

import (
	"net/http"
)

// webhook creates a webhook of a channel and returns its path with its token, and the response.
func (p *probe) webhook(channel string) (path string, made obj) {
	r := p.send(http.MethodPost, channel+"/webhooks", obj{"name": p.name("hook")})
	made = p.object(p.wantStatus(r, "the bot manages webhooks", http.StatusOK))
	p.snowflake(made, "id")
	return "/webhooks/" + text(made["id"]) + "/" + text(made["token"]), made
}

// post sends a request without a token in a header.
func (p *probe) post(method, path string, body any) reply {
	return p.sendAs(p.anonymous(), method, path, body, nil)
}

// execute sends a message through a webhook and returns it.
func (p *probe) execute(path string, body obj) obj {
	return p.object(p.wantStatus(p.post(http.MethodPost, path, body), "the message is valid", http.StatusOK))
}

// webhookChecks returns the checks of webhooks of channels. They need a bot that manages the guild.
func webhookChecks() []Check {
	on := func(id, section, rule string, run func(*probe)) Check {
		return on(id, "Webhook: "+section, 0, rule, Writes|Guild|Manager, run)
	}
	return []Check{
		on("WHK-01", "Create Webhook", "A webhook is returned with its token, and is listed for its channel and its guild.", func(p *probe) {
			room := p.room(0)
			_, made := p.webhook(room)
			p.wantMembers("the webhook", made, obj{"type": 1, "name": p.name("hook"), "guild_id": p.Guild.String(), "application_id": p.Application.String()})
			for _, path := range []string{room + "/webhooks", "/guilds/" + p.Guild.String() + "/webhooks"} {
				if list := p.readList(path); !hasID(list, made["id"]) {
					p.fail("GET %s returned %s, want the webhook", path, short(encode(list)))
				}
			}
			p.read("/webhooks/" + text(made["id"]))
		}),
		on("WHK-02", "Get Webhook with Token", "The token of a webhook needs no other credential, and a wrong one is refused.", func(p *probe) {
			path, made := p.webhook(p.room(0))
			found := p.object(p.wantStatus(p.post(http.MethodGet, path, nil), "the token belongs to the webhook", http.StatusOK))
			p.wantAbsent(found, "user", "the caller is not known")
			p.wantStatus(p.post(http.MethodGet, "/webhooks/"+text(made["id"])+"/wrong", nil), "the token is wrong", http.StatusUnauthorized)
			p.wantNotFound(p.post(http.MethodGet, "/webhooks/5/wrong", nil), "there is no such webhook")
		}),
		on("WHK-03", "Execute Webhook", "A message of a webhook has the webhook as its author, under the name of the request.", func(p *probe) {
			path, made := p.webhook(p.room(0))
			sent := p.execute(path+"?wait=true", obj{"content": "hi", "username": "Postman"})
			p.wantMembers("the message", sent, obj{
				"content": "hi", "webhook_id": made["id"], "author": obj{"id": made["id"], "username": "Postman", "bot": true, "discriminator": "0000"},
			})
			p.wantAbsent(sent, "member", "a webhook is no member")
		}),
		on("WHK-04", "Execute Webhook", "Without wait the answer has no body, and an empty message is refused all the same.", func(p *probe) {
			path, _ := p.webhook(p.room(0))
			p.wantEmpty(p.post(http.MethodPost, path, obj{"content": "hi"}), "the message is valid")
			p.wantRejected(p.post(http.MethodPost, path, obj{}), "the message is empty")
		}),
		on("WHK-05", "Edit Webhook Message", "A webhook reads, edits and deletes its own messages only.", func(p *probe) {
			path, _ := p.webhook(p.room(0))
			message := path + "/messages/" + text(p.execute(path+"?wait=true", obj{"content": "before"})["id"])
			edited := p.object(p.wantStatus(p.post(http.MethodPatch, message, obj{"content": "after"}), "it is its own", http.StatusOK))
			p.wantMembers("the message", edited, obj{"content": "after"})
			p.wantEmpty(p.post(http.MethodDelete, message, nil), "it is its own")
			p.wantNotFound(p.post(http.MethodGet, message, nil), "it was deleted")
			_, other := p.write(p.room(0), obj{"content": "of the bot"})
			p.wantNotFound(p.post(http.MethodPatch, path+"/messages/"+text(other["id"]), obj{"content": "a"}), "it is the bot's")
		}),
		on("WHK-06", "Execute Webhook", "A message in a thread needs thread_id in every request.", func(p *probe) {
			path, _ := p.webhook(p.room(0))
			_, thread := p.thread(p.room(0), 11)
			query := "?thread_id=" + text(thread["id"])
			sent := p.execute(path+query+"&wait=true", obj{"content": "hi"})
			p.wantMembers("the message", sent, obj{"channel_id": thread["id"]})
			message := path + "/messages/" + text(sent["id"])
			p.wantNotFound(p.post(http.MethodGet, message, nil), "the message is in a thread")
			p.wantStatus(p.post(http.MethodGet, message+query, nil), "the thread is named", http.StatusOK)
		}),
		on("WHK-07", "Execute Webhook", "In a forum a message starts a post with thread_name, which no other channel takes.", func(p *probe) {
			forum, _ := p.webhook(p.room(15))
			p.wantRejected(p.post(http.MethodPost, forum, obj{"content": "hi"}), "it has neither thread_name nor thread_id")
			sent := p.execute(forum+"?wait=true", obj{"content": "hi", "thread_name": p.name("post")})
			p.wantMembers("the message", sent, obj{"channel_id": sent["id"]})
			plain, _ := p.webhook(p.room(0))
			p.wantRejected(p.post(http.MethodPost, plain, obj{"content": "hi", "thread_name": "post"}), "the channel is no forum")
		}),
		on("WHK-08", "Modify Webhook", "A webhook can be renamed, with its token too, and deleted.", func(p *probe) {
			path, made := p.webhook(p.room(0))
			one := "/webhooks/" + text(made["id"])
			p.wantMembers("the webhook", p.edit(one, obj{"name": p.name("one")}), obj{"name": p.name("one")})
			r := p.post(http.MethodPatch, path, obj{"name": p.name("two")})
			p.wantMembers("the webhook", p.object(p.wantStatus(r, "the token belongs to it", http.StatusOK)), obj{"name": p.name("two")})
			p.wantEmpty(p.post(http.MethodDelete, path, nil), "the token belongs to it")
			p.wantNotFound(p.send(http.MethodGet, one, nil), "it was deleted")
		}),
		on("WHK-09", "Create Webhook", "The name of a webhook cannot contain clyde or discord.", func(p *probe) {
			for _, name := range []string{"My Clyde", "discord bot"} {
				p.wantRejected(p.send(http.MethodPost, p.room(0)+"/webhooks", obj{"name": name}), "the name is reserved")
			}
		}),
	}
}
