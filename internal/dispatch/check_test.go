package dispatch_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// finding is an expected error: a *jsonbody.Tree that contains a code at a path.
type finding struct {
	path string
	code jsonbody.Code
}

func (f finding) Error() string { return f.path + ": " + string(f.code) }

// isError reports whether an error is the expected one: the same, or a tree with the expected finding.
func isError(err, want error) bool {
	f, ok := errors.AsType[finding](want)
	if !ok {
		return errors.Is(err, want)
	}
	tree, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		return false
	}
	return slices.Contains(tree.Flat()[f.path], f.code)
}

// TestInvokeChecks goes through the checks of the specification. The numbers are the rows of its table.
func TestInvokeChecks(t *testing.T) {
	t.Parallel()
	d := open(t)
	ping := d.register(echo, 0, ping)
	local := d.register(echo, guild, `{"name":"local","description":"Here","type":1}`)
	admin := d.register(echo, 0, `{"name":"admin","description":"Admins","type":1,"default_member_permissions":"0"}`)
	greet := d.register(echo, 0, `{"name":"Greet","type":2,"contexts":[0],"integration_types":[0]}`)
	nested := d.register(echo, 0, `{"name":"nested","description":"Nested","type":1,"options":[
		{"type":1,"name":"one","description":"One"},{"type":1,"name":"two","description":"Two"}]}`)
	roll := d.register(echo, 0, `{"name":"roll","description":"Roll","type":1,"options":[
		{"type":4,"name":"sides","description":"Sides","required":true,"min_value":2,"max_value":100},
		{"type":8,"name":"who","description":"Role"},{"type":7,"name":"where","description":"Channel"},
		{"type":6,"name":"whom","description":"User"},{"type":11,"name":"file","description":"File"},
		{"type":3,"name":"text","description":"Text","autocomplete":true}]}`)
	toolbox := d.register(tool, 0, `{"name":"tool","description":"Tool","type":1,"integration_types":[1],"contexts":[0,1,2]}`)
	other := *ping
	other.ID++
	renamed := *ping
	renamed.Name = "pong"
	stale := *ping
	stale.Version--
	sides := `,"options":[{"type":4,"name":"sides","value":6},%s]`
	for _, tt := range []struct {
		row  string
		user snowflake.User
		body string
		want error
	}{
		{"3: type missing", ada, `{"application_id":"100","channel_id":"310","data":{}}`, finding{"type", jsonbody.Required}},
		{"3: ping refused", ada, `{"type":1,"application_id":"100","channel_id":"310","data":{}}`, finding{"type", jsonbody.Choices}},
		{"4: guild unknown", ada, invokeBody(ping, 999, general, ""), dispatch.ErrUnknownGuild},
		{"5: channel unknown", ada, invokeBody(ping, guild, 999, ""), directory.ErrUnknownChannel},
		{"5: channel of a guild without it", ada, invokeBody(ping, 0, general, ""), directory.ErrUnknownChannel},
		{"5: channel outside of the guild", ada, invokeBody(ping, guild, withEcho, ""), directory.ErrUnknownChannel},
		{"5: channel hidden", ada, invokeBody(ping, guild, hidden, ""), directory.ErrUnknownChannel},
		{"5: direct messages of others", cleo, invokeBody(ping, 0, withBob, ""), directory.ErrUnknownChannel},
		{"6: app unknown", ada, strings.Replace(invokeBody(ping, guild, general, ""), `"100"`, `"999"`, 1), directory.ErrUnknownApplication},
		{"7: app not installed", ada, invokeBody(toolbox, guild, general, ""), dispatch.ErrUnknownIntegration},
		{"7: app not in this direct message", ada, invokeBody(ping, 0, withBob, ""), dispatch.ErrUnknownIntegration},
		{"8: command unknown", ada, invokeBody(&other, guild, general, ""), finding{"data", interaction.CommandInvalid}},
		{"8: name mismatch", ada, invokeBody(&renamed, guild, general, ""), finding{"data", interaction.CommandInvalid}},
		{"8: type mismatch", ada, strings.Replace(invokeBody(ping, guild, general, ""), `"type":1`, `"type":4`, 1), finding{"data", interaction.CommandInvalid}},
		{"8: guild command elsewhere", ada, invokeBody(local, 0, withEcho, ""), finding{"data", interaction.CommandInvalid}},
		{"9: outdated", ada, invokeBody(&stale, guild, general, ""), finding{"data", interaction.CommandOutdated}},
		{"10: not permitted", ada, invokeBody(admin, guild, general, ""), finding{"data", interaction.CommandForbidden}},
		{"10: cannot send", ada, invokeBody(ping, guild, quiet, ""), finding{"data", interaction.CommandForbidden}},
		{"11: USER command without sending", ada, invokeBody(greet, guild, quiet, `,"target_id":"201"`), dispatch.ErrMissingPermissions},
		{"12: base of subcommands", ada, invokeBody(nested, guild, general, ""), finding{"data", interaction.CommandInvalid}},
		{"12: two subcommands", ada, invokeBody(nested, guild, general, `,"options":[{"type":1,"name":"one"},{"type":1,"name":"two"}]`), finding{"data", interaction.CommandInvalid}},
		{"13: required option absent", ada, invokeBody(roll, guild, general, ""), finding{"data.options", interaction.OptionMissing}},
		{"14: value too large", ada, invokeBody(roll, guild, general, `,"options":[{"type":4,"name":"sides","value":101}]`), finding{"data.options", interaction.OptionInvalid}},
		{"14: role of no guild", ada, invokeBody(roll, 0, withEcho, fmt.Sprintf(sides, `{"type":8,"name":"who","value":"301"}`)), finding{"data.options", interaction.OptionInvalid}},
		{"14: role unknown", ada, invokeBody(roll, guild, general, fmt.Sprintf(sides, `{"type":8,"name":"who","value":"302"}`)), finding{"data.options", interaction.OptionInvalid}},
		{"14: channel hidden", ada, invokeBody(roll, guild, general, fmt.Sprintf(sides, `{"type":7,"name":"where","value":"311"}`)), finding{"data.options", interaction.OptionInvalid}},
		{"14: user unknown", ada, invokeBody(roll, guild, general, fmt.Sprintf(sides, `{"type":6,"name":"whom","value":"999"}`)), finding{"data.options", interaction.OptionInvalid}},
		{"14: file missing", ada, invokeBody(roll, guild, general, fmt.Sprintf(sides, `{"type":11,"name":"file","value":0}`)), finding{"data.options", interaction.OptionInvalid}},
		{"14: no focused option", ada, strings.Replace(invokeBody(roll, guild, general, fmt.Sprintf(sides, `{"type":3,"name":"text","value":"a"}`)), `"type":2`, `"type":4`, 1), finding{"data.options", interaction.OptionInvalid}},
		{"15: message unknown", ada, `{"type":3,"application_id":"100","guild_id":"300","channel_id":"310","message_id":"9","data":{"component_type":2,"custom_id":"a"}}`, finding{"data", interaction.ComponentInvalid}},
		{"16: modal unknown", ada, `{"type":5,"application_id":"100","guild_id":"300","channel_id":"310","data":{"id":"9","custom_id":"a","components":[]}}`, interaction.ErrUnknownInteraction},
	} {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			_, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: tt.user, Body: parse(t, tt.body)})
			if !isError(err, tt.want) {
				t.Errorf("Invoke() = %v, want %v", err, tt.want)
			}
		})
	}
	t.Cleanup(func() {
		if list, _ := d.events.named("INTERACTION_CREATE"); len(list) != 0 {
			t.Errorf("%d interactions were created", len(list))
		}
	})
}

