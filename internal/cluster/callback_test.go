package cluster

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// TestNodesCallback has an app respond with 202 to every interaction and send the callback at once, through another node than
// the one that delivered the interaction. All callbacks must succeed. BELLHOP_CALLBACKS sets the number of interactions.
func TestNodesCallback(t *testing.T) {
	t.Parallel()
	total := 300
	if n, err := strconv.Atoi(os.Getenv("BELLHOP_CALLBACKS")); err == nil {
		total = n
	}
	cl := startCluster(t, 1, "--dev", "--limits", "off")
	var nodes atomic.Pointer[[]*process]
	var next, answered, failed atomic.Int64
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var i struct {
			ID    string `json:"id"`
			Token string `json:"token"`
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &i)
		}
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusAccepted)
		_ = http.NewResponseController(w).Flush() // the callback does not wait for the end of this response
		list := *nodes.Load()
		status, text, err := list[next.Add(1)%int64(len(list))].Send(t.Context(), "POST",
			"/api/v10/interactions/"+i.ID+"/"+i.Token+"/callback", "", `{"type":4,"data":{"content":"pong"}}`)
		if err != nil || status != 204 {
			failed.Add(1)
			t.Errorf("callback: %d %s %v", status, text, err)
			return
		}
		answered.Add(1)
	}))
	t.Cleanup(app.Close)
	world := strings.Replace(guildWorld, "bot_token: bot-V7mQ2xK9tR4zL8pW3n-0", `bot_token: bot-V7mQ2xK9tR4zL8pW3n-0, interactions_endpoint_url: "`+app.URL+`"`, 1)
	if world == guildWorld {
		t.Fatal("guildWorld has no application with bot-V7mQ2xK9tR4zL8pW3n-0")
	}
	if err := os.WriteFile(cl.world, []byte(world), 0o600); err != nil {
		t.Fatal(err)
	}
	cl.nodes = append(cl.nodes, cl.start(t, 1), cl.start(t, 2))
	others := cl.nodes[1:]
	nodes.Store(&others)
	command := cl.nodes[1].registerRoll(t)
	var wg sync.WaitGroup
	var sent atomic.Int64
	for range 4 {
		wg.Go(func() {
			for n := sent.Add(1); n <= int64(total) && !t.Failed(); n = sent.Add(1) {
				cl.nodes[0].roll(t, command, fmt.Sprint("n", n))
			}
		})
	}
	wg.Wait()
	for end := time.Now().Add(20 * time.Second); answered.Load()+failed.Load() < int64(total) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if answered.Load() != int64(total) {
		t.Errorf("%d of %d callbacks succeeded", answered.Load(), total)
	}
	t.Logf("%d callbacks succeeded, %d failed", answered.Load(), failed.Load())
}
