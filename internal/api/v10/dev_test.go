package v10_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// TestDevTokenDefaults uses tokens that were issued without scopes in the request.
func TestDevTokenDefaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, ask, path string }{
		{"a client-credentials token registers commands", `{"application":"1300000000000000001"}`, commandsPath},
		{"a token for a user reads the user", `{"application":"1300000000000000001","user":"700000000000000001"}`, "/api/v10/users/@me"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			var issued struct {
				AccessToken string `json:"access_token"`
			}
			got := d.ask(t, "anonymous", http.MethodPost, "/_dev/token", tt.ask)
			if err := json.Unmarshal([]byte(got.body), &issued); err != nil || issued.AccessToken == "" {
				t.Fatalf("%d %s, %v", got.status, got.body, err)
			}
			if got := d.ask(t, "anonymous", http.MethodGet, tt.path, "", "Authorization", "Bearer "+issued.AccessToken); got.status != http.StatusOK {
				t.Errorf("GET %s = %d %s", tt.path, got.status, got.body)
			}
		})
	}
}

// TestDevContentTypes checks that the dev controls take no body that a web page can send to any address without asking.
func TestDevContentTypes(t *testing.T) {
	t.Parallel()
	d := open(t)
	const form = "--x\r\nContent-Disposition: form-data; name=\"payload_json\"\r\n\r\n{}\r\n--x--\r\n"
	for _, tt := range []struct {
		path, kind, body string
		header           string
		want             int
	}{
		{"/_dev/world", "text/plain", `users: []`, "", 415},
		{"/_dev/world", "application/x-www-form-urlencoded", `users: []`, "", 415},
		{"/_dev/world", "multipart/form-data; boundary=x", form, "X-Bellhop-Dev", 415},
		{"/_dev/world", "", `users: []`, "", 415},
		{"/_dev/world", "application/yaml", `users: []`, "", 200},
		{"/_dev/world", "text/yaml; charset=utf-8", `users: []`, "", 200},
		{"/_dev/world", "application/x-yaml", `users: []`, "", 200},
		{"/_dev/world", "application/json", `{"users":[]}`, "", 200},
		{"/_dev/clock", "text/plain", `{"advance":"1s"}`, "", 415},
		{"/_dev/clock", "application/yaml", `{"advance":"1s"}`, "", 415},
		{"/_dev/clock", "application/json; charset=utf-8", `{"advance":"1s"}`, "", 200},
		{"/_dev/faults", "application/x-www-form-urlencoded", `{}`, "", 415},
		{"/_dev/token", "text/plain;application/json", `{}`, "", 415},
		{"/_dev/reset", "text/plain", `x`, "", 415},
		{"/_dev/console", "text/plain", `x`, "", 415},
		{"/_dev/invoke", "text/plain", `{}`, "", 415},
		{"/_dev/invoke", "multipart/form-data; boundary=x", form, "", 415},
		{"/_dev/invoke", "multipart/form-data; boundary=x", form, "X-Bellhop-Dev", 400}, // it is read, and lacks the user
		{"/_dev/say", "text/plain", `{}`, "", 415},
		{"/_dev/say", "multipart/form-data; boundary=x", form, "", 415},
		{"/_dev/say", "multipart/form-data; boundary=x", form, "X-Bellhop-Dev", 400}, // it is read, and lacks the user
		{"/_dev/reset", "", "", "", 204},
	} {
		headers := []string{"Content-Type", tt.kind}
		if tt.header != "" {
			headers = append(headers, tt.header, "1")
		}
		if got := d.ask(t, "anonymous", http.MethodPost, tt.path, tt.body, headers...); got.status != tt.want {
			t.Errorf("POST %s with %q: %d %s, want %d", tt.path, tt.kind, got.status, got.body, tt.want)
		}
	}
}

// TestSayAnswers checks that a request with a wait returns what a bot sent meanwhile, and nothing else: neither what the
// bot sent before, nor what other people write.
func TestSayAnswers(t *testing.T) {
	t.Parallel()
	d := open(t)
	const path = "/api/v10/channels/900000000000000010/messages"
	d.ask(t, "game", http.MethodPost, path, `{"content":"before"}`)
	var said struct {
		Message struct{ Content string }   `json:"message"`
		Answers []struct{ Content string } `json:"answers"`
	}
	for wait := 250 * time.Millisecond; wait <= 20*time.Second; wait *= 3 { // a busy machine may need more than the first
		done := make(chan answer, 1)
		go func() {
			done <- d.ask(t, "anonymous", http.MethodPost, "/_dev/say", `{"as":"ada","in":"Lab/general","content":"ping","wait":"`+wait.String()+`"}`)
		}()
		for end := time.Now().Add(30 * time.Second); !strings.Contains(d.ask(t, "game", http.MethodGet, path+"?limit=1", "").body, `"username":"ada"`); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("after 30 s the message of ada is not the last one")
			}
		}
		d.ask(t, "bob", http.MethodPost, path, `{"content":"me too"}`)
		d.ask(t, "game", http.MethodPost, path, `{"content":"pong"}`)
		got := <-done
		if err := json.Unmarshal([]byte(got.body), &said, json.MatchCaseInsensitiveNames(true)); err != nil || got.status != http.StatusOK {
			t.Fatalf("%d %s, %v", got.status, got.body, err)
		}
		if len(said.Answers) > 0 {
			break
		}
	}
	if said.Message.Content != "ping" || len(said.Answers) != 1 || said.Answers[0].Content != "pong" {
		t.Errorf("said %+v, want ping with the answer pong", said)
	}
}

// TestDue checks that an open interaction and an idle lobby are in the list of what falls due, the earliest first.
func TestDue(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.deliver(t)
	d.ask(t, "anonymous", http.MethodPost, "/_dev/invoke", `{"as":"ada","in":"Hall/stage","command":"/say","wait":"none"}`)
	d.ask(t, "bot", http.MethodPost, "/api/v10/lobbies", `{"idle_timeout_seconds":60}`)
	got := d.ask(t, "anonymous", http.MethodGet, "/_dev/due", "")
	var list []struct {
		Kind string    `json:"kind"`
		ID   string    `json:"id"`
		At   time.Time `json:"at"`
	}
	if err := json.Unmarshal([]byte(got.body), &list); err != nil {
		t.Fatalf("%s: %v", got.body, err)
	}
	now := d.dev.Clock.Now()
	if len(list) != 2 || list[0].Kind != "interaction" || list[1].Kind != "lobby" || !list[0].At.After(now) || list[1].At.Before(list[0].At) {
		t.Errorf("%s falls due, want the interaction and then the lobby", got.body)
	}
}
