package provision_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

const emojis = `
users: [{id: 200, username: ada}]
applications: [{id: 100, name: Echo, owner: 200}]
guilds:
  - id: 300
    name: Lab
    owner: 200
    roles: [{id: 301, name: mods}]
    emojis:
      - {id: 600, name: blob, creator: 200, roles: [301]}
      - {id: 601, animated: true, creator: 100}
`

// TestEmojis checks that emojis are stored once, keep their images, and are the same after an export was applied elsewhere.
func TestEmojis(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, emojis)
	if again := d.ApplyText(t, emojis); again.Changed != 0 {
		t.Errorf("the second time changed %d records", again.Changed)
	}
	want := []world.Emoji{{ID: 600, Name: "blob", Creator: 200, Roles: []snowflake.Role{301}}, {ID: 601, Name: "emoji_601", Animated: true, Creator: 100}}
	before := d.export(t)
	if diff := cmp.Diff(want, before.Guilds[0].Emojis); diff != "" {
		t.Errorf("the exported emojis (-want +got):\n%s", diff)
	}
	text, err := before.YAML()
	if err != nil {
		t.Fatal(err)
	}
	copied := open(t)
	copied.ApplyText(t, string(text))
	if diff := cmp.Diff(want, copied.export(t).Guilds[0].Emojis); diff != "" {
		t.Errorf("the emojis of the copy (-want +got):\n%s", diff)
	}
	drawn := store.CustomEmoji{ID: 600, Guild: 300, Name: "blob", Image: "a_1", Animated: true}
	if err := d.Store.Commit(t.Context(), store.Change{Put: []store.Record{drawn}}); err != nil {
		t.Fatal(err)
	}
	d.ApplyText(t, emojis)
	err = d.Store.Read(t.Context(), func(r store.Reader) error {
		e, err := r.Directory.Emoji(600)
		if e.Image != "a_1" || !e.Animated || e.User != 200 {
			t.Errorf("after the file was applied again: %+v", e)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestEmojiProblems checks what a world cannot say about emojis.
func TestEmojiProblems(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, emojis)
	_, err := d.Apply(t.Context(), lab.Parse(t, strings.NewReplacer("creator: 200", "creator: 299", "roles: [301]", "roles: [309]").Replace(emojis)))
	const list = "guilds.0.emojis."
	want := map[string][]jsonbody.Code{list + "0.creator": {provision.UnknownReference}, list + "0.roles.0": {provision.UnknownReference}}
	if diff := cmp.Diff(want, findings(t, err)); diff != "" {
		t.Errorf("Apply() (-want +got):\n%s", diff)
	}
	_, err = d.Apply(t.Context(), lab.Parse(t, `guilds: [{id: 301, owner: 200, emojis: [{id: 600}]}]`))
	if diff := cmp.Diff(map[string][]jsonbody.Code{list + "0.id": {provision.Taken}}, findings(t, err)); diff != "" {
		t.Errorf("an id elsewhere (-want +got):\n%s", diff)
	}
	var many strings.Builder
	for i := range 51 {
		many.WriteString(`{id: ` + snowflake.Emoji(700+i).String() + `},`)
	}
	_, err = d.Apply(t.Context(), lab.Parse(t, `guilds: [{id: 302, owner: 200, emojis: [`+many.String()+`]}]`))
	if diff := cmp.Diff(map[string][]jsonbody.Code{"guilds.0.emojis": {jsonbody.MaxLength}}, findings(t, err)); diff != "" {
		t.Errorf("too many still emojis (-want +got):\n%s", diff)
	}
}
