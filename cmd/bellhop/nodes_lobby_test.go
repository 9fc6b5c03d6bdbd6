package main

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

// wireLobby is what a lobby looks like to a backend.
type wireLobby struct {
	Metadata map[string]string `json:"metadata"`
	Members  []wireMember      `json:"members"`
}

type wireMember struct {
	ID       string            `json:"id"`
	Metadata map[string]string `json:"metadata"`
	Flags    int               `json:"flags"`
}

// TestNodesLobby changes lobbies at one node and reads them at another, again and again: every read shows every write before it,
// members in the order in which they joined.
func TestNodesLobby(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 3, "--limits", "off")
	var wg sync.WaitGroup
	for n := range 6 {
		wg.Go(func() { changeLobby(t, f, rand.New(rand.NewPCG(uint64(n), 7))) })
	}
	wg.Wait()
}

func changeLobby(t *testing.T, f *fleet, random *rand.Rand) {
	send := func(method, path, body string, want int) string {
		t.Helper()
		status, text, err := f.nodes[random.IntN(len(f.nodes))].send(t.Context(), method, path, "Bot token-0", body)
		if err != nil || status != want {
			t.Errorf("%s %s: %d %s %v", method, path, status, text, err)
		}
		return text
	}
	made := send(http.MethodPost, "/api/v10/lobbies", `{"metadata":{"step":"0"}}`, 201)
	if t.Failed() {
		return
	}
	path := "/api/v10/lobbies/" + strings.Split(made, `"`)[3]
	model := wireLobby{Metadata: map[string]string{"step": "0"}, Members: []wireMember{}}
	for step := range 120 {
		m := wireMember{ID: strconv.Itoa(500 + random.IntN(12)), Flags: random.IntN(2), Metadata: map[string]string{"at": strconv.Itoa(step)}}
		there := slices.IndexFunc(model.Members, func(o wireMember) bool { return o.ID == m.ID })
		switch choice := random.IntN(10); {
		case choice < 6:
			send(http.MethodPut, path+"/members/"+m.ID, fmt.Sprintf(`{"flags":%d,"metadata":{"at":"%d"}}`, m.Flags, step), 200)
			if there >= 0 {
				model.Members[there] = m
			} else {
				model.Members = append(model.Members, m)
			}
		case choice < 9:
			send(http.MethodDelete, path+"/members/"+m.ID, "", 204)
			if there >= 0 {
				model.Members = slices.Delete(model.Members, there, there+1)
			}
		default:
			send(http.MethodPatch, path, fmt.Sprintf(`{"metadata":{"step":"%d"}}`, step), 200)
			model.Metadata = map[string]string{"step": strconv.Itoa(step)}
		}
		var shown wireLobby
		if err := json.Unmarshal([]byte(send(http.MethodGet, path, "", 200)), &shown); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(model, shown); diff != "" || t.Failed() {
			t.Errorf("step %d (-want +got):\n%s", step, diff)
			return
		}
	}
}
