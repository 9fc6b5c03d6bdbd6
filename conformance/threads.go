package conformance

import (
	"net/http"
)

// thread starts a thread without a message in a channel and returns its path and the response.
func (p *probe) thread(channel string, kind int) (path string, made obj) {
	r := p.send(http.MethodPost, channel+"/threads", obj{"name": p.name("thread"), "type": kind})
	made = p.object(p.wantStatus(r, "the bot may start threads", http.StatusCreated))
	p.snowflake(made, "id")
	return "/channels/" + text(made["id"]), made
}

// threadChecks returns the checks of threads. They need a bot that manages the guild.
func threadChecks() []Check {
	on := func(id, section, rule string, run func(*probe)) Check {
		return on(id, section, 0, rule, Writes|Guild|Manager, run)
	}
	return append([]Check{
		on("THR-01", "Channel: Start Thread from Message", "A thread of a message has the id of the message, and the message shows it.", func(p *probe) {
			path, made := p.write(p.room(0), obj{"content": "start"})
			r := p.send(http.MethodPost, path+"/threads", obj{"name": p.name("thread"), "auto_archive_duration": 60})
			thread := p.object(p.wantStatus(r, "the bot may start threads", http.StatusCreated))
			p.wantMembers("the thread", thread, obj{
				"id": made["id"], "type": 11, "parent_id": made["channel_id"], "owner_id": p.Application.String(),
				"thread_metadata": obj{"archived": false, "locked": false, "auto_archive_duration": 60},
			})
			p.wantMembers("the message", p.read(path), obj{"flags": 32, "thread": obj{"id": made["id"]}})
			p.wantStatus(p.send(http.MethodPost, path+"/threads", obj{"name": "second"}), "the message has a thread", http.StatusBadRequest)
		}),
		on("THR-02", "Channel: Start Thread without Message", "A thread that names no type is private.", func(p *probe) {
			r := p.send(http.MethodPost, p.room(0)+"/threads", obj{"name": p.name("thread")})
			p.wantMembers("the thread", p.object(p.wantStatus(r, "the bot may start threads", http.StatusCreated)), obj{"type": 12})
		}),
		on("THR-03", "Channel: Start Thread in Forum or Media Channel", "A post has the id of its first message, and needs that message.", func(p *probe) {
			forum := p.room(15)
			r := p.send(http.MethodPost, forum+"/threads", obj{"name": p.name("post"), "message": obj{"content": "first"}})
			made := p.object(p.wantStatus(r, "the bot may write", http.StatusCreated))
			p.wantMembers("the post", made, obj{"type": 11, "message": obj{"id": made["id"], "content": "first"}})
			p.wantRejected(p.send(http.MethodPost, forum+"/threads", obj{"name": p.name("post")}), "it has no message")
			p.wantRejected(p.send(http.MethodPost, forum+"/messages", obj{"content": "a"}), "messages belong to posts")
		}),
		on("THR-04", "Channel: Join Thread", "The bot can leave a thread and join it again.", func(p *probe) {
			thread, _ := p.thread(p.room(0), 11)
			me := thread + "/thread-members/@me"
			p.wantEmpty(p.send(http.MethodDelete, me, nil), "the bot is a member")
			p.wantNotFound(p.send(http.MethodGet, thread+"/thread-members/"+p.Application.String(), nil), "the bot left")
			p.wantEmpty(p.send(http.MethodPut, me, nil), "the thread is public")
			member := p.read(thread + "/thread-members/" + p.Application.String())
			p.wantMembers("the member", member, obj{"id": thread[len("/channels/"):], "user_id": p.Application.String()})
		}),
		on("THR-05", "Channel: Modify Channel", "An archived thread is listed among the archived ones and no longer among the active ones.", func(p *probe) {
			room, _ := p.channel(0, nil)
			thread, made := p.thread(room, 11)
			active := "/guilds/" + p.Guild.String() + "/threads/active"
			if !hasID(items(p.read(active), "threads"), made["id"]) {
				p.fail("the active threads do not have the thread %v", made["id"])
			}
			p.wantMembers("the thread", p.edit(thread, obj{"archived": true}), obj{"thread_metadata": obj{"archived": true}})
			archived := p.read(room + "/threads/archived/public")
			p.wantMembers("the archived threads", archived, obj{"has_more": false})
			if !hasID(items(archived, "threads"), made["id"]) || hasID(items(p.read(active), "threads"), made["id"]) {
				p.fail("the archived threads are %s, want %v there and not among the active ones", short(encode(archived)), made["id"])
			}
		}),
		on("THR-06", "Channel: List Private Archived Threads", "An archived private thread is listed for managers and for its members.", func(p *probe) {
			room, _ := p.channel(0, nil)
			thread, made := p.thread(room, 12)
			p.edit(thread, obj{"archived": true})
			for _, path := range []string{room + "/threads/archived/private", room + "/users/@me/threads/archived/private"} {
				if list := p.read(path); !hasID(items(list, "threads"), made["id"]) {
					p.fail("GET %s returned %s, want the thread %v", path, short(encode(list)), made["id"])
				}
			}
			if list := p.read(room + "/threads/archived/public"); len(items(list, "threads")) != 0 {
				p.fail("the public list has the private thread: %s", short(encode(list)))
			}
		}),
		on("THR-07", "Threads: Archived", "A message in an archived thread cannot be edited, and a new message opens the thread.", func(p *probe) {
			thread, _ := p.thread(p.room(0), 11)
			path, _ := p.write(thread, obj{"content": "before"})
			p.edit(thread, obj{"archived": true})
			p.wantStatus(p.send(http.MethodPatch, path, obj{"content": "after"}), "the thread is archived", http.StatusBadRequest)
			p.write(thread, obj{"content": "new"})
			p.wantMembers("the thread", p.read(thread), obj{"thread_metadata": obj{"archived": false}})
		}),
		on("THR-08", "Channel: Modify Channel", "A thread can be renamed, and its duration can be changed.", func(p *probe) {
			thread, _ := p.thread(p.room(0), 11)
			changed := p.edit(thread, obj{"name": p.name("renamed"), "auto_archive_duration": 1440})
			p.wantMembers("the thread", changed, obj{"name": p.name("renamed"), "thread_metadata": obj{"auto_archive_duration": 1440}})
			p.wantMembers("the newest message", p.readList(thread + "/messages?limit=1")[0], obj{"type": 4, "content": p.name("renamed")})
		}),
		on("THR-09", "Channel: Delete/Close Channel", "A deleted thread no longer exists, and its message stays.", func(p *probe) {
			path, _ := p.write(p.room(0), obj{"content": "start"})
			r := p.send(http.MethodPost, path+"/threads", obj{"name": p.name("thread")})
			made := p.object(p.wantStatus(r, "the bot may start threads", http.StatusCreated))
			thread := "/channels/" + text(made["id"])
			p.wantMembers("the thread", p.object(p.wantStatus(p.send(http.MethodDelete, thread, nil), "the bot manages threads", http.StatusOK)), obj{"id": made["id"]})
			p.wantNotFound(p.send(http.MethodGet, thread, nil), "the thread was deleted")
			p.read(path)
		}),
	}, threadMemberChecks()...)
}