// TestInvokeContexts uses commands in every context and checks what the app receives.
func TestInvokeContexts(t *testing.T) {
	t.Parallel()
	d := open(t)
	everywhere := `"contexts":[0,1,2],"integration_types":[0,1]`
	byGuild := d.register(echo, 0, `{"name":"ping","description":"Ping","type":1,`+everywhere+`}`)
	byUser := d.register(tool, 0, `{"name":"tool","description":"Tool","type":1,`+everywhere+`}`)
	local := d.register(echo, guild, `{"name":"local","description":"Here","type":1}`)
	for _, tt := range []struct {
		name    string
		user    snowflake.User
		command *command.Command
		guild   snowflake.Guild
		channel snowflake.Channel
		want    []string
		not     []string
	}{
		{
			"guild", ada, byGuild, guild, general,
			[]string{
				`"context":0`, `"authorizing_integration_owners":{"0":"300"}`, `"guild_locale":"fr"`, `"locale":"de"`,
				`"member":{"user":{"id":"200"`, `"name":"general"`, `"topic":"talk"`, `"entitlements":[]`,
			},
			[]string{`"user":{"id":"200"},`, `"data":{"guild_id"`},
		},
		{"guild command", ada, local, guild, general, []string{`"guild_id":"300"`, `"name":"local","type":1`, `{"0":"300"}`}, nil},
		{"thread", ada, byGuild, guild, thread, []string{`"thread_metadata"`, `"parent_id":"310"`}, nil},
		{
			"direct messages with the bot", ada, byGuild, 0, withEcho,
			[]string{
				`"context":1`, `"authorizing_integration_owners":{"0":"0"}`, `"app_permissions":"442368"`, `"user":{"id":"200"`,
				`"recipients":[{"id":"100"`,
			},
			[]string{`"member"`, `"guild_locale"`, `"guild":`},
		},
		{
			"direct messages with a bot that the user has installed", bob, byUser, 0, withTool,
			[]string{`"context":1`, `"authorizing_integration_owners":{"0":"0","1":"201"}`},
			nil,
		},
		{
			"private channel", bob, byUser, 0, withBob,
			[]string{`"context":2`, `"authorizing_integration_owners":{"1":"201"}`, `"app_permissions":"180224"`},
			[]string{`"member"`},
		},
		{"group", bob, byUser, 0, group, []string{`"context":2`, `"type":3`}, nil},
		{
			"guild, installed by the user", bob, byUser, guild, general,
			[]string{`"context":0`, `"authorizing_integration_owners":{"1":"201"}`, `"app_permissions":"442368"`},
			nil,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id := d.invoke(tt.user, invokeBody(tt.command, tt.guild, tt.channel, ""))
			if got, _ := d.newestToken(); got != id {
				t.Fatalf("the bot received %v, want %v", got, id)
			}
			e := reversed(d.waitEvents("INTERACTION_CREATE", 1))[0]
			for _, part := range tt.want {
				if !strings.Contains(string(e.Data), part) {
					t.Errorf("%s lacks %s", e.Data, part)
				}
			}
			for _, part := range tt.not {
				if strings.Contains(string(e.Data), part) {
					t.Errorf("%s has %s", e.Data, part)
				}
			}
			if e.To.Guild != tt.guild || e.To.Application != tt.command.Scope.Application {
				t.Errorf("sent to %+v", e.To)
			}
		})
	}
}

