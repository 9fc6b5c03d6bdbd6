package dispatch_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// entryPoint returns the entry point command of the app with activities.
func entryPoint(d *fixture) *command.Command {
	d.t.Helper()
	list, err := d.commands.Commands(d.t.Context(), command.Scope{Application: echo})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, c := range list {
		if c.Type == command.PrimaryEntryPoint {
			return c
		}
	}
	d.t.Fatal("the app has no entry point")
	return nil
}

// TestEntryPointLaunches uses an entry point with handler 2. The activity is launched without asking the app.
func TestEntryPointLaunches(t *testing.T) {
	t.Parallel()
	d := open(t)
	a := d.endpoint(echo, func(http.ResponseWriter, *http.Request) { t.Error("the app was asked") })
	out := d.invokeAndWait(ada, withMembers(invokeBody(entryPoint(d), guild, general, ""), `"nonce":"n1"`))
	if out.Result != dispatch.Launched || len(out.Messages) != 1 || !strings.HasPrefix(out.URL, "https://play.example/i-") {
		t.Fatalf("outcome %+v", out)
	}
	text := string(out.Messages[0])
	for _, part := range []string{`"type":20`, `"interaction_metadata":{"id"`, `"author":{"id":"100"`} {
		if !strings.Contains(text, part) {
			t.Errorf("launch message %s lacks %s", text, part)
		}
	}
	d.waitEvents("INTERACTION_SUCCESS", 1)
	instance, err := d.Instance(t.Context(), echo, out.Instance)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`"instance_id":"` + out.Instance + `"`, `"kind":"gc"`, `"channel_id":"310"`, `"guild_id":"300"`, `"users":["200"]`,
	} {
		if !strings.Contains(string(instance), part) {
			t.Errorf("instance %s lacks %s", instance, part)
		}
	}
	if _, err := d.Instance(t.Context(), tool, out.Instance); !errors.Is(err, dispatch.ErrUnknownInstance) {
		t.Errorf("another app's instance: %v", err)
	}
	for _, id := range []string{"", "i-", "i-1-gc-300-310", out.Instance + "0", "x" + out.Instance} {
		if _, err := d.Instance(t.Context(), echo, id); !errors.Is(err, dispatch.ErrUnknownInstance) {
			t.Errorf("Instance(%q) = %v", id, err)
		}
	}
	if len(a.bodies()) != 0 {
		t.Error("the app received a request")
	}
}

// TestEntryPointRefused uses an entry point where the user may not launch activities. The invocation is refused, as the
// picker and the explanation say. An app that launches by its answer fails.
func TestEntryPointRefused(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.apply(strings.Replace(lab, everyoneBits, "2147552256", 1)) // without USE_EMBEDDED_ACTIVITIES
	_, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: ada, Body: parse(t, invokeBody(entryPoint(d), guild, general, ""))})
	if !isError(err, finding{"data", interaction.CommandForbidden}) {
		t.Errorf("Invoke() = %v, want %v", err, interaction.CommandForbidden)
	}
	id, token := invokePing(d)
	err = d.callback(id, token, `{"type":12}`)
	if !isError(err, finding{"type", jsonbody.Choices}) {
		t.Errorf("a launch by the app: %v", err)
	}
	if e := d.waitEvents("INTERACTION_FAILURE", 1)[0]; !strings.Contains(string(e.Data), `"reason_code":13`) {
		t.Errorf("failure %s", e.Data)
	}
}

// TestEntryPointHandledByApp uses an entry point with handler 1.
func TestEntryPointHandledByApp(t *testing.T) {
	t.Parallel()
	d := open(t)
	point := entryPoint(d)
	app, err := d.Directory.Applications.Application(t.Context(), echo)
	if err != nil {
		t.Fatal(err)
	}
	env := command.Env{Supported: []command.IntegrationType{0, 1}, Embedded: app.Activities}
	point, err = d.commands.Patch(t.Context(), command.Scope{Application: echo}, env, point.ID, []byte(`{"handler":1}`))
	if err != nil {
		t.Fatal(err)
	}
	a := d.endpoint(echo, respond(`{"type":12}`))
	out := d.invokeAndWait(ada, invokeBody(point, guild, general, ""))
	if out.Result != dispatch.Launched || len(a.bodies()) != 1 || !strings.Contains(string(a.bodies()[0]), `"type":4,"version"`) {
		t.Errorf("outcome %+v, the app received %s", out, a.bodies())
	}
}

// TestAppWithoutActivities checks that an app without activities cannot launch one.
func TestAppWithoutActivities(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(tool, 0, `{"name":"tool","description":"Tool","type":1,"integration_types":[1],"contexts":[0,1,2]}`)
	d.invoke(bob, invokeBody(c, guild, general, ""))
	id, token := d.newestToken()
	if err := d.callback(id, token, `{"type":12}`); !isError(err, finding{"type", jsonbody.Choices}) {
		t.Errorf("Callback() = %v", err)
	}
	if e := d.waitEvents("INTERACTION_FAILURE", 1)[0]; !strings.Contains(string(e.Data), `"reason_code":14`) {
		t.Errorf("failure %s", e.Data)
	}
}
