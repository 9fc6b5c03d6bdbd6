package conformance

import (
	"net/http"
	"strconv"
)

const memberNeeds = Writes | Users

func (p *probe) user(i int) string { return p.Users[i].String() }

func memberPath(lobby, user any) string { return "/lobbies/" + text(lobby) + "/members/" + text(user) }

// put adds or changes a member.
func (p *probe) put(lobby, user any, body obj) obj {
	return p.object(p.wantStatus(p.send(http.MethodPut, memberPath(lobby, user), body), "the member is valid", http.StatusOK, http.StatusCreated))
}

// member reads a lobby and returns one of its members, or nil.
func (p *probe) member(lobby, user any) obj {
	l, _ := p.readLobby(lobby)["members"].([]any)
	for _, m := range l {
		if o, ok := m.(map[string]any); ok && o["id"] == user {
			return o
		}
	}
	return nil
}

// memberChecks returns the checks of lobby members.
func memberChecks() []Check {
	members := func(n int) []any { return many(n, func(i int) any { return obj{"id": strconv.Itoa(100000 + i)} }) }
	return []Check{
		on("MEM-01", secLobbies, 239, "A new lobby has the members that the request lists.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{"members": []any{obj{"id": p.user(0), "metadata": obj{"team": "red"}}}})["id"]
			m := p.member(id, p.user(0))
			if m == nil {
				p.fail("the lobby does not contain the member %s", p.user(0))
			}
			p.wantMembers("the member", m, obj{"metadata": obj{"team": "red"}})
		}),
		on("MEM-02", secLobby, 153, "A request that creates a lobby cannot list more than 25 members.", Writes, func(p *probe) {
			p.refuseLobby(obj{"members": members(26)}, "there are 26 members")
		}),
		on("MEM-03", secLobby, 156, "Every listed member must have an id.", Writes, func(p *probe) {
			p.refuseLobby(obj{"members": []any{obj{"metadata": obj{"a": "b"}}}}, "the id is missing")
		}),
		on("MEM-04", secLobbies, 243, "Adding a member returns the member.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{})["id"]
			p.wantMembers("the response to PUT", p.put(id, p.user(0), obj{"metadata": obj{"a": "1"}}), obj{"id": p.user(0), "metadata": obj{"a": "1"}})
			if p.member(id, p.user(0)) == nil {
				p.fail("the lobby does not contain the added member")
			}
		}),
		on("MEM-05", secStates, 188, "Adding a member again updates the member.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{})["id"]
			p.put(id, p.user(0), obj{"metadata": obj{"a": "1"}})
			p.put(id, p.user(0), obj{"metadata": obj{"a": "2"}})
			p.wantMembers("the member afterwards", p.member(id, p.user(0)), obj{"metadata": obj{"a": "2"}})
			if l, _ := p.readLobby(id)["members"].([]any); len(l) != 1 {
				p.fail("a user who was added twice gives %d members", len(l))
			}
		}),
		on("MEM-06", secLobby, 156, "The member flag CanLinkLobby (1) is returned.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{})["id"]
			p.wantMembers("the response to PUT", p.put(id, p.user(0), obj{"flags": 1}), obj{"flags": 1})
		}),
		on("MEM-07", secLobby, 156, "Other member flags are rejected.", memberNeeds, func(p *probe) {
			p.wantRejected(p.send(http.MethodPut, memberPath(p.lobby(obj{})["id"], p.user(0)), obj{"flags": 2}), "the flag 2 is not supported")
		}),
		on("MEM-08", secLobby, 156, "The metadata of a member cannot have a total length of more than 1000.", memberNeeds, func(p *probe) {
			p.wantRejected(p.send(http.MethodPut, memberPath(p.lobby(obj{})["id"], p.user(0)), obj{"metadata": obj{"k": repeat(1000)}}), "the metadata has a length of 1001")
		}),
		on("MEM-09", secLobbies, 244, "Removing a member removes it, and the response has no body.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{"members": []any{obj{"id": p.user(0)}}})["id"]
			p.wantEmpty(p.send(http.MethodDelete, memberPath(id, p.user(0)), nil), "the member exists")
			if p.member(id, p.user(0)) != nil {
				p.fail("the lobby still contains the removed member")
			}
		}),
		on("MEM-10", secStates, 189, "Removing a user who is not a member succeeds.", memberNeeds, func(p *probe) {
			p.wantEmpty(p.send(http.MethodDelete, memberPath(p.lobby(obj{})["id"], p.user(0)), nil), "removing a user who is not a member succeeds")
		}),
		on("MEM-11", secErrors, 290, "Removing a member from an unknown lobby gives 404.", memberNeeds, func(p *probe) {
			p.wantNotFound(p.send(http.MethodDelete, memberPath("1", p.user(0)), nil), "there is no such lobby")
		}),
		on("MEM-12", secStates, 190, "PATCH with members removes the members that its list does not contain.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{"members": []any{obj{"id": p.user(0)}}})["id"]
			p.editLobby(id, obj{"members": []any{obj{"id": p.user(1)}}})
			if p.member(id, p.user(0)) != nil || p.member(id, p.user(1)) == nil {
				p.fail("after a list with only %s, the members are %s", p.user(1), encode(p.readLobby(id)["members"]))
			}
		}),
		on("MEM-13", secLobbies, 240, "PATCH without members keeps the members.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{"members": []any{obj{"id": p.user(0)}}})["id"]
			p.editLobby(id, obj{"metadata": obj{"a": "b"}})
			if p.member(id, p.user(0)) == nil {
				p.fail("a change of the metadata removed the member")
			}
		}),
		on("MEM-15", secStates, 188, "A change of a member keeps the fields that the request does not contain.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{})["id"]
			p.put(id, p.user(0), obj{"metadata": obj{"a": "1"}})
			p.wantMembers("the response to PUT with only flags", p.put(id, p.user(0), obj{"flags": 1}), obj{"metadata": obj{"a": "1"}, "flags": 1})
			p.editLobby(id, obj{"members": []any{obj{"id": p.user(0), "flags": 0}}})
			p.wantMembers("the member after PATCH with only flags", p.member(id, p.user(0)), obj{"metadata": obj{"a": "1"}, "flags": 0})
		}),
		on("MEM-14", secLobbies, 240, "PATCH cannot list more than 25 members.", Writes, func(p *probe) {
			p.wantRejected(p.send(http.MethodPatch, "/lobbies/"+text(p.lobby(obj{})["id"]), obj{"members": members(26)}), "there are 26 members")
		}),
	}
}
