package conformance

import (
	"net/http"
)

// poll is the poll of a valid message.
func poll() obj {
	return obj{"poll": obj{"question": obj{"text": "Tea?"}, "answers": []any{
		obj{"poll_media": obj{"text": "Yes"}}, obj{"poll_media": obj{"text": "No"}},
	}}}
}

// historyChecks returns the checks of pins, typing, bulk deletion, announcements and polls. They need a bot that manages the guild.
func historyChecks() []Check {
	on := func(id, section, rule string, run func(*probe)) Check {
		return on(id, section, 0, rule, Writes|Guild|Manager, run)
	}
	return append([]Check{
		on("MSG-13", "Message: Pin Message", "A pinned message is listed with the time of the pin until it is unpinned.", func(p *probe) {
			room := p.room(0)
			path, made := p.write(room, obj{"content": "pin"})
			pin := room + "/messages/pins/" + text(made["id"])
			p.wantEmpty(p.send(http.MethodPut, pin, nil), "the bot may pin")
			p.wantMembers("the message", p.read(path), obj{"pinned": true})
			pins := p.read(room + "/messages/pins")
			first := items(pins, "items")
			if len(first) == 0 || item(first[0], "message")["id"] != made["id"] || first[0]["pinned_at"] == nil || pins["has_more"] != false {
				p.fail("the pins are %s, want the message first, with pinned_at and has_more", short(encode(pins)))
			}
			p.wantEmpty(p.send(http.MethodDelete, pin, nil), "the bot may unpin")
			p.wantMembers("the message", p.read(path), obj{"pinned": false})
		}),
		on("MSG-14", "Message: Pin Message", "The deprecated routes of pins do the same, and list plain messages.", func(p *probe) {
			room := p.room(0)
			_, made := p.write(room, obj{"content": "pin"})
			pin := room + "/pins/" + text(made["id"])
			p.wantEmpty(p.send(http.MethodPut, pin, nil), "the bot may pin")
			if list := p.readList(room + "/pins"); !hasID(list, made["id"]) {
				p.fail("the pins are %s, want the message", short(encode(list)))
			}
			p.wantEmpty(p.send(http.MethodDelete, pin, nil), "the bot may unpin")
			if list := p.readList(room + "/pins"); hasID(list, made["id"]) {
				p.fail("the unpinned message is still listed")
			}
		}),
		on("MSG-15", "Message: Message Types", "A pin is announced by a message of type 6 that refers to the pinned one.", func(p *probe) {
			room := p.room(0)
			_, made := p.write(room, obj{"content": "pin"})
			p.wantEmpty(p.send(http.MethodPut, room+"/messages/pins/"+text(made["id"]), nil), "the bot may pin")
			newest := p.readList(room + "/messages?limit=1")[0]
			p.wantMembers("the newest message", newest, obj{"type": 6, "message_reference": obj{"message_id": made["id"]}})
		}),
		on("MSG-16", "Channel: Trigger Typing Indicator", "Typing is answered without a body.", func(p *probe) {
			p.wantEmpty(p.send(http.MethodPost, p.room(0)+"/typing", nil), "the bot may write")
		}),
		on("MSG-17", "Message: Bulk Delete Messages", "A bulk deletion deletes all of its messages.", func(p *probe) {
			room := p.room(0)
			one, first := p.write(room, obj{"content": "1"})
			two, second := p.write(room, obj{"content": "2"})
			p.wantEmpty(p.send(http.MethodPost, room+"/messages/bulk-delete", obj{"messages": []any{first["id"], second["id"]}}), "they are new")
			p.wantNotFound(p.send(http.MethodGet, one, nil), "it was deleted")
			p.wantNotFound(p.send(http.MethodGet, two, nil), "it was deleted")
		}),
		on("MSG-18", "Message: Bulk Delete Messages", "A bulk deletion of one message, or of messages older than two weeks, is refused as a whole.", func(p *probe) {
			room := p.room(0)
			path, made := p.write(room, obj{"content": "kept"})
			bulk := room + "/messages/bulk-delete"
			p.wantRejected(p.send(http.MethodPost, bulk, obj{"messages": []any{made["id"]}}), "one message is too few")
			p.wantRejected(p.send(http.MethodPost, bulk, obj{"messages": []any{made["id"], "1000000000000000"}}), "one id is from 2015")
			p.read(path)
		}),
		on("MSG-19", "Message: Crosspost Message", "A published message has the flag 1 and cannot be published again.", func(p *probe) {
			path, _ := p.write(p.room(5), obj{"content": "news"})
			published := p.object(p.wantStatus(p.send(http.MethodPost, path+"/crosspost", nil), "the bot wrote it", http.StatusOK))
			p.wantMembers("the response", published, obj{"flags": 1})
			p.wantStatus(p.send(http.MethodPost, path+"/crosspost", nil), "it is published", http.StatusBadRequest)
		}),
		on("MSG-20", "Message: Crosspost Message", "Only messages of announcement channels can be published.", func(p *probe) {
			path, _ := p.write(p.room(0), obj{"content": "no news"})
			p.wantStatus(p.send(http.MethodPost, path+"/crosspost", nil), "the channel has no followers", http.StatusBadRequest)
		}),
		on("MSG-21", "Channel: Follow Announcement Channel", "A channel that follows another one gets its published messages, with the flag 2.", func(p *probe) {
			news, source := p.channel(5, nil)
			target, _ := p.channel(0, nil)
			r := p.send(http.MethodPost, news+"/followers", obj{"webhook_channel_id": target[len("/channels/"):]})
			followed := p.object(p.wantStatus(r, "the bot manages webhooks", http.StatusOK))
			p.wantMembers("the response", followed, obj{"channel_id": source["id"]})
			path, made := p.write(news, obj{"content": "news"})
			p.wantStatus(p.send(http.MethodPost, path+"/crosspost", nil), "the bot wrote it", http.StatusOK)
			p.until("the copy of the message", func() bool {
				for _, m := range p.readList(target + "/messages") {
					if same(m["flags"], 2) {
						p.wantMembers("the copy", m, obj{
							"content": "news", "webhook_id": followed["webhook_id"], "message_reference": obj{"message_id": made["id"], "channel_id": source["id"]},
						})
						return true
					}
				}
				return false
			})
		}),
	}, pollChecks()...)
}

