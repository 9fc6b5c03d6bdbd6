package command_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// definitions draws valid definitions.
func definitions(guild bool) *rapid.Generator[command.Definition] {
	return rapid.Custom(func(t *rapid.T) command.Definition {
		d := command.Definition{
			Type: command.Type(rapid.IntRange(1, 3).Draw(t, "type")), Guild: guild,
			Name: word(t, "name"), NameLocalizations: localized(t, "names"), NSFW: rapid.Bool().Draw(t, "nsfw"),
		}
		if rapid.Bool().Draw(t, "restricted") {
			d.MemberPermissions = new(permission.Bits(rapid.Uint64Range(0, uint64(permission.MaxBits)).Draw(t, "permissions")))
		}
		if rapid.Bool().Draw(t, "older flag") {
			d.DefaultPermission = new(d.MemberPermissions == nil || rapid.Bool().Draw(t, "default permission"))
		}
		if d.Type == command.ChatInput {
			d.Description, d.DescriptionLocalizations = text(t, "description"), localized(t, "descriptions")
			d.Options = options(t, 0)
		}
		d.Contexts = subset[command.Context](t, "contexts", 0, 1, 2)
		d.NoDM = rapid.Bool().Draw(t, "no dm")
		d.IntegrationTypes = subset[command.IntegrationType](t, "integration types", 0, 1)
		if guild {
			return d
		}
		if d.Contexts != nil {
			d.NoDM = !slices.Contains(d.Contexts, command.InBotDM)
		}
		if d.IntegrationTypes == nil {
			d.IntegrationTypes = []command.IntegrationType{0, 1}
		}
		return d
	})
}

func subset[N ~uint8](t *rapid.T, label string, all ...N) []N {
	var set []N
	for _, n := range all {
		if rapid.Bool().Draw(t, label) {
			set = append(set, n)
		}
	}
	return set
}

func word(t *rapid.T, label string) string {
	return rapid.StringMatching(`[-_'a-zäßжक0-9ก]{1,12}`).Draw(t, label)
}

func text(t *rapid.T, label string) string {
	return rapid.StringN(1, 40, -1).Draw(t, label)
}

func localized(t *rapid.T, label string) locale.Map {
	if !rapid.Bool().Draw(t, label) {
		return nil
	}
	return rapid.MapOfN(rapid.SampledFrom([]locale.Code{"de", "fr", "en-US", "en-GB", "es-ES"}), rapid.StringMatching(`[a-z]{1,8}`), 1, 5).Draw(t, label)
}

