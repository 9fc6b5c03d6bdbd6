package command_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/google/go-cmp/cmp"
)

func TestSize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		give command.Definition
		want int
	}{
		{"name and description", command.Definition{Name: "abc", Description: "defg"}, 7},
		{"code points, not bytes", command.Definition{Name: "äöü", Description: "🎲"}, 4},
		{
			"longest variant of each field by itself", command.Definition{
				Name: "ab", NameLocalizations: locale.Map{"de": "abcd", "fr": "a"},
				Description: "abcdef", DescriptionLocalizations: locale.Map{"de": "a", "fr": "abc"},
			}, 4 + 6,
		},
		{"option", command.Definition{Options: []command.Option{{Name: "abc", Description: "de"}}}, 5},
		{
			"nested options", command.Definition{Options: []command.Option{
				{Name: "a", Options: []command.Option{{Name: "bc", Options: []command.Option{{Name: "def", Description: "g"}}}}},
			}}, 1 + 2 + 3 + 1,
		},
		{
			"text choices count name and value", command.Definition{Options: []command.Option{
				{Choices: []command.Choice{{Name: "ab", Value: command.TextValue("cdé")}, {Name: "f", Value: command.TextValue("")}}},
			}}, 2 + 3 + 1,
		},
		{
			"number choices count name and value as printed", command.Definition{Options: []command.Option{
				{Choices: []command.Choice{{Name: "ab", Value: command.NumberValue(123456)}, {Name: "c", Value: command.NumberValue(-0.5)}}},
			}}, 2 + 6 + 1 + 4,
		},
		{
			"longest variant of a choice name", command.Definition{Options: []command.Option{
				{Choices: []command.Choice{{Name: "ab", NameLocalizations: locale.Map{"ja": "abcde"}, Value: command.TextValue("")}}},
			}}, 5,
		},
		{
			"members without text", command.Definition{Options: []command.Option{
				{FileTypes: []string{".png"}, MinValue: new(1000.0)},
			}}, 0,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.give.Size(); got != tt.want {
				t.Errorf("Size() = %d, want %d (Limits)", got, tt.want)
			}
		})
	}
}

// largest returns a CHAT_INPUT command of size 8000: four subcommands with 25, 25, 25 and 5 options.
func largest() string {
	left := command.MaxSize - len("do") - len("does it")
	var subs []string
	for left > 0 {
		left -= len("sx") + len("d")
		var options []string
		for i := 0; i < 25 && left > 0; i++ {
			description := min(96, left-len("o000"))
			options = append(options, fmt.Sprintf(`{"type":3,"name":"o%03d","description":"%s"}`, i, repeat("d", description)))
			left -= len("o000") + description
		}
		subs = append(subs, fmt.Sprintf(`{"type":1,"name":"s%c","description":"d","options":[%s]}`,
			'a'+len(subs), strings.Join(options, ",")))
	}
	return chat(`"options":[` + strings.Join(subs, ",") + `]`)
}

func TestSizeLimit(t *testing.T) {
	t.Parallel()
	exact := largest()
	one := strings.Replace(exact, `"name":"do"`, `"name":"doo"`, 1)
	want := faults{"": {tooLarge}}

	t.Run("exactly 8000", func(t *testing.T) {
		t.Parallel()
		if got := parse(t, exact, anyApp).Size(); got != 8000 {
			t.Errorf("Size() = %d, want 8000", got)
		}
	})
	t.Run("8001", func(t *testing.T) {
		t.Parallel()
		_, err := command.Parse([]byte(one), anyApp)
		if diff := cmp.Diff(want, faultsOf(t, err)); diff != "" {
			t.Errorf("Limits: findings differ (-want +got):\n%s", diff)
		}
		if text := "invalid form body: Command exceeds maximum size (8000)"; err.Error() != text {
			t.Errorf("error = %v, want %s", err, text)
		}
	})
	t.Run("8001 by a localization", func(t *testing.T) {
		t.Parallel()
		s := strings.Replace(exact, `"name":"do"`, `"name":"do","name_localizations":{"de":"doo"}`, 1)
		_, err := command.Parse([]byte(s), anyApp)
		if diff := cmp.Diff(want, faultsOf(t, err)); diff != "" {
			t.Errorf("Limits: findings differ (-want +got):\n%s", diff)
		}
	})
	t.Run("8000 with shorter localizations", func(t *testing.T) {
		t.Parallel()
		parse(t, strings.Replace(exact, `"name":"do"`, `"name":"do","name_localizations":{"de":"d","fr":"e"}`, 1), anyApp)
	})
	t.Run("8001 in a list", func(t *testing.T) {
		t.Parallel()
		_, err := command.ParseList([]byte(`[`+chat(`"name":"other"`)+`,`+one+`]`), anyApp)
		if diff := cmp.Diff(faults{"1": {tooLarge}}, faultsOf(t, err)); diff != "" {
			t.Errorf("Limits: findings differ (-want +got):\n%s", diff)
		}
	})
	t.Run("8001 by an amendment", func(t *testing.T) {
		t.Parallel()
		_, err := parse(t, exact, anyApp).Amend([]byte(`{"name":"doo"}`), anyApp)
		if diff := cmp.Diff(want, faultsOf(t, err)); diff != "" {
			t.Errorf("Limits: findings differ (-want +got):\n%s", diff)
		}
	})
	t.Run("together with other faults", func(t *testing.T) {
		t.Parallel()
		_, err := command.Parse([]byte(strings.Replace(exact, `"name":"do"`, `"name":"Doo"`, 1)), anyApp)
		if diff := cmp.Diff(faults{"": {tooLarge}, "name": {invalidName}}, faultsOf(t, err)); diff != "" {
			t.Errorf("Limits: findings differ (-want +got):\n%s", diff)
		}
	})
}

func TestSizeIsOfChatInputOnly(t *testing.T) {
	t.Parallel()
	// The size limit does not apply to entry points.
	_, err := command.Parse([]byte(`{"type":4,"name":"L","description":"`+repeat("d", 9000)+`"}`), anyApp)
	if diff := cmp.Diff(faults{"description": {jsonbody.MaxLength}}, faultsOf(t, err)); diff != "" {
		t.Errorf("Limits: findings differ (-want +got):\n%s", diff)
	}
}
