package load_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/tools/load"
)

// TestWatcher checks that the time until an app sees a message counts from the request, that each message counts once, and that
// messages of bots and events for people do not count.
func TestWatcher(t *testing.T) {
	t.Parallel()
	frames := make(chan string, 16)
	frame := func(app, id, author string) string {
		body := fmt.Sprintf(`{\"op\":0,\"t\":\"MESSAGE_CREATE\",\"d\":{\"id\":\"%s\",\"author\":{%s}}}`, id, author)
		return fmt.Sprintf("id: 1\nevent: frame\ndata: {\"kind\":\"frame\",\"method\":\"sent\",%s\"request\":{\"body\":\"%s\"}}\n\n", app, body)
	}
	const bot = `"application_id":"100",`
	ended := make(chan struct{})
	written := 0
	l := target(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/_dev/requests" {
			if r.URL.RawQuery != "kind=frame&route=MESSAGE_CREATE" || r.Header.Get("Accept") != "text/event-stream" {
				t.Errorf("%s with %v", r.URL, r.Header)
			}
			for {
				_, _ = io.WriteString(w, ":\n\n")
				_ = http.NewResponseController(w).Flush()
				select {
				case text := <-frames:
					_, _ = io.WriteString(w, text)
				case <-r.Context().Done():
					return
				case <-ended:
					return
				}
			}
		}
		body, err := io.ReadAll(r.Body)
		if r.URL.Path != "/_dev/say" || err != nil || string(body) != `{"as":"200","in":"310","content":"hi"}` {
			t.Errorf("%s %s, %v", r.URL, body, err)
		}
		written++
		id := strconv.Itoa(900 + written)
		frames <- frame(``, id, ``) // to a person
		frames <- frame(bot, id, ``)
		frames <- frame(bot, id, ``)                     // to a second session
		frames <- frame(bot, "7"+id, `\\\"bot\\\":true`) // an answer of the bot
		_, _ = io.WriteString(w, `{"message":{"id":"`+id+`"},"answers":[]}`)
	})
	defer close(ended)
	var err error
	if l.Watcher, err = load.Watch(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	in := load.Invocation{As: "200", In: "310", Line: "hi", Say: true}
	for range 3 {
		if got := l.Send(t.Context(), in); got != (load.Outcome{Answer: "written"}) {
			t.Errorf("Send() = %+v", got)
		}
	}
	if seen := l.Watcher.Close(t.Context(), 20*time.Second); seen.Messages != 3 || seen.Latency.Max <= 0 {
		t.Errorf("seen %+v, want 3 messages", seen)
	}
}

// TestWatcherRefused checks the failures of messages and of the stream.
func TestWatcherRefused(t *testing.T) {
	t.Parallel()
	l := target(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"message":"Missing Permissions","code":50013}`)
	})
	if _, err := load.Watch(t.Context(), l); err == nil || !strings.Contains(err.Error(), "status 403") {
		t.Errorf("Watch() = %v, want the status", err)
	}
	got := l.Send(t.Context(), load.Invocation{As: "200", In: "310", Line: "hi", Say: true})
	if got.Failure != "refused: Missing Permissions (403, code 50013)" {
		t.Errorf("Send() = %+v", got)
	}
}
