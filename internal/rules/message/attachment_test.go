package message_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/google/go-cmp/cmp"
)

// TestAttachmentMembers checks the members that a request gives to its files: they are stored and shown.
func TestAttachmentMembers(t *testing.T) {
	t.Parallel()
	file := func(name string) []message.File {
		return []message.File{{Attachment: wire.Attachment{ID: 900, Filename: name, Size: 10, URL: "u", Width: 4, Height: 3}}}
	}
	const shown = `{"id":"900","filename":"NAME","size":10,"url":"u","proxy_url":"u","width":4,"height":3`
	for _, tt := range []struct{ name, filename, give, want string }{
		{"none", "a", `{"id":0}`, `}`},
		{"spoiler", "a", `{"id":0,"is_spoiler":true}`, `,"flags":8}`},
		{"no spoiler", "a", `{"id":0,"is_spoiler":false}`, `}`},
		{"spoiler by its name", "SPOILER_a", `{"id":0}`, `,"flags":8}`},
		{"voice message", "a", `{"id":0,"duration_secs":1.5,"waveform":"AAEC"}`, `,"duration_secs":1.5,"waveform":"AAEC"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := read(t, `{"attachments":[`+tt.give+`]}`, file(tt.filename))
			again, err := message.ParseContent(c.Doc())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.Attachments, again.Attachments); diff != "" {
				t.Errorf("attachments differ after storing (-want +got):\n%s", diff)
			}
			var p wire.Printer
			again.Attachments[0].Print(&p)
			want := strings.Replace(shown, "NAME", tt.filename, 1) + tt.want
			if diff := cmp.Diff(want, string(p.Out)); diff != "" {
				t.Errorf("attachment differs (-want +got):\n%s", diff)
			}
			wantJS(t, p.Out)
		})
	}
	_, err := message.Read(parse(t, `{"attachments":[{"id":0,"is_spoiler":1,"duration_secs":-1,"waveform":"`+strings.Repeat("x", 401)+`"}]}`), file("a"))
	want := codes{
		"attachments.0.is_spoiler": {jsonbody.BooleanConvert}, "attachments.0.duration_secs": {jsonbody.NumberMin},
		"attachments.0.waveform": {jsonbody.MaxLength},
	}
	if diff := cmp.Diff(want, findings(t, err)); diff != "" {
		t.Errorf("errors differ (-want +got):\n%s", diff)
	}
}