// TestInvokeResolved uses options that refer to users, members, channels, roles and files.
func TestInvokeResolved(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(echo, 0, `{"name":"all","description":"All","type":1,"options":[
		{"type":6,"name":"member","description":"x"},{"type":6,"name":"user","description":"x"},
		{"type":7,"name":"channel","description":"x"},{"type":8,"name":"role","description":"x"},
		{"type":9,"name":"either","description":"x"},{"type":11,"name":"file","description":"x"}]}`)
	d.apply("users: [{id: 209, username: far}]")
	d.invoke(ada, invokeBody(c, guild, general, `,"attachments":[{"id":"0","filename":"notes.txt"}],"options":[
		{"type":6,"name":"member","value":"201"},{"type":6,"name":"user","value":"209"},
		{"type":7,"name":"channel","value":"312"},{"type":8,"name":"role","value":"301"},
		{"type":9,"name":"either","value":"301"},{"type":11,"name":"file","value":"0"}]`), upload(0, "blob", "text"))
	_, _ = d.newestToken()
	data := parse(t, string(reversed(d.waitEvents("INTERACTION_CREATE", 1))[0].Data)).Get("data")
	resolved := data.Get("resolved")
	keys := func(kind string) (list []string) {
		for _, m := range resolved.Get(kind).Members() {
			list = append(list, m.Name)
		}
		return list
	}
	file := data.Get("options").Items()[5].Get("value").Text()
	for kind, want := range map[string]string{
		"users": "[201 209]", "members": "[201]", "channels": "[312]", "roles": "[301]", "attachments": "[" + file + "]",
	} {
		if got := fmt.Sprint(keys(kind)); got != want {
			t.Errorf("resolved %s = %v, want %v", kind, got, want)
		}
	}
	if got := resolved.Get("attachments").Get(file).Get("url").Text(); got != "https://files.example/"+file+"/notes.txt" {
		t.Errorf("url of the file = %s", got)
	}
	if got := d.files.texts(); len(got) != 1 || got[0] != "text" {
		t.Errorf("stored files: %q", got)
	}
}

