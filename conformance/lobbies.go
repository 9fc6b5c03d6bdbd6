package conformance

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const secLobby, secLobbies = "Lobby and lobby member (server APIs)", "Lobbies"

// lobby creates a lobby. The cleanup of the run deletes it.
func (p *probe) lobby(body obj) obj {
	r := p.send(http.MethodPost, "/lobbies", body)
	p.wantStatus(r, "the lobby is valid", http.StatusCreated, http.StatusOK)
	made := p.object(r)
	p.lobbies[text(made["id"])] = true
	p.snowflake(made, "id")
	return made
}

func (p *probe) readLobby(id any) obj {
	return p.object(p.wantStatus(p.send(http.MethodGet, "/lobbies/"+text(id), nil), "the lobby exists", http.StatusOK))
}

func (p *probe) editLobby(id any, body obj) obj {
	return p.object(p.wantStatus(p.send(http.MethodPatch, "/lobbies/"+text(id), body), "the change is valid", http.StatusOK))
}

// refuseLobby posts an invalid lobby and ends the check unless the service rejects it. If the service accepts it, the
// cleanup of the run deletes the lobby.
func (p *probe) refuseLobby(body obj, why string) {
	r := p.send(http.MethodPost, "/lobbies", body)
	if r.Status < 300 {
		p.lobbies[text(p.object(r)["id"])] = true
	}
	p.wantRejected(r, why)
}

// lobbyInDev reads a lobby through Bellhop's dev controls.
func lobbyInDev(p *probe, id any) obj {
	path := p.bot.Root() + "/_dev/applications/" + p.Application.String() + "/lobbies/" + text(id)
	return p.object(p.wantStatus(p.send(http.MethodGet, path, nil), "the lobby exists", http.StatusOK))
}

// The service notices a broken connection on its own. LOB-18 moves the clock and waits that often.
const (
	shutdownTries = 100
	shutdownPause = 50 * time.Millisecond
)

// wantEmpty ends the check unless the request succeeded and the response has no body.
func (p *probe) wantEmpty(r reply, why string) {
	p.wantStatus(r, why, http.StatusNoContent, http.StatusOK)
	if body := strings.TrimSpace(string(r.Body)); body != "" {
		p.fail("%s returned %s, want an empty body", r.request, short(r.Body))
	}
}

// wantNotFound ends the check unless the status is 404.
func (p *probe) wantNotFound(r reply, why string) { p.wantStatus(r, why, http.StatusNotFound) }

