package parity_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/rules/parity"
)

// Discord's description of its API has 242 operations.
func TestAll(t *testing.T) {
	t.Parallel()
	l := parity.All()
	if len(l.Operations) != 242 {
		t.Errorf("%d operations, want 242", len(l.Operations))
	}
	if n := l.Count(); n[parity.Served]+n[parity.Part]+n[parity.Absent] != len(l.Operations) {
		t.Errorf("states %v do not add up to %d", n, len(l.Operations))
	}
	names := map[string]bool{}
	for _, o := range l.Operations {
		checkNote(t, o.Name, o.State, o.Note)
		if names[o.Name] {
			t.Errorf("operation %s is listed twice", o.Name)
		}
		names[o.Name] = true
	}
	for _, e := range append(l.Events, l.Intents...) {
		checkNote(t, e.Name, e.State, e.Note)
	}
}

// checkNote checks that an entry has a known state, and a note unless it is served.
func checkNote(t *testing.T, name string, state parity.State, note string) {
	t.Helper()
	switch state {
	case parity.Served:
		if note != "" {
			t.Errorf("%s is served, but has the note %q", name, note)
		}
	case parity.Part, parity.Absent:
		if note == "" {
			t.Errorf("%s is %q without a note that says why", name, state)
		}
	default:
		t.Errorf("%s has the unknown state %q", name, state)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ method, path, want string }{
		{"GET", "/users/@me", "get_my_user"},
		{"GET", "/users/200", "get_user"},
		{"GET", "/guilds/templates/abc", "get_guild_template"},
		{"POST", "/guilds/300/templates", "create_guild_template"},
		{"GET", "/guilds/300/widget.json", "get_guild_widget"},
		{"DELETE", "/users/@me", ""},
		{"GET", "/users//", ""},
		{"GET", "/users/200/", ""},
		{"GET", "/guilds/300/members/7/roles", ""},
		{"GET", "", ""},
	} {
		o, ok := parity.All().Find(tt.method, tt.path)
		if o.Name != tt.want || ok != (tt.want != "") {
			t.Errorf("%s %s: %q, want %q", tt.method, tt.path, o.Name, tt.want)
		}
	}
}
