package conformance

import (
	"net/http"
	"net/url"
)

// channelMessages returns the path of the messages of a text channel.
func (p *probe) channelMessages() string { return "/channels/" + p.openChannel() + "/messages" }

// message creates a message and returns its path and the response. The cleanup of the run deletes it.
func (p *probe) message(body obj) (path string, made obj) {
	all := p.channelMessages()
	made = p.object(p.wantStatus(p.send(http.MethodPost, all, body), "the message is valid", http.StatusOK))
	p.snowflake(made, "id")
	path = all + "/" + text(made["id"])
	p.messages[path] = true
	return path, made
}

// refuseMessage posts an invalid message and ends the check unless the service rejects it.
func (p *probe) refuseMessage(body obj, why string) {
	all := p.channelMessages()
	r := p.send(http.MethodPost, all, body)
	if r.Status < 300 {
		p.messages[all+"/"+text(p.object(r)["id"])] = true
	}
	p.wantRejected(r, why)
}

// readMessage reads a message.
func (p *probe) readMessage(path string) obj {
	return p.object(p.wantStatus(p.send(http.MethodGet, path, nil), "the message exists", http.StatusOK))
}

// thumb is the path of a reaction.
var thumb = "/reactions/" + url.PathEscape("👍")

// messageChecks returns the checks of messages and reactions. They need only the permissions that all members have.
func messageChecks() []Check {
	on := func(id, section, rule string, run func(*probe)) Check {
		return on(id, "Message: "+section, 0, rule, Writes|Guild, run)
	}
	refuse := func(id, rule string, body obj) Check {
		return on(id, "Create Message", rule, func(p *probe) { p.refuseMessage(body, rule) })
	}
	return []Check{
		on("MSG-01", "Create Message", "A message is returned with its content and author, and with all lists that clients expect.", func(p *probe) {
			_, made := p.message(obj{"content": "hello"})
			p.wantMembers("the response to POST", made, obj{
				"content": "hello", "type": 0, "edited_timestamp": nil, "mentions": []any{}, "mention_roles": []any{}, "attachments": []any{},
				"embeds": []any{}, "components": []any{}, "pinned": false, "tts": false,
			})
		}),
		refuse("MSG-02", "A message cannot be empty.", obj{"content": " "}),
		refuse("MSG-03", "The content of a message cannot have more than 4000 characters.", obj{"content": repeat(4001)}),
		refuse("MSG-04", "A message cannot have more than 10 embeds.", obj{"embeds": many(11, func(int) any { return obj{"title": "a"} })}),
		on("MSG-05", "Create Message", "The nonce of a message is returned with its JSON type, and only in the response.", func(p *probe) {
			path, made := p.message(obj{"content": "a", "nonce": 7})
			p.wantMembers("the response to POST", made, obj{"nonce": 7})
			p.wantAbsent(p.readMessage(path), "nonce", "it belongs to the request")
		}),
		on("MSG-06", "Create Message", "A reply shows the message that it refers to.", func(p *probe) {
			_, first := p.message(obj{"content": "first"})
			_, reply := p.message(obj{"content": "second", "message_reference": obj{"message_id": first["id"]}})
			p.wantMembers("the reply", reply, obj{"type": 19})
			shown, _ := reply["referenced_message"].(map[string]any)
			p.wantMembers("the referenced message", shown, obj{"id": first["id"], "content": "first"})
		}),
		on("MSG-07", "Get Channel Messages", "Messages are listed with the newest first, also after an id.", func(p *probe) {
			_, first := p.message(obj{"content": "1"})
			_, second := p.message(obj{"content": "2"})
			_, third := p.message(obj{"content": "3"})
			r := p.send(http.MethodGet, p.channelMessages()+"?limit=2&after="+text(first["id"]), nil)
			list := p.objects(p.wantStatus(r, "the bot can read the history", http.StatusOK))
			if len(list) != 2 || list[0]["id"] != third["id"] || list[1]["id"] != second["id"] {
				p.fail("%s returned %s, want the two messages after it, the newest first", r.request, short(r.Body))
			}
		}),
		on("MSG-08", "Edit Message", "An edit changes what it names, keeps the rest, and sets edited_timestamp.", func(p *probe) {
			path, _ := p.message(obj{"content": "before", "embeds": []any{obj{"title": "kept"}}})
			edited := p.object(p.wantStatus(p.send(http.MethodPatch, path, obj{"content": "after"}), "the bot wrote the message", http.StatusOK))
			p.wantMembers("the response to PATCH", edited, obj{"content": "after"})
			if embeds, _ := edited["embeds"].([]any); len(embeds) != 1 || edited["edited_timestamp"] == nil {
				p.fail("the edited message has the embeds %s and the edited_timestamp %v", encode(edited["embeds"]), edited["edited_timestamp"])
			}
		}),
		on("MSG-09", "Delete Message", "A deleted message no longer exists.", func(p *probe) {
			path, _ := p.message(obj{"content": "short"})
			p.wantEmpty(p.send(http.MethodDelete, path, nil), "the bot wrote the message")
			p.wantNotFound(p.send(http.MethodGet, path, nil), "the message was deleted")
		}),
		on("MSG-10", "Create Reaction", "A reaction counts once, and shows that the bot reacted.", func(p *probe) {
			path, _ := p.message(obj{"content": "react"})
			for range 2 {
				p.wantEmpty(p.send(http.MethodPut, path+thumb+"/@me", nil), "members can react")
			}
			reactions, _ := p.readMessage(path)["reactions"].([]any)
			if len(reactions) != 1 {
				p.fail("the message has the reactions %s, want one", encode(reactions))
			}
			shown, _ := reactions[0].(map[string]any)
			p.wantMembers("the reaction", shown, obj{"count": 1, "me": true, "emoji": obj{"id": nil, "name": "👍"}})
		}),
		on("MSG-11", "Get Reactions", "The users of a reaction are listed until they remove it.", func(p *probe) {
			path, _ := p.message(obj{"content": "react"})
			p.wantEmpty(p.send(http.MethodPut, path+thumb+"/@me", nil), "members can react")
			if users := p.objects(p.wantStatus(p.send(http.MethodGet, path+thumb, nil), "the bot can read the history", http.StatusOK)); len(users) != 1 {
				p.fail("%d users reacted, want 1", len(users))
			}
			p.wantEmpty(p.send(http.MethodDelete, path+thumb+"/@me", nil), "the bot reacted")
			p.wantAbsent(p.readMessage(path), "reactions", "all reactions are removed")
		}),
		on("MSG-12", "Create Reaction", "An unknown emoji is refused.", func(p *probe) {
			path, _ := p.message(obj{"content": "react"})
			p.wantStatus(p.send(http.MethodPut, path+"/reactions/no-emoji/@me", nil), "it is no emoji", http.StatusBadRequest)
		}),
	}
}
