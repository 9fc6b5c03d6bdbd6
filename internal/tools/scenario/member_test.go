package scenario_test

import "testing"

// TestMemberSteps runs steps in which people join and leave guilds. The bot acts with calls.
func TestMemberSteps(t *testing.T) {
	t.Parallel()
	f := parse(t, `
world:
  users: [{id: "200", username: ada}, {id: "201", username: bob}]
  applications: [{id: "100", name: Echo, owner: "200"}]
  guilds:
    - {id: "300", name: Lab, owner: "200", members: [{user: "200"}], installs: [{application: "100", scopes: [bot], permissions: "17592186044416"}], channels: [{id: "310", name: general}, {id: "311", name: voice, type: 2}, {id: "312", name: mods, permission_overwrites: [{id: "300", type: 0, deny: [VIEW_CHANNEL]}, {id: "100", type: 1, allow: [VIEW_CHANNEL]}]}]}
scenarios:
  - name: a person joins and leaves
    steps:
      - {as: bob, in: Lab/general, nick: B, expect: {refused: {reason: "50001"}}}
      - {join: Lab, capture: {since: joined_at}}
      - {call: {method: POST, path: "/channels/${channel.Lab/general}/messages", body: {content: welcome}}}
      - {expect: {in: Lab/general, content: welcome}}
      - {nick: Bobby}
      - {call: {method: POST, path: "/channels/${channel.Lab/mods}/messages", body: {content: noted}}}
      - {expect: {in: Lab/mods, content: noted}}
      - {call: {path: "/guilds/${guild.Lab}/members/${user.bob}"}, expect: {at: {nick: Bobby, joined_at: "${since}"}}}
      - {nick: ""}
      - {call: {path: "/guilds/${guild.Lab}/members/${user.bob}"}, expect: {at: {nick: null}}}
      - {presence: idle}
      - {presence: {status: dnd, activities: [{name: chess, type: 0}]}}
      - {presence: idel, expect: {refused: {message: {contains: idle}}}}
      - {voice: Lab/voice}
      - {call: {path: "/guilds/${guild.Lab}/voice-states/${user.bob}"}, expect: {at: {channel_id: "${channel.Lab/voice}", mute: false}}}
      - {voice: Lab/general, expect: {refused: {reason: "50024"}}}
      - {voice: ""}
      - {call: {path: "/guilds/${guild.Lab}/voice-states/${user.bob}"}, expect: {status: 404}}
      - {voice: Lab/voice}
      - {call: {method: POST, path: "/guilds/${guild.Lab}/scheduled-events", body: {name: Party, privacy_level: 2, scheduled_start_time: "2126-01-01T12:00:00Z", scheduled_end_time: "2126-01-02T12:00:00Z", entity_type: 3, entity_metadata: {location: Pub}}}, capture: {party: id}}
      - {interested: Party}
      - {call: {path: "/guilds/${guild.Lab}/scheduled-events/${party}/users/counts"}, expect: {at: {guild_scheduled_event_count: 1}}}
      - {uninterested: "${party}"}
      - {call: {path: "/guilds/${guild.Lab}/scheduled-events/${party}/users/counts"}, expect: {at: {guild_scheduled_event_count: 0}}}
      - {interested: Prty, expect: {refused: {message: {contains: Prty}}}}
      - {leave: Lab}
      - {call: {method: POST, path: "/channels/${channel.Lab/general}/messages", body: {content: goodbye}}}
      - {expect: {in: Lab/general, content: goodbye}}
      - {call: {path: "/guilds/${guild.Lab}/members/${user.bob}"}, expect: {status: 404}}
      - {leave: Lab, expect: {refused: {reason: "10004"}}}
      - {as: ada, leave: Lab, expect: {refused: {reason: "50055"}}}
      - {join: Labb, expect: {refused: {status: 400}}}
`)
	for _, r := range runFiles(t, f) {
		if r.Failure != nil {
			t.Errorf("%s: %s\n%s", r.Place(), r.Scenario, r.Failure.Details())
		}
	}
}
