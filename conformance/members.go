package conformance

import (
	"net/http"
	"strconv"
)

const memberNeeds = Writes | People

func (p *probe) user(i int) string { return p.Users[i].String() }

func memberPath(lobby, user any) string { return "/lobbies/" + text(lobby) + "/members/" + text(user) }

// put adds or changes a member.
func (p *probe) put(lobby, user any, body obj) obj {
	return p.object(p.want(p.ask(http.MethodPut, memberPath(lobby, user), body), "the member is valid", http.StatusOK, http.StatusCreated))
}

// member returns a member of a lobby as it is read, or nil.
func (p *probe) member(lobby, user any) obj {
	l, _ := p.readLobby(lobby)["members"].([]any)
	for _, m := range l {
		if o, ok := m.(map[string]any); ok && o["id"] == user {
			return o
		}
	}
	return nil
}

// memberChecks are about the members of lobbies.
func memberChecks() []Check {
	crowd := func(n int) []any { return many(n, func(i int) any { return obj{"id": strconv.Itoa(100000 + i)} }) }
	return []Check{
		on("MEM-01", secLobbies, 239, "Members that a new lobby lists are in it.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{"members": []any{obj{"id": p.user(0), "metadata": obj{"team": "red"}}}})["id"]
			m := p.member(id, p.user(0))
			if m == nil {
				p.fail("the lobby lacks the member %s", p.user(0))
			}
			p.shows("the member", m, obj{"metadata": obj{"team": "red"}})
		}),
		on("MEM-02", secLobby, 153, "A request names no more than 25 members.", Writes, func(p *probe) {
			p.refuseLobby(obj{"members": crowd(26)}, "there are 26 members")
		}),
		on("MEM-03", secLobby, 156, "A member of a list has an id.", Writes, func(p *probe) {
			p.refuseLobby(obj{"members": []any{obj{"metadata": obj{"a": "b"}}}}, "the id is missing")
		}),
		on("MEM-04", secLobbies, 243, "Adding a member returns the member.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{})["id"]
			p.shows("the answer to PUT", p.put(id, p.user(0), obj{"metadata": obj{"a": "1"}}), obj{"id": p.user(0), "metadata": obj{"a": "1"}})
			if p.member(id, p.user(0)) == nil {
				p.fail("the lobby lacks a member that was added")
			}
		}),
		on("MEM-05", secStates, 188, "Adding a member again updates the member.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{})["id"]
			p.put(id, p.user(0), obj{"metadata": obj{"a": "1"}})
			p.put(id, p.user(0), obj{"metadata": obj{"a": "2"}})
			p.shows("the member afterwards", p.member(id, p.user(0)), obj{"metadata": obj{"a": "2"}})
			if l, _ := p.readLobby(id)["members"].([]any); len(l) != 1 {
				p.fail("a user who was added twice makes %d members", len(l))
			}
		}),
		on("MEM-06", secLobby, 156, "The flag CanLinkLobby, 1, comes back.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{})["id"]
			p.shows("the answer to PUT", p.put(id, p.user(0), obj{"flags": 1}), obj{"flags": 1})
		}),
		on("MEM-07", secLobby, 156, "There is no other flag.", memberNeeds, func(p *probe) {
			p.refused(p.ask(http.MethodPut, memberPath(p.lobby(obj{})["id"], p.user(0)), obj{"flags": 2}), "the flag 2 is not supported")
		}),
		on("MEM-08", secLobby, 156, "Metadata of a member has no more than 1000 in all.", memberNeeds, func(p *probe) {
			p.refused(p.ask(http.MethodPut, memberPath(p.lobby(obj{})["id"], p.user(0)), obj{"metadata": obj{"k": repeat(1000)}}), "the metadata has 1001")
		}),
		on("MEM-09", secLobbies, 244, "Removing a member returns nothing, and the member is gone.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{"members": []any{obj{"id": p.user(0)}}})["id"]
			p.nothing(p.ask(http.MethodDelete, memberPath(id, p.user(0)), nil), "the member exists")
			if p.member(id, p.user(0)) != nil {
				p.fail("a member that was removed is still there")
			}
		}),
		on("MEM-10", secStates, 189, "Removing who is no member is safe.", memberNeeds, func(p *probe) {
			p.nothing(p.ask(http.MethodDelete, memberPath(p.lobby(obj{})["id"], p.user(0)), nil), "who is no member need not be removed")
		}),
		on("MEM-11", secErrors, 290, "Removing a member of a lobby that does not exist fails.", memberNeeds, func(p *probe) {
			p.gone(p.ask(http.MethodDelete, memberPath("1", p.user(0)), nil), "there is no such lobby")
		}),
		on("MEM-12", secStates, 190, "PATCH with members removes those that its list lacks.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{"members": []any{obj{"id": p.user(0)}}})["id"]
			p.editLobby(id, obj{"members": []any{obj{"id": p.user(1)}}})
			if p.member(id, p.user(0)) != nil || p.member(id, p.user(1)) == nil {
				p.fail("after a list with %s alone the members are %s", p.user(1), encode(p.readLobby(id)["members"]))
			}
		}),
		on("MEM-13", secLobbies, 240, "PATCH without members leaves them.", memberNeeds, func(p *probe) {
			id := p.lobby(obj{"members": []any{obj{"id": p.user(0)}}})["id"]
			p.editLobby(id, obj{"metadata": obj{"a": "b"}})
			if p.member(id, p.user(0)) == nil {
				p.fail("a change of the metadata removed a member")
			}
		}),
		on("MEM-14", secLobbies, 240, "PATCH names no more than 25 members.", Writes, func(p *probe) {
			p.refused(p.ask(http.MethodPatch, "/lobbies/"+text(p.lobby(obj{})["id"]), obj{"members": crowd(26)}), "there are 26 members")
		}),
	}
}