// TestInvokeNonceAtOtherNode checks that a request that a client repeats at another node does not invoke again, also if both
// nodes handle it at the same time.
func TestInvokeNonceAtOtherNode(t *testing.T) {
	t.Parallel()
	d := openShared(t)
	c := d.register(echo, 0, ping)
	nodes := []*dispatch.Dispatch{d.Dispatch, dispatch.New(d.otherNode())}
	request := func(nonce string) dispatch.InvokeRequest {
		return dispatch.InvokeRequest{User: ada, Body: parse(t, withMembers(invokeBody(c, guild, general, ""), `"nonce":"`+nonce+`"`))}
	}
	for round := range 10 {
		var results [4]dispatch.Invocation
		var requests sync.WaitGroup
		for i := range results {
			repeated := request(strconv.Itoa(round))
			requests.Go(func() {
				var err error
				if results[i], err = nodes[i%2].Invoke(t.Context(), repeated); err != nil {
					t.Error(err)
				}
			})
		}
		requests.Wait()
		created := 0
		for _, r := range results {
			if !r.Duplicate {
				created++
			}
			if r.ID != results[0].ID {
				t.Errorf("round %d: the requests created the interactions %v and %v", round, r.ID, results[0].ID)
			}
		}
		if created != 1 {
			t.Errorf("round %d: %d requests created an interaction, want 1", round, created)
		}
	}
}

// TestInvokeNonce checks when the same nonce means the same invocation.
func TestInvokeNonce(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(echo, 0, ping)
	invoke := func(user snowflake.User, nonce string) dispatch.Invocation {
		t.Helper()
		i, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: user, Body: parse(t, withMembers(invokeBody(c, guild, general, ""), `"nonce":"`+nonce+`"`))})
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	first := invoke(ada, "a")
	if again := invoke(ada, "a"); !again.Duplicate || again.ID != first.ID {
		t.Errorf("the same nonce again: %+v", again)
	}
	if other := invoke(ada, "b"); other.Duplicate {
		t.Error("another nonce counts as a duplicate")
	}
	if other := invoke(bob, "a"); other.Duplicate {
		t.Error("the nonce of another user counts as a duplicate")
	}
	d.clock.Advance(interaction.TokenLifetime)
	if later := invoke(ada, "a"); later.Duplicate {
		t.Error("an expired nonce counts as a duplicate")
	}
	stale := *c
	stale.Version--
	if _, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: ada, Body: parse(t, withMembers(invokeBody(&stale, guild, general, ""), `"nonce":"c"`))}); err == nil {
		t.Fatal("an outdated command was accepted")
	}
	if again := invoke(ada, "c"); again.Duplicate {
		t.Error("the nonce of a refused invocation counts as a duplicate")
	}
}

// oldIDs generates ids that are two seconds old, as a node does that has not extended its lease for too long.
type oldIDs struct{ dispatch.IDs }

func (o oldIDs) Next() uint64 { return o.IDs.Next() - uint64(2000)<<22 }

// The deadline of an interaction counts from the time of its id. A node whose ids are old refuses an invocation: the app would get an
// interaction that has no time left.
func TestInvokeOldIDs(t *testing.T) {
	t.Parallel()
	d := open(t, func(c *dispatch.Config) { c.IDs = oldIDs{c.IDs} })
	c := d.register(echo, 0, ping)
	before := d.eventCount()
	_, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: ada, Body: parse(t, invokeBody(c, guild, general, ""))})
	if !errors.Is(err, store.ErrUnavailable) || d.eventCount() != before {
		t.Errorf("Invoke() with an old id = %v and %d events, want ErrUnavailable and none", err, d.eventCount()-before)
	}
}