// threadMemberChecks returns the checks of threads that need people.
func threadMemberChecks() []Check {
	on := func(id, section, rule string, needs Needs, run func(*probe)) Check {
		return on(id, section, 0, rule, Writes|Guild|Manager|Users|needs, run)
	}
	return []Check{
		on("THR-10", "Channel: Add Thread Member", "A person can be added to a thread, also twice, and removed once.", 0, func(p *probe) {
			thread, _ := p.thread(p.room(0), 11)
			member := thread + "/thread-members/" + p.user(0)
			for range 2 {
				p.wantEmpty(p.send(http.MethodPut, member, nil), "the person sees the channel")
			}
			found := p.readList(thread + "/thread-members?with_member=true")
			if len(found) != 2 || item(found[0], "member") == nil {
				p.fail("the members are %s, want the bot and the person, with their guild members", short(encode(found)))
			}
			p.wantEmpty(p.send(http.MethodDelete, member, nil), "the bot manages threads")
			p.wantNotFound(p.send(http.MethodDelete, member, nil), "the person is no member")
		}),
		on("THR-11", "Threads: Locked", "Members without the permission cannot write in a locked thread.", Dev, func(p *probe) {
			thread, made := p.thread(p.room(0), 11)
			p.edit(thread, obj{"locked": true})
			body := obj{"as": p.user(len(p.Users) - 1), "in": made["id"], "content": "hi"}
			r := p.send(http.MethodPost, p.bot.Root()+"/_dev/say", body)
			p.wantStatus(r, "the thread is locked", http.StatusForbidden)
			p.edit(thread, obj{"locked": false})
			p.wantStatus(p.send(http.MethodPost, p.bot.Root()+"/_dev/say", body), "the thread is open", http.StatusOK)
		}),
	}
}
