package scenario_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/internal/tools/scenario"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// TestSteps runs steps of every kind that the examples do not have.
func TestSteps(t *testing.T) {
	t.Parallel()
	f := parse(t, `
app: guesthouse
scenarios:
  - name: a lobby ends at its idle timeout
    steps:
      - {lobby: {create: {idle_timeout_seconds: 60, metadata: {map: forest}}}, expect: {status: 201, at: {metadata.map: forest}}, capture: {lobby: id}}
      - {lobby: {id: "${lobby}", add: ada}, expect: {at: {id: "${user.ada}"}}}
      - {lobby: {id: "${lobby}"}, expect: {at: {members.0.id: "${user.ada}"}}}
      - {lobby: {id: "${lobby}", remove: ada}, expect: {status: 204}}
      - {lobby: {id: "${lobby}", edit: {metadata: {map: desert}}}, expect: {at: {metadata.map: desert}}}
      - {advance: 2m}
      - {lobby: {id: "${lobby}"}, expect: {refused: {status: 404}}}
  - name: a lobby is ended
    steps:
      - {lobby: {create: {}}, capture: {lobby: id}}
      - {lobby: {id: "${lobby}", end: true}, expect: {status: 204}}
      - {lobby: {id: "${lobby}"}, expect: {status: 404}}
  - name: requests of a bot and of users
    steps:
      - {call: {path: /applications/@me}, expect: {status: 200, at: {name: Echo, id: "${app.Echo}"}}}
      - {call: {by: ada, path: /users/@me}, expect: {at: {username: ada}}}
      - {call: {by: anonymous, path: /users/@me}, expect: {status: 401}}
      - {call: {method: POST, path: "/applications/${app.Echo}/commands", body: {name: Bad!}}, expect: {refused: {reason: "50035"}}}
  - name: permissions of roles and channels
    steps:
      - {as: ada, in: Lab/general, permissions: {command: bell, deny: ["@everyone"], allow: [mods]}}
      - {as: bob, use: /bell, expect: {refused: {reason: member_denied}}}
      - {as: ada, permissions: {command: bell, deny: ["#general"]}}
      - {as: bob, use: /bell, expect: {refused: {reason: channel denied}}}
  - name: a token expires
    steps:
      - {as: bob, in: Lab/general, use: /feedback, expect: {form: {contains: stay}}}
      - {advance: 16m}
      - {submit: {fields: {liked: x}}, expect: {refused: {status: 404}}}
  - name: a fault delays the answer of a deferred interaction
    steps:
      - {as: bob, in: Lab/general, fault: {route: "/webhooks/*", rate_limit: 0.01, count: 1}}
      - {use: /laundry, wait: answer, expect: {outcome: deferred}}
      - {expect: {app: {rate_limited: {at_least: 1}, wrong_answers: 0}}}
      - {fault: none}
  - name: an answer has a budget
    steps:
      - {as: bob, in: Lab/general, use: /welcome, expect: {within: 3s}}
`)
	for _, r := range runFiles(t, f) {
		if r.Failure != nil {
			t.Errorf("%s: %s\n%s", r.Place(), r.Scenario, r.Failure.Details())
		}
	}
}

// TestReaction checks that a button is not pressed at once.
func TestReaction(t *testing.T) {
	t.Parallel()
	r := runFiles(t, parse(t, "app: guesthouse\nscenarios:\n  - {name: a, steps: [{as: bob, in: Lab/general, use: /bell}, "+
		strings.Repeat("{press: Ring}, ", 5)+"{press: Ring}]}\n"))[0]
	if r.Failure != nil || r.Took < 6*scenario.Reaction {
		t.Errorf("six presses took %v: %+v", r.Took, r.Failure)
	}
}

