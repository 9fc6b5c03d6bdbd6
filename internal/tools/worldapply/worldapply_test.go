package worldapply

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/world"
)

// parse returns the world of a text.
func parse(t *testing.T, text string) world.World {
	t.Helper()
	w, err := world.Parse("world.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestSummarize checks which records count as created, changed and unchanged.
func TestSummarize(t *testing.T) {
	t.Parallel()
	before := parse(t, `
users: [{id: "200", username: ada}, {id: "201", username: bob}]
guilds: [{id: "300", name: Lab, owner: "200", channels: [{id: "310", name: general}]}]`)
	file := parse(t, `
users: [{id: "200", username: ada}, {id: "202", username: eve}]
applications: [{id: "100", name: Echo, owner: "200"}]
guilds: [{id: "300", name: Lab, owner: "200", channels: [{id: "310", name: lounge}], members: [{user: "202"}], installs: [{application: "100"}]}]
user_installs: [{user: "202", application: "100"}]`)
	after := file
	after.Users = append(slices.Clone(before.Users), file.Users[1])
	got := summarize(file, before, after)
	created := []string{"user eve", "application Echo", "member Lab/eve", "install of Echo in Lab", "install of Echo for eve"}
	if !slices.Equal(got.Created, created) || !slices.Equal(got.Changed, []string{"channel Lab/lounge"}) || got.Unchanged < 2 {
		t.Errorf("summarize() = %+v, want %q created and one channel changed", got, created)
	}
}

// TestSummaryText checks that a summary names a bounded number of records.
func TestSummaryText(t *testing.T) {
	t.Parallel()
	names := slices.Repeat([]string{"user \x1bada"}, maxNamed+2)
	for _, tt := range []struct {
		give Summary
		want string
	}{
		{Summary{Unchanged: 1}, "unchanged: 1 record\n"},
		{Summary{Records: 1502}, "applied: 1502 records\n"},
		{
			Summary{Created: []string{"user ada", "user bob"}, Changed: []string{"guild Lab"}},
			"created 2 records: user ada, user bob\nchanged 1 record: guild Lab\nunchanged: 0 records\n",
		},
		{
			Summary{Created: names},
			"created 22 records: " + strings.TrimSuffix(strings.Repeat("user �ada, ", maxNamed), ", ") + " and 2 more\nunchanged: 0 records\n",
		},
	} {
		var out strings.Builder
		if tt.give.Print(&terminal.Printer{Out: &out}); out.String() != tt.want {
			t.Errorf("Print() wrote %q, want %q", out.String(), tt.want)
		}
	}
}

// TestExport checks that an export of a data folder has the messages of channels, as that of a service.
func TestExport(t *testing.T) {
	t.Parallel()
	d := lab.Open(t)
	d.ApplyText(t, `
users: [{id: "200", username: ada}]
guilds: [{id: "300", name: Lab, owner: "200", channels: [{id: "310", name: general, messages: [{id: "330", author: "200", content: hello}]}]}]`)
	text, err := Export(t.Context(), d.Directory)
	if err != nil || !strings.Contains(string(text), "content: hello") {
		t.Errorf("Export() = %s, %v, want the message", text, err)
	}
}

// TestServiceApply checks the requests to a service with dev controls and to one without.
func TestServiceApply(t *testing.T) {
	t.Parallel()
	const text = `users: [{id: "200", username: ada}]`
	for token, want := range map[string][]string{
		"":      {"GET /_dev/world ", "POST /_dev/world ", "GET /_dev/world "},
		"admin": {"GET /admin/v1/world Bearer admin", "PUT /admin/v1/world Bearer admin", "GET /admin/v1/world Bearer admin"},
	} {
		var asked []string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
			answer := "{}"
			switch {
			case r.Method != http.MethodGet:
				answer = `{"bot_tokens":{},"client_secrets":{},"user_tokens":{"200":"made"}}`
			case len(asked) > 1:
				answer = text
			}
			_, _ = io.WriteString(w, answer)
		}))
		f, err := world.Open("world.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var sent atomic.Int64
		got, err := Service{Root: srv.URL, AdminToken: token}.Apply(t.Context(), f, []byte(text), &sent)
		srv.Close()
		if err != nil || !slices.Equal(got.Created, []string{"user ada"}) || got.UserTokens[200] != "made" || sent.Load() != int64(len(text)) {
			t.Errorf("Apply() = %+v, %v after %d bytes", got, err, sent.Load())
		}
		if !slices.Equal(asked, want) {
			t.Errorf("requests %q, want %q", asked, want)
		}
	}
}
