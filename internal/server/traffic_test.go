package server

import (
	"strings"
	"testing"

	"github.com/gobwas/ws"
)

// lab returns a world with one guild that has the given parts.
func lab(parts string) string {
	return `{"users":[{"id":"700000000000000002","username":"bob"}],"guilds":[{"id":"900000000000000001","name":"Lab","owner":"700000000000000001",` +
		`"installs":[{"application":"` + echo + `","scopes":["bot"]}]` + parts + `}]}`
}

// TestDirectoryEvents changes a guild in every way and waits for the event of each change. tools/check compat compares the
// events with the typings.
func TestDirectoryEvents(t *testing.T) {
	t.Parallel()
	r := runServer(t, Config{Data: t.TempDir(), World: testWorld(t), Dev: true})
	if status, text := ask(t, "PATCH", r.base+"/api/v10/applications/@me", strings.NewReader(`{"flags":32768}`)); status != 200 {
		t.Fatalf("allow the member intent: %d %s", status, text)
	}
	_, where := ask(t, "GET", r.base+"/api/v10/gateway", nil)
	_, send, receive := connect(t, ws.Dialer{}, strings.Split(where, `"`)[3]+"?v=10&encoding=json")
	send(`{"op":2,"d":{"token":"` + token + `","intents":3,"properties":{}}}`)
	await := func(name string) {
		t.Helper()
		for !strings.Contains(receive(), `"t":"`+name+`"`) {
		}
	}
	await("READY")
	apply := func(parts, event string) {
		t.Helper()
		if status, text := ask(t, "POST", r.base+"/_dev/world", strings.NewReader(lab(parts))); status != 200 {
			t.Fatalf("apply %s: %d %s", parts, status, text)
		}
		await(event)
	}
	const text, thread = `,"channels":[{"id":"900000000000000010","name":"general"}`, `,{"id":"900000000000000011","name":"talk","type":12,"parent":"900000000000000010"`
	apply("", "GUILD_CREATE")
	apply(`,"preferred_locale":"de"`, "GUILD_UPDATE")
	apply(`,"roles":[{"id":"301","name":"mods"}]`, "GUILD_ROLE_CREATE")
	apply(`,"roles":[{"id":"301","name":"all"}]`, "GUILD_ROLE_UPDATE")
	apply(text+`]`, "CHANNEL_CREATE")
	apply(text+`,{"id":"900000000000000012","name":"voice","type":2},{"id":"900000000000000013","name":"forum","type":15}]`, "CHANNEL_CREATE")
	apply(strings.Replace(text, "general", "main", 1)+`]`, "CHANNEL_UPDATE")
	apply(text+thread+`}]`, "THREAD_CREATE")
	apply(text+thread+`,"archived":true}]`, "THREAD_UPDATE")
	apply(`,"members":[{"user":"700000000000000002"}]`, "GUILD_MEMBER_ADD")
	apply(`,"members":[{"user":"700000000000000002","nick":"Bobby"}]`, "GUILD_MEMBER_UPDATE")
	if status, text := ask(t, "POST", r.base+"/_dev/reset", nil); status >= 300 {
		t.Fatalf("reset: %d %s", status, text)
	}
	await("GUILD_DELETE")
}