// TestFailures runs scenarios that fail, and checks where and why.
func TestFailures(t *testing.T) {
	t.Parallel()
	const head = "app: guesthouse\nscenarios:\n  - name: a\n    steps:\n      - {as: bob, in: Lab/general, use: /bell}\n"
	for _, tt := range []struct{ name, step, want string }{
		{"another text", "{use: /bell, expect: {content: x}}", "content\n  want \"x\"\n  got  \"The bell is on the desk.\""},
		{"a pattern", "{use: /bell, expect: {content: {matches: ^x}}}", `want matches "^x"`},
		{"a path", "{use: /bell, expect: {at: {embeds.0.title: x}}}", "at.embeds.0.title\n  want \"x\"\n  got  nothing"},
		{"not ephemeral", "{use: /bell, expect: {ephemeral: true}}", "ephemeral\n  want true\n  got  false"},
		{"no update", "{use: /bell, expect: {update: true}}", "update\n  want true"},
		{"not refused", "{use: /bell, expect: {refused: {}}}", "want refused\n  got  succeeds"},
		{"refused", "{use: /book name:x}", "refused with status 400"},
		{"refused for another reason", "{use: /book name:x, expect: {refused: {reason: member denied}}}", "refused.reason"},
		{"not failed", "{use: /bell, expect: {failed: x}}", "outcome\n  want failed\n  got  answered"},
		{"a command that does not exist", "{use: /bel}", `did you mean "/bell"?`},
		{"a button that does not exist", "{press: x}", `no message in the channel has the button "x"`},
		{"no form", "{submit: {fields: {}}}", "no form is open"},
		{"too few messages", "{expect: {messages: 2}}", "messages\n  want 2\n  got  1"},
		{"other suggestions", "{complete: \"/breakfast dish:pan\", expect: {choices: []}}", `got  ["Pancakes"]`},
		{"a budget", "{use: /bell, expect: {within: 1ns}}", "within\n  want 1ns"},
		{"requests of the app", "{expect: {app: {requests: 5}}}", "app.requests\n  want 5\n  got  0"},
		{"nothing to capture", "{use: /bell, capture: {x: embeds.0}}", "capture.x\n  want a value at embeds.0"},
		{"an unknown user", "{as: eve, use: /bell}", `Unknown user "eve"`},
		{"an unknown channel", "{in: Lab/genral, use: /bell}", `Unknown channel "Lab/genral": did you mean "Lab/general"?`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := runFilesWith(t, engines.NewFastClock(), parse(t, head+"      - "+tt.step+"\n"))[0].Failure
			if f == nil || f.Position.Line != 6 || !strings.Contains(f.Summary(), tt.want) {
				t.Errorf("failure %+v, want %s in line 6", f, tt.want)
			}
		})
	}
}

// TestProcess runs an app as a program that does not work. Its output is part of the failure.
func TestProcess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, app, want string }{
		{"ends at once", "{run: echo broken; exit 3}", "the app has ended before it was ready: exit status 3"},
		{"is never ready", "{run: echo broken; exec sleep 100, start_timeout: 200ms}", "the app is not ready after 200ms"},
		{"ignores SIGTERM and answers nothing", "{run: \"trap '' TERM; echo broken; echo \\\"at $BELLHOP_BASE_URL as $BELLHOP_APPLICATION_ID\\\"; sleep 100\", ready: {stdout: ^at http.* as 1100000000000000100$}}", "no command is called"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := "timeout: 100ms\napp: " + tt.app + "\nscenarios:\n  - {name: a, steps: [{as: bob, in: Lab/general, use: /x}]}\n"
			f := runFiles(t, parse(t, text))[0].Failure
			if f == nil || !strings.Contains(f.Summary(), tt.want) || !strings.HasPrefix(f.Output, "broken\n") {
				t.Errorf("failure %+v, want %s and the output", f, tt.want)
			}
		})
	}
}

// TestLateCommand uses a command that the app registers after it is ready. The step waits for the command, and then fails
// because the app is offline.
func TestLateCommand(t *testing.T) {
	t.Parallel()
	engines.Need(t, "curl")
	for _, step := range []string{`use: "/late dish:pan"`, `complete: "/late dish:pan"`} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			f := runFiles(t, parse(t, fmt.Sprintf(`
timeout: 1m
app:
  run: |
    echo ready
    sleep 1
    curl -sSf -X POST -H "Authorization: Bot $BELLHOP_BOT_TOKEN" -H 'Content-Type: application/json' \
      -d '{"name": "late", "description": "late", "options": [{"type": 3, "name": "dish", "description": "d", "autocomplete": true}]}' \
      $BELLHOP_BASE_URL/applications/$BELLHOP_APPLICATION_ID/commands
    exec sleep 100
  ready: {stdout: ready}
scenarios:
  - {name: a, steps: [{as: bob, in: Lab/general, %s}]}
`, step)))[0].Failure
			if f == nil || !strings.Contains(f.Summary(), "Echo is offline") {
				t.Errorf("failure %+v, want an app that is offline", f)
			}
		})
	}
}

// TestRestartAwaitsEndpoint restarts an app that does not listen again. The endpoint URL of the first run is still set.
func TestRestartAwaitsEndpoint(t *testing.T) {
	t.Parallel()
	program := build(t, exampleFolder(t, "httpbot"), nil, ".")
	f := runFiles(t, parse(t, fmt.Sprintf(`
app:
  run: if [ -e ran ]; then exec sleep 100; fi; touch ran; exec %s
  ready: endpoint
  start_timeout: 3s
  env: {HTTPBOT_LISTEN: "127.0.0.1:0"}
scenarios:
  - {name: a, steps: [{as: bob, in: Lab/general, use: /roll}, {restart: true}]}
`, program)))[0].Failure
	if f == nil || !strings.Contains(f.Summary(), "the app is not ready after 3s") {
		t.Errorf("failure %+v, want an app that is not ready", f)
	}
}

