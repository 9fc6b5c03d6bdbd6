package provision_test

import (
	"slices"
	"testing"
)

// TestIntents applies worlds with and without privileged intents. An application without the key keeps those that it has.
func TestIntents(t *testing.T) {
	t.Parallel()
	d := open(t)
	apply := func(key string, want ...string) {
		t.Helper()
		d.ApplyText(t, `{users: [{id: 200, username: ada}], applications: [{id: 100, name: Echo, owner: 200`+key+`}]}`)
		if got := d.export(t).Applications[0].Intents; !slices.Equal(got, want) {
			t.Errorf("the application has %v after %q, want %v", got, key, want)
		}
	}
	apply("")
	apply(", intents: [MESSAGE_CONTENT, GUILD_MEMBERS]", "GUILD_MEMBERS", "MESSAGE_CONTENT")
	apply("", "GUILD_MEMBERS", "MESSAGE_CONTENT")
	apply(", intents: []")
	d.AllIntents = true
	apply("")
	d = open(t)
	d.AllIntents = true
	apply("", "GUILD_MEMBERS", "GUILD_PRESENCES", "MESSAGE_CONTENT")
	d = open(t)
	d.AllIntents = true
	apply(", intents: [GUILD_PRESENCES]", "GUILD_PRESENCES")
	w := d.export(t)
	w.Applications[0].Intents = nil
	if _, err := d.Reset(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if got := d.export(t).Applications[0].Intents; len(got) != 3 {
		t.Errorf("after a reset the application has %v, want all as a new one", got)
	}
}
