package guesthouse_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/examples/guesthouse"
	"github.com/bellhop/bellhop/snowflake"
)

const echo = snowflake.Application(1100000000000000100) // of the demo world

// open runs the guest house as an application of the demo world, and returns its URL.
func open(t *testing.T) (*bellhoptest.Server, string) {
	t.Helper()
	w := bellhoptest.DemoWorld()
	w.Applications[0].Activities = true
	srv := bellhoptest.Start(t, w)
	app := guesthouse.New(srv.Bot(echo), echo, 0)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- app.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	url := "http://" + ln.Addr().String()
	if err := app.Register(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return srv, url
}

// TestCommands uses every command.
func TestCommands(t *testing.T) {
	t.Parallel()
	srv, _ := open(t)
	for _, tt := range []struct{ as, line, want string }{
		{"bob", "/welcome", "Welcome, Bob! Your room is ready."},
		{"ada", "/willkommen", "Willkommen, Ada! Dein Zimmer ist bereit."},
		{"cleo", "/bienvenue", "Bienvenue, Cleo ! Tout est prêt."},
		{"bob", "/book name:Bob nights:3", "Booked:\n- Name: Bob\n- Nights: 3"},
		{
			"bob", "/book name:Bob nights:3 budget:80.5 breakfast:true with:<@1100000000000000200> news:<#1100000000000000311> " +
				"group:<@&1100000000000000301> notify:<@1100000000000000202>",
			"Booked:\n- Name: Bob\n- Nights: 3\n- At most: 80.5 a night\n- Breakfast: true\n- Together with: <@1100000000000000200>\n" +
				"- Announced in: <#1100000000000000311>\n- Group: <@&1100000000000000301>\n- We tell: <@1100000000000000202>",
		},
		{"bob", "/book name:Bob nights:3 notify:<@&1100000000000000302>", "Booked:\n- Name: Bob\n- Nights: 3\n- We tell: <@&1100000000000000302>"},
		{"bob", "/breakfast dish:Porridge", "One order of Porridge for Bob, coming up."},
		{"bob", "/house status", "All rooms are clean and the kettle is on."},
		{"bob", "/house lights off", "The lights are off."},
		{"bob", "/bell", "The bell is on the desk."},
		{"bob", "/keys", "Which keys do you need, and who gets them?"},
		{"bob", "/safe", "The code of your safe is 4711. Only you see this."},
		{"bob", "Greet guest <@1100000000000000200>", "Bob greets Ada."},
	} {
		if got := srv.Invoke(t, tt.as, "Lab/general", tt.line); got.Outcome != "answered" || got.Text() != tt.want {
			t.Errorf("%s is %s: %q, want %q", tt.line, got.Outcome, got.Text(), tt.want)
		}
	}
	if games := srv.Invoke(t, "bob", "Lab/general", "/games"); games.Outcome != "launched" {
		t.Errorf("/games is %s, want launched", games.Outcome)
	}
	if room := srv.Invoke(t, "bob", "Lab/general", "/room kind:attic"); !strings.Contains(fmt.Sprint(room.Response.Data), "title:Attic") {
		t.Errorf("/room answers %v", room.Response.Data)
	}
	if form := srv.Invoke(t, "bob", "Lab/general", "/feedback"); !strings.Contains(string(form.Modal), "How was your stay?") {
		t.Errorf("/feedback opens %s", form.Modal)
	}
	dishes := srv.Autocomplete(t, "bob", "Lab/general", "/breakfast dish:pa", "dish")
	if len(dishes) != 1 || dishes[0].Name != "Pancakes" {
		t.Errorf("suggestions %+v, want Pancakes", dishes)
	}
	said := srv.Invoke(t, "bob", "Lab/general", "/house status").Messages[0]
	if pinned := srv.Invoke(t, "bob", "Lab/general", "Pin to the board "+said.ID.String()); pinned.Text() != "On the board: “"+said.Content+"”" {
		t.Errorf("the message command answers %q", pinned.Text())
	}
}

// TestComponents presses a button and submits a form.
func TestComponents(t *testing.T) {
	t.Parallel()
	srv, _ := open(t)
	bell := srv.Invoke(t, "bob", "Lab/general", "/bell").Messages[0]
	rung := srv.Use(t, client.Invocation{As: "ada", In: "Lab/general", Interaction: map[string]any{
		"type": 3, "application_id": echo, "message_id": bell.ID, "data": map[string]any{"component_type": 2, "custom_id": "ring:0"},
	}})
	if rung.Text() != "Ding! Ada rang. The bell rang once." || rung.Messages[0].ID != bell.ID {
		t.Errorf("the button answers %+v", rung.Messages)
	}
	form := srv.Invoke(t, "bob", "Lab/general", "/feedback")
	thanks := srv.Use(t, client.Invocation{As: "bob", In: "Lab/general", Interaction: map[string]any{
		"type": 5, "application_id": echo, "data": map[string]any{
			"id": form.Interaction.ID, "custom_id": "feedback", "components": []any{map[string]any{
				"type": 18, "component": map[string]any{"type": 4, "custom_id": "liked", "value": "the bell"},
			}},
		},
	}})
	if thanks.Text() != "Thank you, Bob. You liked: the bell." {
		t.Errorf("the form answers %+v", thanks)
	}
}

// TestNamesInLines names a user, a channel and a role in a line, and uses the locale of the client.
func TestNamesInLines(t *testing.T) {
	t.Parallel()
	srv, _ := open(t)
	got := srv.Invoke(t, "bob", "Lab/general", "/book name:Bob nights:3 with:ada news:#general group:helpers notify:@cleo")
	want := "Booked:\n- Name: Bob\n- Nights: 3\n- Together with: <@1100000000000000200>\n- Announced in: <#1100000000000000311>\n" +
		"- Group: <@&1100000000000000301>\n- We tell: <@1100000000000000202>"
	if got.Text() != want {
		t.Errorf("/book answers %q, want %q", got.Text(), want)
	}
	_, err := srv.Bot(echo).Dev().Invoke(t.Context(), client.Invocation{As: "bob", In: "Lab/general", Command: "/book name:Bob nights:3 with:eve"})
	if err == nil || !strings.Contains(err.Error(), `takes a user`) {
		t.Errorf("an unknown username: %v", err)
	}
	greeting := srv.Use(t, client.Invocation{As: "bob", In: "Lab/general", Command: "/welcome", Locale: "de"})
	if greeting.Text() != "Willkommen, Bob! Dein Zimmer ist bereit." {
		t.Errorf("a German client sees %q", greeting.Text())
	}
}

// TestLaundry checks that the deferred answer is filled in.
func TestLaundry(t *testing.T) {
	t.Parallel()
	srv, _ := open(t)
	got := srv.Use(t, client.Invocation{As: "bob", In: "Lab/general", Command: "/laundry", Wait: "final"})
	if got.Text() != "Your clothes are clean." {
		t.Errorf("/laundry answers %q", got.Text())
	}
}

// TestSignature checks that the app refuses requests that the service has not signed.
func TestSignature(t *testing.T) {
	t.Parallel()
	_, url := open(t)
	resp, err := http.Post(url, "application/json", strings.NewReader(`{"type":1}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("an unsigned request gets %d, want 401", resp.StatusCode)
	}
}