// options draws a list of options with values or, at the top level, of subcommands and groups.
func options(t *rapid.T, depth int) []command.Option {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,8}`), 0, 4, rapid.ID[string]).Draw(t, "option names")
	if len(names) == 0 {
		return nil
	}
	nests := depth == 0 && rapid.Bool().Draw(t, "nests")
	list := make([]command.Option, len(names))
	for i, name := range names {
		list[i] = command.Option{Name: name, Description: text(t, "option description"), DescriptionLocalizations: localized(t, "option descriptions")}
		switch {
		case nests && rapid.Bool().Draw(t, "group"):
			list[i].Type = command.SubCommandGroup
			list[i].Options = []command.Option{{Type: command.SubCommand, Name: "sub", Description: "d", Options: options(t, 2)}}
		case nests:
			list[i].Type = command.SubCommand
			list[i].Options = options(t, 1)
		default:
			fill(t, &list[i])
		}
	}
	slices.SortStableFunc(list, func(a, b command.Option) int { return btoi(b.Required) - btoi(a.Required) })
	return list
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fill draws the members of an option with a value.
func fill(t *rapid.T, o *command.Option) {
	o.Type = command.OptionType(rapid.IntRange(3, 11).Draw(t, "option type"))
	o.Required = rapid.Bool().Draw(t, "required")
	value := func() command.Value {
		switch o.Type {
		case command.Integer:
			return command.NumberValue(float64(rapid.Int64Range(-jsonbody.MaxInteger, jsonbody.MaxInteger).Draw(t, "integer")))
		case command.Number:
			return command.NumberValue(rapid.Float64Range(-jsonbody.MaxNumber, jsonbody.MaxNumber).Draw(t, "number"))
		default:
			return command.TextValue(text(t, "value"))
		}
	}
	switch o.Type {
	case command.String, command.Integer, command.Number:
		for range rapid.IntRange(0, 3).Draw(t, "choices") {
			o.Choices = append(o.Choices, command.Choice{Name: text(t, "choice"), NameLocalizations: localized(t, "choice names"), Value: value()})
		}
		o.Autocomplete = len(o.Choices) == 0 && rapid.Bool().Draw(t, "autocomplete")
		if low, ok := value().Number(); ok {
			o.MinValue, o.MaxValue = &low, new(low)
		} else {
			o.MinLength = new(rapid.IntRange(0, 6000).Draw(t, "shortest"))
		}
	case command.Channel:
		o.ChannelTypes = subset[command.ChannelType](t, "channels", 0, 5, 11, 16)
	case command.Attachment:
		if rapid.Bool().Draw(t, "media") {
			o.FileTypes = []string{"image", ".png"}
		}
	default:
	}
}

func draw(t *rapid.T) command.Definition {
	return definitions(rapid.Bool().Draw(t, "guild")).Draw(t, "definition")
}

func env(d command.Definition) command.Env {
	e := anyApp
	e.Guild = d.Guild
	return e
}

func TestDefinitionSurvivesItsDocument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		if err := command.Validate(d); err != nil {
			t.Fatalf("Validate(%s) = %v", d.Doc(), err)
		}
		again, err := reread(d.Doc(), d.Guild)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, again); diff != "" {
			t.Fatalf("definition differs (-want +got):\n%s", diff)
		}
		if !bytes.Equal(d.Doc(), again.Doc()) {
			t.Fatalf("document differs:\n%s\n%s", d.Doc(), again.Doc())
		}
	})
}

// TestAppendPlain compares the two ways to render a command for a list.
func TestAppendPlain(t *testing.T) {
	t.Parallel()
	plain, other := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		if rapid.Bool().Draw(t, "without localizations") {
			d.NameLocalizations, d.DescriptionLocalizations, d.Options = nil, nil, nil
		}
		c := command.Command{ID: 5, Scope: command.Scope{Application: 6}, Version: 7, Doc: d.Doc()}
		if d.Guild {
			c.Scope.Guild = 8
		}
		before := []byte("before ")
		got, ok := c.AppendPlain(before)
		if !ok {
			other++
			if !bytes.Equal(got, before) {
				t.Fatalf("AppendPlain() = %s, false", got)
			}
			if len(d.Options) == 0 && !d.Localized() {
				t.Fatalf("AppendPlain() refuses %s", c.Doc)
			}
			return
		}
		plain++
		read, err := c.Definition()
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range []locale.Code{locale.EnglishUS, "de"} {
			if want := c.AppendListed([]byte("before "), &read, code); !bytes.Equal(got, want) {
				t.Fatalf("AppendPlain() = %s\nAppendListed() = %s", got, want)
			}
		}
	})
	if plain == 0 || other == 0 {
		t.Errorf("%d plain commands and %d others: too few to tell", plain, other)
	}
}

func TestAmendWithItselfChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		for _, body := range [][]byte{nil, []byte(`{}`), d.Doc()} {
			got, err := d.Amend(body, env(d))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(d, got); diff != "" {
				t.Fatalf("Amend() changes the definition (-old +new):\n%s", diff)
			}
		}
	})
}

func TestCreateWithItselfChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		got, err := command.Parse(d.Doc(), env(d))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, got); diff != "" {
			t.Fatalf("Parse() changes the definition (-old +new):\n%s", diff)
		}
	})
}

func TestOrderOfLocalizationsDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		codes := rapid.Permutation(locale.All()).Draw(t, "codes")
		body := func() []byte {
			return []byte(chat(`"name_localizations":{"` + strings.Join(codes, `":"x","`) + `":"x"}`))
		}
		one, err := command.Parse(body(), anyApp)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(codes)
		other, err := command.Parse(body(), anyApp)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.Doc(), other.Doc()) {
			t.Fatalf("documents differ:\n%s\n%s", one.Doc(), other.Doc())
		}
	})
}

// TestDifferencesAgreeWithDocuments checks that a changed command has differences and a kept one has none.
func TestDifferencesAgreeWithDocuments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		guild := rapid.Bool().Draw(t, "guild")
		a, b := definitions(guild).Draw(t, "a"), definitions(guild).Draw(t, "b")
		b.Type, b.Name = a.Type, a.Name
		registered := []command.Command{{ID: 1, Type: a.Type, Name: a.Name, Doc: a.Doc()}}
		changes, err := command.Diff(registered, []command.Item{{Definition: b}})
		if err != nil || len(changes) != 1 {
			t.Fatalf("Diff() = %v, %v", changes, err)
		}
		if got := changes[0].Differences(); (len(got) == 0) != changes[0].Kept() || changes[0].Kept() != bytes.Equal(a.Doc(), b.Doc()) {
			t.Fatalf("Differences() = %v of\n%s\n%s", got, a.Doc(), b.Doc())
		}
	})
}

// TestDiffLeadsToTheList checks that the changes lead from the registered commands to exactly the wanted ones.
func TestDiffLeadsToTheList(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d", "e"}
	rapid.Check(t, func(t *rapid.T) {
		draws := func(label string) []command.Item {
			var items []command.Item
			for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(t, label) {
				d := command.Definition{Type: command.ChatInput, Name: name, Description: "d", NSFW: rapid.Bool().Draw(t, "nsfw")}
				if rapid.Bool().Draw(t, "menu") {
					d.Type, d.Description = command.User, ""
				}
				items = append(items, command.Item{ID: snowflake.Command(rapid.IntRange(0, 7).Draw(t, "id")), Definition: d})
			}
			return items
		}
		var current []command.Command
		byID := map[snowflake.Command]command.Command{}
		for i, item := range draws("current") {
			c := command.Command{ID: snowflake.Command(i + 1), Type: item.Type, Name: item.Name, Doc: item.Doc()}
			current = append(current, c)
			byID[c.ID] = c
		}
		items := draws("items")
		for i := range items {
			if c, ok := byID[items[i].ID]; ok && c.Type != items[i].Type {
				items[i].ID = 0 // Diff refuses a change of the type
			}
		}
		changes, err := command.Diff(current, items)
		if err != nil {
			t.Fatal(err)
		}
		checkChanges(t, changes, byID, items)
	})
}

func checkChanges(t *rapid.T, changes []command.Change, byID map[snowflake.Command]command.Command, items []command.Item) {
	next := snowflake.Command(100)
	result := map[snowflake.Command]bool{}
	for i, c := range changes[:len(items)] {
		next++
		id := next
		if c.Registered != nil {
			id = c.Registered.ID
			if c.Registered.Type != items[i].Type {
				t.Fatalf("change %d gives command %v another type", i, id)
			}
			if c.Renamed() != (c.Registered.Name != items[i].Name) {
				t.Fatalf("change %d: Renamed() = %v, from %s to %s", i, c.Renamed(), c.Registered.Name, items[i].Name)
			}
		}
		if result[id] {
			t.Fatalf("command %v occurs twice", id)
		}
		result[id] = true
		if !bytes.Equal(c.Doc, items[i].Doc()) {
			t.Fatalf("change %d has the document %s, want %s", i, c.Doc, items[i].Doc())
		}
	}
	for _, c := range changes[len(items):] {
		if c.Wanted != nil || result[c.Registered.ID] {
			t.Fatalf("command %v is kept and deleted", c.Registered.ID)
		}
		result[c.Registered.ID] = true
	}
	for id := range byID {
		if !result[id] {
			t.Fatalf("command %v is neither kept nor deleted", id)
		}
	}
	if len(result) != len(changes) {
		t.Fatalf("%d changes for %d commands", len(changes), len(result))
	}
}
