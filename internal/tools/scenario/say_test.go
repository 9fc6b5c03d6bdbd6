package scenario_test

import (
	"os"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/scenario"
)

// TestSaySteps runs steps in which people write. The bot acts with calls.
func TestSaySteps(t *testing.T) {
	t.Parallel()
	f := parse(t, `
world:
  users: [{id: "200", username: ada}, {id: "201", username: bob}]
  applications: [{id: "100", name: Echo, owner: "200"}]
  guilds:
    - {id: "300", name: Lab, owner: "200", members: [{user: "200"}, {user: "201"}], installs: [{application: "100", scopes: [bot]}], channels: [{id: "310", name: general}]}
scenarios:
  - name: people write and the bot acts
    steps:
      - {as: ada, in: Lab/general, say: ping, save: ping, attachments: [{name: a.txt, text: abc}]}
      - {call: {method: POST, path: "/channels/${channel.Lab/general}/messages", body: {content: pong}}, capture: {pong: id}}
      - {expect: {in: Lab/general, content: pong}}
      - {expect: {edited: false, deleted: false}}
      - {call: {method: PUT, path: "/channels/${channel.Lab/general}/messages/${ping}/reactions/%F0%9F%91%8D/@me"}, expect: {status: 204}}
      - {expect: {reactions: [👍]}}
      - {call: {method: PATCH, path: "/channels/${channel.Lab/general}/messages/${pong}", body: {content: pong 2}}}
      - {expect: {edited: true, content: pong 2}}
      - {say: thanks, reply: ping}
      - {expect: {last: {content: thanks, message_reference.message_id: "${ping}"}}}
      - {edit: thank you}
      - {expect: {last: {content: thank you}}}
      - {react: 👍, message: pong}
      - {call: {method: DELETE, path: "/channels/${channel.Lab/general}/messages/${pong}"}}
      - {expect: {deleted: true}}
      - {call: {method: POST, path: "/channels/${channel.Lab/general}/typing"}, expect: {status: 204}}
      - {expect: {typing: true}}
      - {call: {method: POST, path: "/channels/${channel.Lab/general}/threads", body: {name: Side talk, type: 11}}, expect: {status: 201}}
      - {expect: {thread: Side talk}}
      - {in: Lab/Side talk, say: here too, expect: {typing: false}}
      - {call: {method: POST, path: "/channels/${channel.Lab/general}/messages", body: {poll: {question: {text: "Tea?"}, answers: [{poll_media: {text: "Yes"}}, {poll_media: {text: "No"}}]}}}, capture: {poll: id}}
      - {in: Lab/general, vote: [2], message: poll, expect: {last: {poll.results.answer_counts.0.count: 1, poll.results.answer_counts.0.id: 2}}}
      - {vote: [], expect: {last: {poll.results.answer_counts.0.count: 0}}}
      - {vote: [3], expect: {refused: {reason: "50035"}}}
      - {typing: true}
      - {advance: 24h}
      - {expect: {last: {type: 46, "embeds.0.type": poll_result}}}
      - {call: {method: DELETE, path: "/channels/${channel.Lab/general}/messages/${poll}"}}
      - {delete: true, message: ping, expect: {messages: 3}}
      - {as: bob, edit: mine, message: last, expect: {refused: {reason: "50005"}}}
`)
	for _, r := range runFiles(t, f) {
		if r.Failure != nil {
			t.Errorf("%s: %s\n%s", r.Place(), r.Scenario, r.Failure.Details())
		}
	}
}

// A step can act at once on the message that the person has just written, and press a button of a message that answers no interaction.
func TestStepsOnMessages(t *testing.T) {
	t.Parallel()
	f := parse(t, `
scenarios:
  - name: reacts to the message of the step before
    steps:
      - {as: bob, in: Lab/general, say: hello}
      - {react: 👍}
      - {edit: hello there}
      - {delete: true}
  - name: presses a button of a plain message
    steps:
      - {call: {method: POST, path: "/channels/${channel.Lab/general}/messages", body: {content: Press!, components: [{type: 1, components: [{type: 2, style: 1, label: Go, custom_id: go}]}]}}}
      - {as: bob, in: Lab/general, press: Go, expect: {outcome: failed}}
`)
	for _, r := range runFiles(t, f) {
		if r.Failure != nil {
			t.Errorf("%s: %s\n%s", r.Place(), r.Scenario, r.Failure.Details())
		}
	}
}

// TestDocumentedSay reads the example of docs/scenarios.md in which people write, with the demo world.
func TestDocumentedSay(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, found := strings.Cut(string(text), "```yaml messages.yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if f, err := scenario.Parse("example.yaml", []byte(example)); !found || err != nil || len(f.Scenarios) != 1 {
		t.Errorf("Parse() = %v", err)
	}
}