// TestSnapshots writes snapshots and compares them.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	const file = "app: guesthouse\nscenarios:\n  - {name: \"a: b\", steps: [{as: bob, in: Lab/general, use: /bell}, {press: Ring}]}\n  - {name: c, steps: [{as: bob, in: Lab/general, use: /feedback}]}\n"
	path := write(t, "s.yaml", file)
	run := func(update bool) []scenario.Result {
		f, err := scenario.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		r := scenario.Runner{Open: openServer, Clock: clock.System{}, Update: update}
		results, err := r.Run(t.Context(), []*scenario.File{f})
		if err != nil {
			t.Fatal(err)
		}
		return results
	}
	run(true)
	snap := filepath.Join(filepath.Dir(path), "s.snap.yaml")
	text, err := os.ReadFile(snap)
	if err != nil || !strings.Contains(string(text), "content: The bell is on the desk.") || regexp.MustCompile(`\d{17}`).Match(text) {
		t.Fatalf("snapshot %v\n%s", err, text)
	}
	for _, r := range run(false) {
		if r.Failure != nil {
			t.Errorf("%s: %s", r.Scenario, r.Failure.Details())
		}
	}
	if err := os.WriteFile(snap, []byte(strings.Replace(string(text), "on the desk", "under the desk", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	first := run(false)[0].Failure
	if first == nil || !strings.Contains(first.Diff, "-  content: The bell is under the desk.\n+  content: The bell is on the desk.\n") {
		t.Errorf("failure %+v, want a diff", first)
	}
}

// TestOrder runs scenarios one by one and in parallel: the results are the same and have the order of the file.
func TestOrder(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("app: guesthouse\nscenarios:\n")
	const n = 20
	for i := range n {
		fmt.Fprintf(&b, "  - {name: s%d, steps: [{as: bob, in: Lab/general, use: /bell, expect: {messages: 1}}, {press: Ring, expect: {content: {contains: once}}}]}\n", i)
	}
	f := parse(t, b.String())
	for _, parallel := range []int{1, 8} {
		r := scenario.Runner{Open: openServer, Clock: clock.System{}, Parallel: parallel}
		results, err := r.Run(t.Context(), []*scenario.File{f})
		if err != nil || len(results) != n {
			t.Fatalf("Run() = %d results, %v", len(results), err)
		}
		for i, result := range results {
			if result.Failure != nil || result.Scenario != fmt.Sprintf("s%d", i) {
				t.Errorf("result %d is %s: %+v", i, result.Scenario, result.Failure)
			}
		}
	}
}

// gapsOfEnded runs an app that calls a missing operation and ends before it is ready.
func gapsOfEnded(t *testing.T) []string {
	t.Helper()
	f := parse(t, `
app:
  run: |
    curl --silent --header "Authorization: Bot $TOKEN" "$BELLHOP_BASE_URL/guilds/$GUILD_ID/templates"
scenarios:
  - {name: ends, steps: [{as: ada, in: Lab/general, say: hello}]}
`)
	results := runFiles(t, f)
	if results[0].Failure == nil {
		t.Error("an app that has ended was ready")
	}
	return results[0].Gaps
}

// A result names the operations that were called and that the service does not have. They fail nothing.
func TestGaps(t *testing.T) {
	t.Parallel()
	f := parse(t, `
scenarios:
  - name: templates
    steps:
      - {call: {path: "/guilds/${guild.Lab}/templates"}, expect: {status: 404}}
      - {call: {path: "/guilds/${guild.Lab}/templates"}, expect: {status: 404}}
      - {call: {path: "/nothing"}, expect: {status: 404}}
`)
	results := runFiles(t, f)
	if results[0].Failure != nil {
		t.Fatal(results[0].Failure.Details())
	}
	gaps := scenario.Gaps(results)
	if len(gaps) != 1 || gaps[0].Name != "list_guild_templates" {
		t.Errorf("gaps %v, want list_guild_templates", gaps)
	}
	if names := gapsOfEnded(t); !slices.Equal(names, []string{"list_guild_templates"}) {
		t.Errorf("gaps of an app that ends at once: %q", names)
	}
	var out strings.Builder
	p := scenario.Pretty{Printer: terminal.Printer{Out: &out}}
	p.Summary(results, time.Second)
	if want := "gaps: Bellhop does not serve\n  GET /guilds/{guild_id}/templates: "; !strings.Contains(out.String(), want) {
		t.Errorf("the summary has no %q: %s", want, out.String())
	}
}
