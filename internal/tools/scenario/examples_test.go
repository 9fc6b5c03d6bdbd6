package scenario_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/internal/tools/scenario"
)

// example is a bot with a scenario file.
type example struct {
	name  string
	needs []string // programs
	// file returns the scenario file with the bot, or with a changed bot if m is not nil.
	file   func(t *testing.T, m *mutant) *scenario.File
	mutant mutant
}

// mutant is a change of the source of a bot that its scenarios must notice.
type mutant struct {
	name, file, from, to string
	fails                string // a scenario that fails
}

// examples lists the bots of examples/. The public ones are bots of others, without a change.
var examples = []example{
	{"httpbot", nil, goBot("httpbot", "."), mutant{"a die has a side too many", "bot.go", "b.Roll(sides), sides", "b.Roll(sides)+sides, sides", "rolls a die"}},
	{"guesthouse", nil, goBot("guesthouse", "./cmd"), mutant{"the bell counts twice", "component.go", "rings+1", "rings+2", "counts the rings of the bell"}},
	{"discordgo", nil, goBot("discordgo", "."), mutant{"a die is missing", "bot.go", "for range dice {", "for range dice - 1 {", "rolls many dice"}},
	{"discordjs", []string{"node", "npm"}, nodeBot, mutant{"a user votes twice", "bot.mjs", "votes.set(interaction.user.id,", "votes.set(interaction.id,", "moves the vote of a user"}},
	{"discordpy", []string{"discord.py"}, pythonBot, mutant{"a list has the reminders of all users", "bot.py", "setdefault(interaction.user.id,", "setdefault(0,", "lists the reminders of each user"}},
	{"public components", nil, publicGoBot("components"), mutant{"an answer can be seen by all", "main.go", "Flags:   discordgo.MessageFlagsEphemeral,", "", "asks with buttons"}},
	{"public autocomplete", nil, publicGoBot("autocomplete"), mutant{"the options are exchanged", "main.go", "case data.Options[0].Focused:", "case !data.Options[0].Focused:", "suggests for each of two options"}},
	{"public slash_commands", nil, publicGoBot("slash_commands"), mutant{"a group does not know its subcommand", "main.go", `case "nested-subcommand":`, `case "nested":`, "knows subcommands in groups"}},
	{"public create-discord-bot", []string{"node", "npm"}, publicNodeBot, mutant{"only the user sees the answer", "bot/src/commands/ping.js", "'Pong!'", "{ content: 'Pong!', flags: 64 }", "answers a ping"}},
}

// TestExamples runs the scenario files of the example bots, and runs them again against bots with a mistake in them.
func TestExamples(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	for _, tt := range examples {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			engines.Need(t, tt.needs...)
			right := tt.file(t, nil)
			right.Timeout = scenario.Duration(30 * time.Second) // a busy machine must not change the result
			for _, r := range runFiles(t, right) {
				if r.Failure != nil {
					t.Errorf("%s: %s\n%s", r.Place(), r.Scenario, r.Failure.Details())
				}
			}
			caught := false
			for _, r := range runFiles(t, tt.file(t, &tt.mutant)) {
				caught = caught || r.Scenario == tt.mutant.fails && r.Failure != nil
			}
			if !caught {
				t.Errorf("the scenario %q does not notice that %s", tt.mutant.fails, tt.mutant.name)
			}
		})
	}
}

// change returns a source with the change of a mutant.
func (m *mutant) change(t *testing.T, source string) []byte {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.ReplaceAll(text, []byte(m.from), []byte(m.to))
	if bytes.Equal(changed, text) {
		t.Fatalf("%s does not contain %q", source, m.from)
	}
	return changed
}