// pollChecks returns the checks of polls.
func pollChecks() []Check {
	on := func(id, section, rule string, needs Needs, run func(*probe)) Check {
		return on(id, "Poll: "+section, 0, rule, Writes|Guild|Manager|needs, run)
	}
	return []Check{
		on("MSG-22", "Poll Object", "A poll has answers with ids from 1, an end, and results.", 0, func(p *probe) {
			_, made := p.write(p.room(0), poll())
			shown := item(made, "poll")
			p.wantMembers("the poll", shown, obj{"question": obj{"text": "Tea?"}, "allow_multiselect": false, "layout_type": 1, "results": obj{"is_finalized": false}})
			answers := items(shown, "answers")
			if len(answers) != 2 || !same(answers[0]["answer_id"], 1) || !same(answers[1]["answer_id"], 2) || shown["expiry"] == nil {
				p.fail("the poll is %s, want two answers with the ids 1 and 2, and an expiry", short(encode(shown)))
			}
		}),
		on("MSG-23", "End Poll", "A poll that its author ends is final, and cannot end twice.", 0, func(p *probe) {
			path, made := p.write(p.room(0), poll())
			end := p.room(0) + "/polls/" + text(made["id"]) + "/expire"
			p.wantStatus(p.send(http.MethodPost, end, nil), "the bot wrote it", http.StatusOK)
			p.wantMembers("the poll", item(p.read(path), "poll"), obj{"results": obj{"is_finalized": true}})
			p.wantStatus(p.send(http.MethodPost, end, nil), "it has ended", http.StatusBadRequest)
		}),
		on("MSG-24", "Get Answer Voters", "A person's vote counts, and the person is listed among the voters.", Users|Dev, func(p *probe) {
			path, made := p.write(p.room(0), poll())
			r := p.say(obj{"in": p.room(0)[len("/channels/"):], "message": made["id"], "vote": []any{2}})
			p.wantStatus(r, "members can vote", http.StatusOK)
			voters := p.read(p.room(0) + "/polls/" + text(made["id"]) + "/answers/2")
			if !hasID(items(voters, "users"), p.user(0)) {
				p.fail("the voters are %s, want %s", short(encode(voters)), p.user(0))
			}
			counts := items(item(item(p.read(path), "poll"), "results"), "answer_counts")
			if len(counts) == 0 || !same(counts[len(counts)-1]["count"], 1) {
				p.fail("the votes are %s, want one for the answer 2", short(encode(counts)))
			}
		}),
		on("MSG-25", "Poll Object", "The message of a poll cannot be edited.", 0, func(p *probe) {
			path, _ := p.write(p.room(0), poll())
			p.wantRejected(p.send(http.MethodPatch, path, obj{"content": "new"}), "it is a poll")
		}),
	}
}
