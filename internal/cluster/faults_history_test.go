package cluster

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// lobbyHistory records the operations of clients on one lobby in a round: they write unique values to its metadata and read them.
type lobbyHistory struct {
	id string

	mu       sync.Mutex
	value    string // at the start of the round
	next     int
	ops      []porcupine.Operation
	clients  int
	acked    []ackedWrite
	slowest  time.Duration
	refused  int
	unread   int
	writes   int
	reads    int
	lastSeen string // at the end of the round

	refusedBy []int // per node: refused writes and reads
}

// ackedWrite is a write that was acknowledged.
type ackedWrite struct {
	value      string
	call, done int64
}

// registerOp is an operation on a register with unique values: a write, or a read that saw a value.
type registerOp struct {
	write bool
	value string
}

// register is the model of a lobby's metadata.
var register = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		op := input.(registerOp)
		if op.write {
			return true, op.value
		}
		return output.(string) == state.(string), state
	},
}

func (h *lobbyHistory) beginRound(nodes int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops, h.acked, h.slowest, h.refused, h.unread, h.writes, h.reads = nil, nil, 0, 0, 0, 0, 0
	h.refusedBy = make([]int, nodes)
	now := time.Now().UnixNano()
	h.ops = append(h.ops, porcupine.Operation{Input: registerOp{true, h.value}, Call: now, Return: now, Output: ""})
}

// newValue returns a value that was not used before.
func (h *lobbyHistory) newValue() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	return strconv.Itoa(h.next)
}

// minPause and maxPause bound the pause of a client between two requests. The pause keeps histories short enough to check.
const (
	minPause = 15 * time.Millisecond
	maxPause = time.Second
)

// pause waits after a request, or until ctx ends. It waits longer after a slow request, so that clients do not use all of a busy
// machine.
func pause(ctx context.Context, took time.Duration) {
	select {
	case <-time.After(min(max(minPause, 10*took), maxPause)):
	case <-ctx.Done():
	}
}

// edit writes values at node i until ctx ends.
func (c *faultTest) edit(ctx context.Context, i int, h *lobbyHistory) {
	for ctx.Err() == nil {
		v := h.newValue()
		p := c.node(i)
		call := time.Now()
		status, text, err := p.Send(c.t.Context(), "PATCH", "/api/v10/lobbies/"+h.id, "Bot bot-V7mQ2xK9tR4zL8pW3n-0", `{"metadata":{"n":"`+v+`"}}`)
		done := time.Now()
		h.mu.Lock()
		op := porcupine.Operation{ClientId: h.clients, Input: registerOp{true, v}, Call: call.UnixNano(), Return: forever, Output: ""}
		h.clients++
		switch {
		case err == nil && status == 200:
			op.Return = done.UnixNano()
			h.acked = append(h.acked, ackedWrite{v, call.UnixNano(), done.UnixNano()})
			h.writes++
		case err == nil && status != 503:
			c.failf("write: %d %s", status, text)
		default: // the write may take place now or later
			h.refused++
			h.refusedBy[i]++
		}
		h.ops = append(h.ops, op)
		h.answered(c, p, err, done.Sub(call))
		h.mu.Unlock()
		pause(ctx, done.Sub(call))
	}
}

// read reads at node i until ctx ends.
func (c *faultTest) read(ctx context.Context, i int, h *lobbyHistory) {
	for ctx.Err() == nil {
		p := c.node(i)
		call := time.Now()
		v, status, err := h.get(c, p.Send)
		done := time.Now()
		h.mu.Lock()
		if err == nil && status == 200 {
			h.ops = append(h.ops, porcupine.Operation{
				ClientId: h.clients, Input: registerOp{}, Call: call.UnixNano(), Return: done.UnixNano(), Output: v,
			})
			h.clients++
			h.reads++
		} else {
			h.unread++
			h.refusedBy[i]++
		}
		if err == nil && status != 200 && status != 503 {
			c.failf("read: %d", status)
		}
		h.answered(c, p, err, done.Sub(call))
		h.mu.Unlock()
		pause(ctx, done.Sub(call))
	}
}

// answered records a response time, unless the node was stopped or killed.
func (h *lobbyHistory) answered(c *faultTest, p *process, err error, took time.Duration) {
	if err == nil && !c.isPaused(p) {
		h.slowest = max(h.slowest, took)
	}
}

// get reads the value with the send or SendUntilAvailable of a node.
func (h *lobbyHistory) get(c *faultTest, send func(ctx context.Context, method, path, token, body string) (int, string, error)) (string, int, error) {
	status, text, err := send(c.t.Context(), "GET", "/api/v10/lobbies/"+h.id, "Bot bot-V7mQ2xK9tR4zL8pW3n-0", "")
	_, rest, _ := strings.Cut(text, `"n":"`)
	v, _, _ := strings.Cut(rest, `"`)
	return v, status, err
}

// readFinal reads the value from all nodes after the load has ended. It must be the same on all of them.
func (c *faultTest) readFinal(h *lobbyHistory) {
	c.t.Helper()
	var first string
	for i := range c.nodes {
		call := time.Now()
		v, status, err := h.get(c, c.node(i).SendUntilAvailable)
		if err != nil || status != 200 {
			c.failf("read after the round: %d %v", status, err)
			return
		}
		h.ops = append(h.ops, porcupine.Operation{
			ClientId: h.clients, Input: registerOp{}, Call: call.UnixNano(), Return: time.Now().UnixNano(), Output: v,
		})
		h.clients++
		if i == 0 {
			first = v
		}
		if v != first {
			c.failf("lobby %s has value %s on one node and %s on another", h.id, first, v)
		}
	}
	h.lastSeen = first
}

// forever is the return time of an operation with an unknown result.
const forever = 1<<62 - 1

// observed returns the history without failed writes whose value no client read. They do not affect linearizability: such a
// write can have taken place at the end, or not at all.
func (h *lobbyHistory) observed() []porcupine.Operation {
	seen := map[string]bool{}
	for _, op := range h.ops {
		if !op.Input.(registerOp).write {
			seen[op.Output.(string)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(h.ops), func(op porcupine.Operation) bool {
		return op.Return == forever && !seen[op.Input.(registerOp).value]
	})
}

// checkLinearizable checks that the history of a lobby in this round is linearizable, and adds its counts to row.
func (c *faultTest) checkLinearizable(h *lobbyHistory, row *faultRow) {
	c.t.Helper()
	row.writes += h.writes
	row.refused += h.refused
	row.reads += h.reads
	row.unread += h.unread
	row.slowest = max(row.slowest, h.slowest)
	ops := h.observed()
	switch porcupine.CheckOperationsTimeout(register, ops, 20*time.Second) {
	case porcupine.Illegal:
		c.failf("the history of lobby %s (%d operations) is not linearizable: a write was lost, or a read went back", h.id, len(ops))
	case porcupine.Unknown:
		c.failf("the history of lobby %s (%d operations) could not be checked in time", h.id, len(ops))
	case porcupine.Ok:
	}
	h.value = h.lastSeen
}
