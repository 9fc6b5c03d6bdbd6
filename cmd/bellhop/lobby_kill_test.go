package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
)

// lobbyKey is the token that keeps the lobbies of these tests.
const lobbyKey = "Bot dev-lobby"

// TestKillLobbies pulls the plug while members are let into lobbies, more than once on the same data: every acknowledged
// member is there afterwards, and nobody whom no request named.
func TestKillLobbies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	worldFile := filepath.Join(dir, "world.yaml")
	world := "users: [{id: \"200000000000000000\", username: ada}]\n" +
		"applications: [{id: \"130000000000000000\", name: Game, owner: \"200000000000000000\", bot_token: dev-lobby}]\n"
	if err := os.WriteFile(worldFile, []byte(world), 0o600); err != nil {
		t.Fatal(err)
	}
	begin := func() *process {
		return start(t, "serve", "--data", dir, "--world", worldFile, "--listen", "127.0.0.1:0", "--limits", "off")
	}
	const rooms = 8
	p := begin()
	ids := make([]string, rooms)
	for i := range ids {
		status, text, err := p.send(t.Context(), "POST", "/api/v10/lobbies", lobbyKey, `{"idle_timeout_seconds":604800}`)
		if err != nil || status != 201 {
			t.Fatalf("create: %d %s %v", status, text, err)
		}
		ids[i] = strings.Split(text, `"`)[3]
	}
	let := make([]int, rooms) // how many members each lobby was told it has
	for round := range 3 {
		fill(t, p, ids, let, 100*(round+1))
		_ = p.Wait()
		p = begin()
		for i, id := range ids {
			let[i] = checkMembers(t, p, id, let[i])
		}
	}
	p.stop(t)
}

// fill lets members into all lobbies at once, in the order of their ids, and kills the process after so many answers.
func fill(t *testing.T, p *process, ids []string, let []int, answers int) {
	t.Helper()
	var answered atomic.Int32
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			for {
				path := fmt.Sprintf("/api/v10/lobbies/%s/members/%d", id, let[i]+1)
				status, text, err := p.send(context.WithoutCancel(t.Context()), "PUT", path, lobbyKey, fmt.Sprintf(`{"metadata":{"n":"%d"}}`, let[i]+1))
				if err != nil {
					return // the plug was pulled
				}
				if status != 200 {
					t.Errorf("put a member: %d %s", status, text)
					return
				}
				let[i]++
				if int(answered.Add(1)) == answers {
					_ = p.Process.Kill() // it runs: it just answered
				}
			}
		})
	}
	wg.Wait()
}

// checkMembers checks that a lobby has the members 1, 2, 3 … in that order, at least as many as it was told, and at most
// one more: the one that was under way. It returns how many there are.
func checkMembers(t *testing.T, p *process, id string, told int) int {
	t.Helper()
	status, text, err := p.send(t.Context(), "GET", "/api/v10/lobbies/"+id, lobbyKey, "")
	if err != nil || status != 200 {
		t.Fatalf("read: %d %s %v", status, text, err)
	}
	var lobby struct {
		Members []struct {
			ID       string            `json:"id"`
			Metadata map[string]string `json:"metadata"`
		} `json:"members"`
	}
	if err := json.Unmarshal([]byte(text), &lobby); err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(lobby.Members))
	want := make([]string, len(lobby.Members))
	for i, m := range lobby.Members {
		got[i], want[i] = m.ID+m.Metadata["n"], strconv.Itoa(i+1)+strconv.Itoa(i+1)
	}
	if n := len(got); n < told || n > told+1 || !slices.Equal(got, want) {
		t.Errorf("a lobby that was told of %d members has %v", told, got)
	}
	return len(got)
}
