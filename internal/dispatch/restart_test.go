package dispatch_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

func parseBody(body []byte) (jsonbody.Value, error) { return jsonbody.Parse(body) }

// TestRestart restarts the service. Pending interactions fail at their deadline, and tokens of answered ones still
// work.
func TestRestart(t *testing.T) {
	t.Parallel()
	d := open(t)
	kept := answeredPing(d, hello)
	unfilled := answeredPing(d, deferred)
	lost, token := invokePing(d)
	still, open := invokePing(d)
	d.close()

	d = reopen(t, d.path, d.clock)
	if err := d.callback(still, open, hello); err != nil {
		t.Errorf("an answer to a pending interaction: %v", err)
	}
	d.clock.Advance(interaction.Deadline + interaction.Grace)
	failure := d.waitEvents("INTERACTION_FAILURE", 1)
	if len(failure) != 1 || !strings.Contains(string(failure[0].Data), `"id":"`+lost.String()+`"`) {
		t.Errorf("failure %s, want the one of %v", failure[0].Data, lost)
	}
	if err := d.callback(lost, token, hello); err == nil {
		t.Error("a failed interaction was answered")
	}
	for name, token := range map[string]string{"answered": kept, "deferred": unfilled} {
		if _, err := d.EditMessage(t.Context(), echo, token, dispatch.Original, d.response(`{"content":"after"}`)); err != nil {
			t.Errorf("%s before the restart: %v", name, err)
		}
	}
	if text, err := d.Message(t.Context(), echo, unfilled, dispatch.Original); err != nil || !strings.Contains(string(text), `"flags":0`) {
		t.Errorf("the deferred answer is still loading: %s, %v", text, err)
	}
}

// TestTwoNodes answers an interaction at another node than the one that created it.
func TestTwoNodes(t *testing.T) {
	t.Parallel()
	d := open(t)
	other := dispatch.New(d.otherNode())
	id, token := invokePing(d)
	if _, err := other.Callback(t.Context(), id, token, d.response(hello), false); err != nil {
		t.Fatal(err)
	}
	if err := d.callback(id, token, hello); err == nil {
		t.Error("both nodes accepted a first answer")
	}
	if _, err := other.FollowUp(t.Context(), echo, token, d.response(`{"content":"more"}`)); err != nil {
		t.Errorf("a follow-up at the other node: %v", err)
	}
	d.clock.Advance(time.Hour)
	if text := d.metricsText(); !strings.Contains(text, "bellhop_interactions_pending 0") {
		t.Error("the interaction is still pending at the node that created it")
	}
	if failures, _ := d.events.named("INTERACTION_FAILURE"); len(failures) != 0 {
		t.Error("the node that created the interaction has failed it")
	}
}
