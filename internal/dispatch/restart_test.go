package dispatch_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/jsonbody"
)

func parseBody(body []byte) (jsonbody.Value, error) { return jsonbody.Parse(body) }

// TestRestart ends the service in the middle of everything: what was pending fails, what was answered goes on.
func TestRestart(t *testing.T) {
	t.Parallel()
	d := open(t)
	kept := answered(d, hello)
	promised := answered(d, later)
	lost, token := begun(d)
	still, open := begun(d)
	d.close()

	d = reopen(t, d.path, d.clock)
	if err := d.callback(still, open, hello); err != nil {
		t.Errorf("an answer to what is still open: %v", err)
	}
	d.clock.Advance(interaction.Deadline + interaction.Grace)
	failure := d.hear("INTERACTION_FAILURE", 1)
	if len(failure) != 1 || !strings.Contains(string(failure[0].Data), `"id":"`+lost.String()+`"`) {
		t.Errorf("failures %s, want that of %v", failure[0].Data, lost)
	}
	if err := d.callback(lost, token, hello); err == nil {
		t.Error("a failed interaction was answered")
	}
	for name, token := range map[string]string{"answered": kept, "promised": promised} {
		if _, err := d.EditMessage(t.Context(), echo, token, dispatch.Original, d.reply(`{"content":"after"}`)); err != nil {
			t.Errorf("%s before the restart: %v", name, err)
		}
	}
	if text, err := d.Message(t.Context(), echo, promised, dispatch.Original); err != nil || !strings.Contains(string(text), `"flags":0`) {
		t.Errorf("the promise is still open: %s, %v", text, err)
	}
}

// TestTwoNodes lets the answer arrive at another node than the one that the interaction was created on.
func TestTwoNodes(t *testing.T) {
	t.Parallel()
	d := open(t)
	other := dispatch.New(d.other())
	id, token := begun(d)
	if _, err := other.Callback(t.Context(), id, token, d.reply(hello), false); err != nil {
		t.Fatal(err)
	}
	if err := d.callback(id, token, hello); err == nil {
		t.Error("both nodes took a first answer")
	}
	if _, err := other.FollowUp(t.Context(), echo, token, d.reply(`{"content":"more"}`)); err != nil {
		t.Errorf("a follow-up at the other node: %v", err)
	}
	d.clock.Advance(time.Hour)
	if text := d.numbers(); !strings.Contains(text, "bellhop_interactions_pending 0") {
		t.Error("the node that created it waits for ever")
	}
	if failures, _ := d.heard.all("INTERACTION_FAILURE"); len(failures) != 0 {
		t.Error("the node that created it takes it for failed")
	}
}