// lobbyChecks returns the checks of lobbies.
func lobbyChecks() []Check {
	refuse := func(id string, line int, rule string, body obj) Check {
		return on(id, secLobby, line, rule, Writes, func(p *probe) { p.refuseLobby(body, rule) })
	}
	return []Check{
		on("LOB-01", secLobbies, 239, "A lobby can be created with an empty body.", Writes, func(p *probe) { p.lobby(obj{}) }),
		on("LOB-02", secLobby, 152, "The metadata of a lobby is returned unchanged.", Writes, func(p *probe) {
			made := p.lobby(obj{"metadata": obj{"map": "dust", "mode": ""}})
			p.wantMembers("the response to POST", made, obj{"metadata": obj{"map": "dust", "mode": ""}})
			p.wantMembers("the lobby", p.readLobby(made["id"]), obj{"id": made["id"], "metadata": obj{"map": "dust"}})
		}),
		on("LOB-03", secLobby, 152, "The metadata of a lobby can have a total length of 1000.", Writes, func(p *probe) {
			p.lobby(obj{"metadata": obj{"k": repeat(999)}})
		}),
		refuse("LOB-04", 152, "The metadata of a lobby cannot have a total length of more than 1000.", obj{"metadata": obj{"a": repeat(500), "b": repeat(499)}}),
		refuse("LOB-05", 152, "Metadata values must be strings.", obj{"metadata": obj{"level": 5}}),
		on("LOB-06", secLobby, 154, "idle_timeout_seconds can be 5 to 604800.", Writes, func(p *probe) {
			p.lobby(obj{"idle_timeout_seconds": 5})
			p.lobby(obj{"idle_timeout_seconds": 604800})
		}),
		refuse("LOB-07", 154, "idle_timeout_seconds cannot be less than 5.", obj{"idle_timeout_seconds": 4}),
		refuse("LOB-08", 154, "idle_timeout_seconds cannot be more than 604800.", obj{"idle_timeout_seconds": 604801}),
		on("LOB-09", secLobbies, 240, "PATCH replaces the whole metadata of a lobby.", Writes, func(p *probe) {
			id := p.lobby(obj{"metadata": obj{"a": "1"}})["id"]
			p.wantMembers("the response to PATCH", p.editLobby(id, obj{"metadata": obj{"b": "2"}}), obj{"metadata": obj{"b": "2"}})
			if m, _ := p.readLobby(id)["metadata"].(map[string]any); m["a"] != nil {
				p.fail("the overwritten metadata still has old values: %s", encode(m))
			}
		}),
		on("LOB-10", secLobbies, 240, "PATCH keeps the fields of a lobby that its body does not contain.", Writes, func(p *probe) {
			id := p.lobby(obj{"metadata": obj{"a": "1"}})["id"]
			p.editLobby(id, obj{"idle_timeout_seconds": 60})
			p.wantMembers("the lobby afterwards", p.readLobby(id), obj{"metadata": obj{"a": "1"}})
		}),
		on("LOB-11", secLobbies, 240, "An invalid PATCH of a lobby changes nothing.", Writes, func(p *probe) {
			id := p.lobby(obj{"metadata": obj{"a": "1"}})["id"]
			p.wantRejected(p.send(http.MethodPatch, "/lobbies/"+text(id), obj{"metadata": obj{"a": "2"}, "idle_timeout_seconds": 1}), "idle_timeout_seconds is too small")
			p.wantMembers("the lobby afterwards", p.readLobby(id), obj{"metadata": obj{"a": "1"}})
		}),
		on("LOB-12", secLobbies, 241, "The response to deleting a lobby has no body.", Writes, func(p *probe) {
			p.wantEmpty(p.send(http.MethodDelete, "/lobbies/"+text(p.lobby(obj{})["id"]), nil), "the lobby exists")
		}),
		on("LOB-13", secStates, 187, "A deleted lobby no longer exists.", Writes, func(p *probe) {
			id := text(p.lobby(obj{})["id"])
			p.wantEmpty(p.send(http.MethodDelete, "/lobbies/"+id, nil), "the lobby exists")
			p.wantNotFound(p.send(http.MethodGet, "/lobbies/"+id, nil), "the lobby was deleted")
		}),
		on("LOB-14", secStates, 187, "Deleting a deleted lobby again succeeds.", Writes, func(p *probe) {
			id := text(p.lobby(obj{})["id"])
			p.wantEmpty(p.send(http.MethodDelete, "/lobbies/"+id, nil), "the lobby exists")
			p.wantEmpty(p.send(http.MethodDelete, "/lobbies/"+id, nil), "deleting a lobby again succeeds")
		}),
		on("LOB-16", secLobby, 152, "Only the total length limits metadata, not the number of its keys.", Writes, func(p *probe) {
			metadata := obj{}
			for i := range 100 {
				metadata["k"+strconv.Itoa(i)] = "value"
			}
			made := p.lobby(obj{"metadata": metadata})
			p.wantMembers("the lobby", p.readLobby(made["id"]), obj{"metadata": metadata})
		}),
		on("LOB-17", secLobby, 154, "A lobby keeps its idle_timeout_seconds, which the dev controls show.", Writes|Dev, func(p *probe) {
			id := p.lobby(obj{"idle_timeout_seconds": 3600})["id"]
			p.editLobby(id, obj{"metadata": obj{"a": "1"}})
			p.wantMembers("the lobby in the dev controls", lobbyInDev(p, id), obj{"idle_timeout_seconds": 3600})
		}),
		on("LOB-18", secLobby, 154, "A lobby shuts down after its idle timeout, also when the connection of its last client broke.", Writes|Users|Dev|Load, func(p *probe) {
			id := p.lobby(obj{"idle_timeout_seconds": 60, "members": []any{obj{"id": p.user(0)}}})["id"]
			connectAndBreak(p, p.user(0))
			for range shutdownTries {
				p.wantStatus(p.send(http.MethodPost, p.bot.Root()+"/_dev/clock", obj{"advance": "10m"}), "the clock can move", http.StatusOK)
				if p.send(http.MethodGet, "/lobbies/"+text(id), nil).Status == http.StatusNotFound {
					return
				}
				p.pause(shutdownPause)
			}
			p.fail("an idle lobby with a timeout of 60 seconds exists %d minutes after the connection of its client broke", 10*shutdownTries)
		}),
		on("LOB-15", secLobbies, 242, "Reading an unknown lobby gives 404.", 0, func(p *probe) {
			p.wantNotFound(p.send(http.MethodGet, "/lobbies/1", nil), "there is no such lobby")
		}),
	}
}
