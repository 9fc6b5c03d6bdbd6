package conformance

import (
	"net/http"
	"strings"
)

const secLobby, secLobbies = "Lobby and lobby member (server APIs)", "Lobbies"

// lobby makes a lobby. It ends with the run.
func (p *probe) lobby(body obj) obj {
	r := p.ask(http.MethodPost, "/lobbies", body)
	p.want(r, "the lobby is valid", http.StatusCreated, http.StatusOK)
	made := p.object(r)
	p.lobbies[text(made["id"])] = true
	p.snowflake(made, "id")
	return made
}

func (p *probe) readLobby(id any) obj {
	return p.object(p.want(p.ask(http.MethodGet, "/lobbies/"+text(id), nil), "the lobby exists", http.StatusOK))
}

func (p *probe) editLobby(id any, body obj) obj {
	return p.object(p.want(p.ask(http.MethodPatch, "/lobbies/"+text(id), body), "the change is valid", http.StatusOK))
}

// refuseLobby posts a lobby that is invalid. One that is taken all the same is noted for the end of the run.
func (p *probe) refuseLobby(body obj, why string) {
	r := p.ask(http.MethodPost, "/lobbies", body)
	if r.Status < 300 {
		p.lobbies[text(p.object(r)["id"])] = true
	}
	p.refused(r, why)
}

// nothing ends the check unless the answer succeeds and is empty.
func (p *probe) nothing(r reply, why string) {
	p.want(r, why, http.StatusNoContent, http.StatusOK)
	if body := strings.TrimSpace(string(r.Body)); body != "" {
		p.fail("%s is answered %s, want nothing", r.asked, short(r.Body))
	}
}

// gone ends the check unless a lobby cannot be found.
func (p *probe) gone(r reply, why string) { p.want(r, why, http.StatusNotFound) }

// lobbyChecks are about lobbies.
func lobbyChecks() []Check {
	refuse := func(id string, line int, rule string, body obj) Check {
		return on(id, secLobby, line, rule, Writes, func(p *probe) { p.refuseLobby(body, rule) })
	}
	return []Check{
		on("LOB-01", secLobbies, 239, "A lobby can be made of nothing.", Writes, func(p *probe) { p.lobby(obj{}) }),
		on("LOB-02", secLobby, 152, "Metadata of a lobby comes back.", Writes, func(p *probe) {
			made := p.lobby(obj{"metadata": obj{"map": "dust", "mode": ""}})
			p.shows("the answer to POST", made, obj{"metadata": obj{"map": "dust", "mode": ""}})
			p.shows("the lobby", p.readLobby(made["id"]), obj{"id": made["id"], "metadata": obj{"map": "dust"}})
		}),
		on("LOB-03", secLobby, 152, "Metadata has a total length of up to 1000.", Writes, func(p *probe) {
			p.lobby(obj{"metadata": obj{"k": repeat(999)}})
		}),
		refuse("LOB-04", 152, "Metadata has no more than 1000 in all.", obj{"metadata": obj{"a": repeat(500), "b": repeat(499)}}),
		refuse("LOB-05", 152, "Values of metadata are strings.", obj{"metadata": obj{"level": 5}}),
		on("LOB-06", secLobby, 154, "idle_timeout_seconds goes from 5 to 604800.", Writes, func(p *probe) {
			p.lobby(obj{"idle_timeout_seconds": 5})
			p.lobby(obj{"idle_timeout_seconds": 604800})
		}),
		refuse("LOB-07", 154, "idle_timeout_seconds is no less than 5.", obj{"idle_timeout_seconds": 4}),
		refuse("LOB-08", 154, "idle_timeout_seconds is no more than 604800.", obj{"idle_timeout_seconds": 604801}),
		on("LOB-09", secLobbies, 240, "PATCH overwrites metadata as a whole.", Writes, func(p *probe) {
			id := p.lobby(obj{"metadata": obj{"a": "1"}})["id"]
			p.shows("the answer to PATCH", p.editLobby(id, obj{"metadata": obj{"b": "2"}}), obj{"metadata": obj{"b": "2"}})
			if m, _ := p.readLobby(id)["metadata"].(map[string]any); m["a"] != nil {
				p.fail("metadata that was overwritten still has what it had: %s", encode(m))
			}
		}),
		on("LOB-10", secLobbies, 240, "PATCH leaves what it does not name.", Writes, func(p *probe) {
			id := p.lobby(obj{"metadata": obj{"a": "1"}})["id"]
			p.editLobby(id, obj{"idle_timeout_seconds": 60})
			p.shows("the lobby afterwards", p.readLobby(id), obj{"metadata": obj{"a": "1"}})
		}),
		on("LOB-11", secLobbies, 240, "A PATCH that is refused changes nothing.", Writes, func(p *probe) {
			id := p.lobby(obj{"metadata": obj{"a": "1"}})["id"]
			p.refused(p.ask(http.MethodPatch, "/lobbies/"+text(id), obj{"metadata": obj{"a": "2"}, "idle_timeout_seconds": 1}), "the idle time is too short")
			p.shows("the lobby afterwards", p.readLobby(id), obj{"metadata": obj{"a": "1"}})
		}),
		on("LOB-12", secLobbies, 241, "Deleting a lobby returns nothing.", Writes, func(p *probe) {
			p.nothing(p.ask(http.MethodDelete, "/lobbies/"+text(p.lobby(obj{})["id"]), nil), "the lobby exists")
		}),
		on("LOB-13", secStates, 187, "A deleted lobby is gone.", Writes, func(p *probe) {
			id := text(p.lobby(obj{})["id"])
			p.nothing(p.ask(http.MethodDelete, "/lobbies/"+id, nil), "the lobby exists")
			p.gone(p.ask(http.MethodGet, "/lobbies/"+id, nil), "the lobby was deleted")
		}),
		on("LOB-14", secStates, 187, "Deleting a lobby is safe to repeat.", Writes, func(p *probe) {
			id := text(p.lobby(obj{})["id"])
			p.nothing(p.ask(http.MethodDelete, "/lobbies/"+id, nil), "the lobby exists")
			p.nothing(p.ask(http.MethodDelete, "/lobbies/"+id, nil), "a second time is safe")
		}),
		on("LOB-15", secLobbies, 242, "A lobby that does not exist cannot be read.", 0, func(p *probe) {
			p.gone(p.ask(http.MethodGet, "/lobbies/1", nil), "there is no such lobby")
		}),
	}
}
