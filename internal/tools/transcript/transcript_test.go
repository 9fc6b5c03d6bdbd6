package transcript_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/transcript"
)

func TestOutcome(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, give, want string }{
		{
			"sent", `{"interaction":{"id":"7"},"timings_ms":{"checked":1,"delivered":0}}`,
			"sent: interaction 7\n",
		},
		{
			"failed", `{"outcome":"failed","reason":"no answer","timings_ms":{"checked":1,"delivered":2,"answered":3000}}`,
			"failed after 3000 ms: no answer (checked after 1 ms, delivered after 2 ms)\n",
		},
		{
			"message", `{"outcome":"answered","timings_ms":{"checked":1,"delivered":2,"answered":3},"messages":[{"author":{"username":"Dice"},
				"content":"You rolled\na 4","flags":64,"embeds":[{"title":"Fair","description":"dice"},{"title":"Alone"}],
				"attachments":[{"filename":"d.png","size":9,"url":"/d.png"}],
				"components":[{"type":1,"components":[{"type":2,"label":"Again","custom_id":"again"}]},
					{"type":9,"components":[{"type":10,"content":"text"}],"accessory":{"type":2,"label":"Side","custom_id":"side"}}]}]}`,
			"answered after 3 ms (checked after 1 ms, delivered after 2 ms)\n" +
				"  Dice (ephemeral): You rolled\n    a 4\n    embed: Fair - dice\n    embed: Alone\n    file: d.png, 9 bytes, /d.png\n" +
				"    [Again] again\n    text\n    [Side] side\n",
		},
		{
			"deferred", `{"outcome":"deferred","timings_ms":{"checked":1,"delivered":0,"answered":3},"messages":[{"author":{"username":"Dice"},"content":"","flags":128}]}`,
			"deferred after 3 ms (checked after 1 ms)\n  Dice: is thinking…\n",
		},
		{
			"choices", `{"outcome":"answered","timings_ms":{"checked":1,"delivered":2,"answered":3},"choices":[{"name":"Later","value":"later"}]}`,
			"answered after 3 ms (checked after 1 ms, delivered after 2 ms)\n  Later = later\n",
		},
		{
			"modal", `{"outcome":"answered","timings_ms":{"checked":1,"delivered":2,"answered":3},"modal":{"title":"Your bet","custom_id":"bet",
				"components":[{"type":18,"label":"How much","component":{"type":4,"custom_id":"sum"}}]}}`,
			"answered after 3 ms (checked after 1 ms, delivered after 2 ms)\n  modal \"Your bet\" (bet)\n    How much\n    [] sum\n",
		},
		{
			"activity", `{"outcome":"answered","timings_ms":{"checked":1,"delivered":2,"answered":3},"activity":{"instance_id":"i","url":"http://x"}}`,
			"answered after 3 ms (checked after 1 ms, delivered after 2 ms)\n  activity i http://x\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v, err := jsonbody.Parse([]byte(tt.give))
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := transcript.Outcome(&out, v); err != nil || out.String() != tt.want {
				t.Errorf("Outcome() printed %q, %v, want %q", out.String(), err, tt.want)
			}
		})
	}
}
