package server

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/world"
)

// eventWorld has an application, its owner, and a guild with a channel.
const eventWorld = `
users: [{id: "700000000000000001", username: ada, token: user-P4wZ9gT1uM7eY5hC8q}]
applications: [{id: "` + echo + `", name: Echo, owner: "700000000000000001", bot_token: ` + token + `, client_secret: client-P4wZ9gT1uM7eY5hC8q,
  integration_types: [0, 1], redirect_uris: ["https://echo.example/cb"],
  skus: [{id: "900000000000000090", name: Gold, type: 3}]}]
guilds: [{id: "900000000000000001", name: Lab, owner: "700000000000000001", channels: [{id: "900000000000000010", name: general}],
  members: [{user: "700000000000000001"}]}]
`

// listener is an app that gets event webhooks.
type listener struct {
	*httptest.Server

	mu     sync.Mutex
	key    ed25519.PublicKey
	events []string // "TYPE DATA"
}

// listen starts an app that answers 401 to wrong signatures, unless it is careless.
func listen(t *testing.T, careless bool) *listener {
	t.Helper()
	l := &listener{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		signature, err := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		if !careless && (err != nil || !ed25519.Verify(l.key, append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), signature)) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var e struct {
			Type  int `json:"type"`
			Event struct {
				Type string          `json:"type"`
				Data json.RawMessage `json:"data"`
			} `json:"event"`
		}
		if err := json.Unmarshal(body, &e); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		if e.Type == 1 {
			l.events = append(l.events, e.Event.Type+" "+string(e.Event.Data))
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(l.Close)
	return l
}

// next waits for event number n, and checks that it contains texts.
func (l *listener) next(t *testing.T, n int, want ...string) {
	t.Helper()
	var got string
	for end := time.Now().Add(30 * time.Second); got == ""; clock.Pause(t.Context(), 5*time.Millisecond) {
		l.mu.Lock()
		all := slices.Clone(l.events)
		l.mu.Unlock()
		if len(all) > n {
			got = all[n]
		} else if time.Now().After(end) {
			t.Fatalf("waited 30 s for event %d with %q; the app got %q", n, want, all)
		}
	}
	for _, text := range want {
		if !strings.Contains(got, text) {
			t.Errorf("event %d is %s, want %s in it", n, got, text)
		}
	}
}

// TestEventWebhooks sets the URL of event webhooks, and causes an event of each type that the service sends.
func TestEventWebhooks(t *testing.T) {
	t.Parallel()
	w, err := world.Parse("world.yaml", []byte(eventWorld))
	if err != nil {
		t.Fatal(err)
	}
	r := runServer(t, Config{Data: t.TempDir(), World: &w, Dev: true})
	call := func(as, method, path, body string, want int) string {
		t.Helper()
		status, text := askAs(t, as, method, r.base+path, strings.NewReader(body))
		if status != want {
			t.Fatalf("%s %s: %d %s, want %d", method, path, status, text, want)
		}
		return text
	}
	const bot, user, me = "Bot " + token, "user-P4wZ9gT1uM7eY5hC8q", "/api/v10/applications/@me"
	app, careless := listen(t, false), listen(t, true)
	_, rest, _ := strings.Cut(call(bot, "GET", me, "", 200), `"verify_key":"`)
	if app.key, err = hex.DecodeString(rest[:64]); err != nil {
		t.Fatal(err)
	}
	refused := call(bot, "PATCH", me, `{"event_webhooks_url":"`+careless.URL+`"}`, 400)
	if !strings.Contains(refused, `"event_webhooks_url":{"_errors":[{"code":"APPLICATION_EVENT_WEBHOOKS_URL_INVALID"`) || !strings.Contains(refused, "answered 204 instead of 401") {
		t.Errorf("an app that takes any signature: %s", refused)
	}
	if text := call(bot, "GET", me, "", 200); !strings.Contains(text, `"event_webhooks_url":null`) {
		t.Errorf("after a refusal: %s", text)
	}
	set := call(bot, "PATCH", me, `{"event_webhooks_url":"`+app.URL+`","event_webhooks_status":2,"event_webhooks_types":["LOBBY_MESSAGE_UPDATE",
		"LOBBY_MESSAGE_CREATE","LOBBY_MESSAGE_DELETE","APPLICATION_AUTHORIZED","APPLICATION_DEAUTHORIZED","ENTITLEMENT_CREATE","ENTITLEMENT_UPDATE",
		"ENTITLEMENT_DELETE"]}`, 200)
	if want := `"event_webhooks_url":"` + app.URL + `","event_webhooks_status":2,"event_webhooks_types":["APPLICATION_AUTHORIZED","APPLICATION_DEAUTHORIZED",` +
		`"ENTITLEMENT_CREATE","ENTITLEMENT_DELETE","ENTITLEMENT_UPDATE","LOBBY_MESSAGE_CREATE","LOBBY_MESSAGE_DELETE","LOBBY_MESSAGE_UPDATE"]`; !strings.Contains(set, want) {
		t.Errorf("the application is %s, want %s", set, want)
	}

	authorize := "/api/v10/oauth2/authorize?client_id=" + echo
	call(user, "POST", authorize+"&scope=bot+applications.commands&permissions=3072&guild_id=900000000000000001", `{"authorize":true}`, 200)
	app.next(t, 0, `APPLICATION_AUTHORIZED {"integration_type":0,"user":{"id":"700000000000000001"`, `"scopes":["bot","applications.commands"]`, `"guild":{"id":"900000000000000001"`)
	call(user, "POST", authorize+"&scope=applications.commands&integration_type=1", `{"authorize":true}`, 200)
	app.next(t, 1, `APPLICATION_AUTHORIZED {"integration_type":1,"user":`, `"scopes":["applications.commands"]}`)
	call(user, "POST", authorize+"&scope=identify&response_type=code&redirect_uri=https%3A%2F%2Fecho.example%2Fcb", `{"authorize":true}`, 200)
	app.next(t, 2, `APPLICATION_AUTHORIZED {"user":`, `"scopes":["identify"]}`)

	minted := call("", "POST", "/_dev/token", `{"application":"`+echo+`","user":"700000000000000001","scopes":["sdk.social_layer"]}`, 200)
	player := "Bearer " + strings.Split(minted, `"`)[3]
	made := call(bot, "POST", "/api/v10/lobbies", `{"members":[{"id":"700000000000000001","flags":1}]}`, 201)
	lobby := "/api/v10/lobbies/" + strings.Split(made, `"`)[3]
	sent := call(player, "POST", lobby+"/messages", `{"content":"hi"}`, 201)
	app.next(t, 3, "LOBBY_MESSAGE_CREATE "+sent)
	call(bot, "PUT", lobby+"/messages/"+strings.Split(sent, `"`)[3]+"/moderation-metadata", `{"score":"1"}`, 204) // no event
	call(player, "PATCH", lobby+"/channel-linking", `{"channel_id":"900000000000000010"}`, 200)
	posted := call(bot, "POST", "/api/v10/channels/900000000000000010/messages", `{"content":"from the bot"}`, 200)
	app.next(t, 4, `LOBBY_MESSAGE_CREATE {"id":"`, `"content":"from the bot"`, `"channel_id":"900000000000000010"`, `"flags":0}`)
	message := "/api/v10/channels/900000000000000010/messages/" + strings.Split(posted, `"`)[3]
	call(bot, "PATCH", message, `{"content":"edited"}`, 200)
	app.next(t, 5, `LOBBY_MESSAGE_UPDATE {"id":"`, `"content":"edited"`, `"edited_timestamp":"`)
	call(bot, "DELETE", message, "", 204)
	app.next(t, 6, `LOBBY_MESSAGE_DELETE {"id":"`+strings.Split(posted, `"`)[3]+`","lobby_id":"`+strings.Split(made, `"`)[3]+`"}`)

	call(user, "DELETE", "/api/v10/oauth2/tokens/"+echo, "", 204)
	app.next(t, 7, `APPLICATION_DEAUTHORIZED {"user":{"id":"700000000000000001"`)

	entitlements := "/api/v10/applications/" + echo + "/entitlements"
	granted := call(bot, "POST", entitlements, `{"sku_id":"900000000000000090","owner_id":"700000000000000001","owner_type":2}`, 200)
	entitlement := strings.Split(granted, `"`)[3]
	app.next(t, 8, `ENTITLEMENT_CREATE {"id":"`+entitlement+`","sku_id":"900000000000000090"`, `"user_id":"700000000000000001"`)
	call(bot, "POST", entitlements+"/"+entitlement+"/consume", "", 204)
	app.next(t, 9, `ENTITLEMENT_UPDATE {"id":"`+entitlement, `"consumed":true`)
	call(bot, "DELETE", entitlements+"/"+entitlement, "", 204)
	app.next(t, 10, `ENTITLEMENT_DELETE {"id":"`+entitlement, `"deleted":true`)

	var traffic []struct {
		Kind  string `json:"kind"`
		Route string `json:"route"`
		Valid bool   `json:"signature_valid"`
	}
	if err := json.Unmarshal([]byte(call("", "GET", "/_dev/requests?kind=event", "", 200)), &traffic); err != nil || len(traffic) != 11 {
		t.Errorf("the traffic has %+v, %v, want 11 events", traffic, err)
	}
	for _, e := range traffic {
		if e.Kind != "event" || !e.Valid || !strings.Contains(e.Route, "_") {
			t.Errorf("an entry of the traffic is %+v", e)
		}
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
}
