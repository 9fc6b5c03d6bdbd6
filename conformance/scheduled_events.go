package conformance

import (
	"maps"
	"net/http"
	"time"
)

// eventIn returns the body of a scheduled event elsewhere that starts in an hour.
func eventIn(name string) obj {
	start := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	return obj{
		"name": name, "privacy_level": 2, "entity_type": 3, "entity_metadata": obj{"location": "Hall"},
		"scheduled_start_time": start.Format(time.RFC3339), "scheduled_end_time": start.Add(time.Hour).Format(time.RFC3339),
	}
}

func (p *probe) schedulePath() string { return p.guildPath() + "/scheduled-events" }

// scheduledEvent creates an event elsewhere and returns its path and the response. The cleanup of the run deletes it.
func (p *probe) scheduledEvent() (path string, made obj) {
	r := p.send(http.MethodPost, p.schedulePath(), eventIn(p.name("event")))
	made = p.object(p.wantStatus(r, "the bot creates events", http.StatusOK))
	p.snowflake(made, "id")
	path = p.schedulePath() + "/" + text(made["id"])
	p.channels[path] = true
	return path, made
}

// scheduleChecks returns the checks of scheduled events and integrations.
func scheduleChecks() []Check {
	on := func(id, section, rule string, run func(*probe)) Check {
		return on(id, section, 0, rule, Writes|Guild|Manager, run)
	}
	return []Check{
		on("GLD-13", "Guild Scheduled Event: Create Guild Scheduled Event", "A new event is scheduled, is returned with 200, and is listed.", func(p *probe) {
			path, made := p.scheduledEvent()
			want := obj{
				"guild_id": p.Guild.String(), "channel_id": nil, "name": p.name("event"), "privacy_level": 2, "status": 1, "entity_type": 3,
				"entity_id": nil, "entity_metadata": obj{"location": "Hall"},
			}
			p.wantMembers("the event", made, want)
			if !hasID(p.readList(p.schedulePath()), made["id"]) {
				p.fail("the events of the guild do not have the new one")
			}
			want["user_count"] = 0
			p.wantMembers("the event", p.read(path+"?with_user_count=true"), want)
			if users := p.readList(path + "/users"); len(users) != 0 {
				p.fail("%d users are interested in a new event, want none", len(users))
			}
		}),
		on("GLD-14", "Guild Scheduled Event: Modify Guild Scheduled Event", "An edit of an event keeps the rest. An event starts, then ends, and does not change after that.", func(p *probe) {
			path, _ := p.scheduledEvent()
			p.wantMembers("the event", p.edit(path, obj{"description": "food"}), obj{"name": p.name("event"), "description": "food", "status": 1})
			p.wantStatus(p.send(http.MethodPatch, path, obj{"status": 3}), "it has not started", http.StatusBadRequest)
			p.wantMembers("the event", p.edit(path, obj{"status": 2}), obj{"status": 2})
			p.wantMembers("the event", p.edit(path, obj{"status": 3}), obj{"status": 3})
			p.wantStatus(p.send(http.MethodPatch, path, obj{"name": "late"}), "it has ended", http.StatusBadRequest)
		}),
		on("GLD-15", "Guild Scheduled Event: Create Guild Scheduled Event", "An event elsewhere without an end or a location is refused, and one that starts in the past.", func(p *probe) {
			for _, wrong := range []struct {
				member string
				value  any
				reason string
			}{
				{"scheduled_end_time", nil, "an event elsewhere has an end"},
				{"entity_metadata", nil, "an event elsewhere has a location"},
				{"scheduled_start_time", "2020-01-01T00:00:00Z", "the start is in the past"},
				{"name", repeat(101), "the name is too long"},
			} {
				body := maps.Clone(eventIn(p.name("event")))
				body[wrong.member] = wrong.value
				p.wantRejected(p.send(http.MethodPost, p.schedulePath(), body), wrong.reason)
			}
		}),
		on("GLD-16", "Guild Scheduled Event: Delete Guild Scheduled Event", "A deleted event no longer exists.", func(p *probe) {
			path, _ := p.scheduledEvent()
			p.wantEmpty(p.send(http.MethodDelete, path, nil), "the bot created it")
			p.wantNotFound(p.send(http.MethodGet, path, nil), "the event was deleted")
			p.wantNotFound(p.send(http.MethodDelete, path, nil), "the event was deleted")
		}),
		on("GLD-17", "Guild: Get Guild Integrations", "Each bot of the guild is an integration of the type discord, and an unknown one cannot be deleted.", func(p *probe) {
			list := p.readList(p.guildPath() + "/integrations")
			if len(list) == 0 {
				p.fail("the guild has no integrations, want at least the bot")
			}
			for _, in := range list {
				if in["type"] == "discord" {
					p.snowflake(in, "id")
					p.wantMembers("the integration", in, obj{"enabled": true, "application": obj{"bot": obj{"bot": true}}})
				}
			}
			p.wantNotFound(p.send(http.MethodDelete, p.guildPath()+"/integrations/5", nil), "there is no such integration")
		}),
		on("GLD-18", "Guild: Create Guild", "Bots cannot create guilds.", func(p *probe) {
			p.wantStatus(p.send(http.MethodPost, "/guilds", obj{"name": p.name("guild")}), "it is a bot", http.StatusForbidden)
		}),
	}
}
