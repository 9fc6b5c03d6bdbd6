package dispatch_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/dispatch"
)

func TestInlineAnswer(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(echo, 0, ping)
	a := d.endpoint(echo, respond(`{"type":4,"data":{"content":"pong"}}`))
	out := d.invokeAndWait(ada, withMembers(invokeBody(c, guild, general, ""), `"nonce":"n1","session_id":"s1"`))
	if out.Result != dispatch.Answered || len(out.Messages) != 1 || !strings.Contains(string(out.Messages[0]), `"content":"pong"`) {
		t.Fatalf("outcome = %+v", out)
	}
	if len(a.bodies()) != 1 || string(a.bodies()[0]) != string(out.Interaction) {
		t.Errorf("the app received %s, the outcome says %s", a.bodies(), out.Interaction)
	}
	if string(out.Response) != `{"type":4,"data":{"content":"pong"}}` {
		t.Errorf("response = %s", out.Response)
	}
	if out.Checked <= 0 || out.Delivered < out.Checked || out.Answered < out.Delivered {
		t.Errorf("timings %v %v %v", out.Checked, out.Delivered, out.Answered)
	}
	success := d.waitEvents("INTERACTION_SUCCESS", 1)[0]
	if success.To.Session != "s1" || !strings.Contains(string(success.Data), `"nonce":"n1"`) {
		t.Errorf("success = %s to %+v", success.Data, success.To)
	}
}

// TestUnknownSession names a session that no node has. All sessions of the user learn how the interaction ends.
func TestUnknownSession(t *testing.T) {
	t.Parallel()
	d := open(t, func(c *dispatch.Config) {
		c.HasSession = func(_ context.Context, id string) bool { return id == "here" }
	})
	c := d.register(echo, 0, ping)
	d.endpoint(echo, respond(`{"type":4,"data":{"content":"pong"}}`))
	for i, name := range []string{"here", "nowhere"} {
		d.invokeAndWait(ada, withMembers(invokeBody(c, guild, general, ""), `"session_id":"`+name+`"`))
		want := []string{"here", ""}[i]
		if got := d.waitEvents("INTERACTION_SUCCESS", i+1)[i].To.Session; got != want {
			t.Errorf("the result for session %q goes to %q, want %q", name, got, want)
		}
	}
}
