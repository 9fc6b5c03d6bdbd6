package server

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// TestDevBotToken reads the bot tokens of a world: one that the file names, one that was made at the start, and one after
// the operator has replaced it.
func TestDevBotToken(t *testing.T) {
	t.Parallel()
	w, err := world.Parse("world.yaml", []byte(`
users: [{id: "700000000000000001", username: ada}]
applications:
  - {id: "`+echo+`", name: Echo, owner: "700000000000000001", bot_token: `+token+`}
  - {id: "1300000000000000009", name: Made, owner: "700000000000000001"}
`))
	if err != nil {
		t.Fatal(err)
	}
	r := runServer(t, Config{Data: t.TempDir(), World: &w, Dev: true})
	shown := func(app string) string {
		t.Helper()
		status, text := askAs(t, "", "GET", r.base+"/_dev/applications/"+app+"/bot-token", nil)
		if status != 200 {
			t.Fatalf("bot token of %s: %d %s", app, status, text)
		}
		return text
	}
	if got, want := shown(echo), `{"token":"`+token+`"}`; got != want {
		t.Errorf("the token of the file: %s, want %s", got, want)
	}
	made := r.server.Applied.BotTokens[snowflake.Application(1300000000000000009)].Reveal()
	if got := shown("1300000000000000009"); made == "" || !strings.Contains(got, made) {
		t.Errorf("the token that was made: %s, want %q", got, made)
	}
	operator, err := r.server.CreateFirstOperator(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if status, text := askAs(t, "Bearer "+operator.Reveal(), "POST", r.base+"/admin/v1/applications/"+echo+"/bot-token", nil); status != 200 {
		t.Fatalf("replace the token: %d %s", status, text)
	}
	if got, want := shown(echo), `{"token":null}`; got != want {
		t.Errorf("the token after its replacement: %s, want %s", got, want)
	}
	if status, text := askAs(t, "", "POST", r.base+"/_dev/reset", nil); status != 204 {
		t.Fatalf("reset: %d %s", status, text)
	}
	if got, want := shown(echo), `{"token":"`+token+`"}`; got != want {
		t.Errorf("the token after a reset: %s, want %s", got, want)
	}
}
