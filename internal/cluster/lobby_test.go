package cluster

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// wireLobby is a lobby in the responses of the API.
type wireLobby struct {
	Metadata map[string]string `json:"metadata"`
	Members  []wireMember      `json:"members"`
}

type wireMember struct {
	ID       string            `json:"id"`
	Metadata map[string]string `json:"metadata"`
	Flags    int               `json:"flags"`
}

// TestNodesLobby changes lobbies at random nodes and reads them at others. Every read must show all earlier writes, and the
// members in the order in which they joined.
func TestNodesLobby(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 3, "--limits", "off")
	var wg sync.WaitGroup
	for n := range 6 {
		wg.Go(func() { changeLobby(t, cl, rand.New(rand.NewPCG(uint64(n), 7))) })
	}
	wg.Wait()
}

// changeLobby makes random changes to a lobby and compares it with a model after each.
func changeLobby(t *testing.T, cl *cluster, random *rand.Rand) {
	send := func(method, path, body string, want int) string {
		t.Helper()
		status, text, err := cl.nodes[random.IntN(len(cl.nodes))].Send(t.Context(), method, path, "Bot bot-V7mQ2xK9tR4zL8pW3n-0", body)
		if err != nil || status != want {
			t.Errorf("%s %s: %d %s %v", method, path, status, text, err)
		}
		return text
	}
	created := send(http.MethodPost, "/api/v10/lobbies", `{"metadata":{"step":"0"}}`, 201)
	if t.Failed() {
		return
	}
	path := "/api/v10/lobbies/" + strings.Split(created, `"`)[3]
	model := wireLobby{Metadata: map[string]string{"step": "0"}, Members: []wireMember{}}
	for step := range 120 {
		m := wireMember{ID: strconv.Itoa(500 + random.IntN(12)), Flags: random.IntN(2), Metadata: map[string]string{"at": strconv.Itoa(step)}}
		index := slices.IndexFunc(model.Members, func(o wireMember) bool { return o.ID == m.ID })
		switch choice := random.IntN(10); {
		case choice < 6:
			send(http.MethodPut, path+"/members/"+m.ID, fmt.Sprintf(`{"flags":%d,"metadata":{"at":"%d"}}`, m.Flags, step), 200)
			if index >= 0 {
				model.Members[index] = m
			} else {
				model.Members = append(model.Members, m)
			}
		case choice < 9:
			send(http.MethodDelete, path+"/members/"+m.ID, "", 204)
			if index >= 0 {
				model.Members = slices.Delete(model.Members, index, index+1)
			}
		default:
			send(http.MethodPatch, path, fmt.Sprintf(`{"metadata":{"step":"%d"}}`, step), 200)
			model.Metadata = map[string]string{"step": strconv.Itoa(step)}
		}
		var got wireLobby
		if err := json.Unmarshal([]byte(send(http.MethodGet, path, "", 200)), &got); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(model, got); diff != "" || t.Failed() {
			t.Errorf("step %d (-want +got):\n%s", step, diff)
			return
		}
	}
}
