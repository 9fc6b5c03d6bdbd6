package command_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/rules/locale"
)

func TestAppendIndexed(t *testing.T) {
	t.Parallel()
	const body = `{"name":"color","description":"A color","name_localizations":{"de":"farbe","fr":"color"},
		"options":[{"type":3,"name":"shade","description":"A shade","description_localizations":{"de":"Ein Ton"},
			"choices":[{"name":"Grey","value":"g","name_localizations":{"de":"Grau"}}]}]}`
	const head = `{"id":"1400000000000000001","application_id":"1300000000000000001","version":"1400000000000000002",` +
		`"default_member_permissions":null,"type":1,`
	c, d := register(t, body, anyApp, 1400000000000000001)
	const plain = `"name":"color","description":"A color","dm_permission":true,"contexts":null,"integration_types":[0,1],` +
		`"options":[{"type":3,"name":"shade","description":"A shade","choices":[{"name":"Grey","value":"g"}]}],"nsfw":false}`
	for _, tt := range []struct {
		name string
		code locale.Code
		want string
	}{
		{"a language takes the place of the default", "de", `"name":"farbe","name_default":"color","description":"A color",` +
			`"dm_permission":true,"contexts":null,"integration_types":[0,1],"options":[{"type":3,"name":"shade",` +
			`"description":"Ein Ton","description_default":"A shade","choices":[{"name":"Grau","name_default":"Grey","value":"g"}]}],"nsfw":false}`},
		{"a value like the default changes nothing", "fr", plain},
		{"a language without values changes nothing", "ja", plain},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(c.AppendIndexed(nil, &d, tt.code)); got != head+tt.want {
				t.Errorf("AppendIndexed() =\n%s\nwant\n%s", got, head+tt.want)
			}
		})
	}
}
