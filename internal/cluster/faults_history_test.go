package cluster

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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

	refusedBy [faultNodes]int // per node: refused writes and reads
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

func (h *lobbyHistory) beginRound() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops, h.acked, h.slowest, h.refused, h.unread, h.writes, h.reads = nil, nil, 0, 0, 0, 0, 0
	h.refusedBy = [faultNodes]int{}
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
		status, text, err := p.Send(c.t.Context(), "PATCH", "/api/v10/lobbies/"+h.id, "Bot bot-token-of-application-0", `{"metadata":{"n":"`+v+`"}}`)
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
			c.t.Errorf("write: %d %s", status, text)
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
			c.t.Errorf("read: %d", status)
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

// get reads the value with the send or sendPatiently of a node.
func (h *lobbyHistory) get(c *faultTest, send func(ctx context.Context, method, path, token, body string) (int, string, error)) (string, int, error) {
	status, text, err := send(c.t.Context(), "GET", "/api/v10/lobbies/"+h.id, "Bot bot-token-of-application-0", "")
	_, rest, _ := strings.Cut(text, `"n":"`)
	v, _, _ := strings.Cut(rest, `"`)
	return v, status, err
}

// readFinal reads the value from all nodes after the load has ended. It must be the same on all of them.
func (c *faultTest) readFinal(h *lobbyHistory) {
	c.t.Helper()
	var first string
	for i := range faultNodes {
		call := time.Now()
		v, status, err := h.get(c, c.node(i).SendPatiently)
		if err != nil || status != 200 {
			c.t.Errorf("read after the round: %d %v", status, err)
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
			c.t.Errorf("lobby %s has value %s on one node and %s on another", h.id, first, v)
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

// checkLinearizable checks that the history of the round is linearizable, and adds its counts to row.
func (h *lobbyHistory) checkLinearizable(t *testing.T, fault string, row *faultRow) {
	t.Helper()
	row.writes += h.writes
	row.refused += h.refused
	row.reads += h.reads
	row.unread += h.unread
	row.slowest = max(row.slowest, h.slowest)
	ops := h.observed()
	switch porcupine.CheckOperationsTimeout(register, ops, 20*time.Second) {
	case porcupine.Illegal:
		t.Errorf("%s: the history of lobby %s (%d operations) is not linearizable", fault, h.id, len(ops))
	case porcupine.Unknown:
		t.Errorf("%s: the history of lobby %s (%d operations) could not be checked in time", fault, h.id, len(ops))
	case porcupine.Ok:
	}
	h.value = h.lastSeen
}

// eventClient is a gateway client of one node that receives the events of the lobbies. It resumes its session when its connection
// ends, at another node after op 7, and identifies again after op 9.
type eventClient struct {
	faultTest *faultTest
	node      int
	token     string

	mu       sync.Mutex // guards node, too
	stopped  bool
	current  net.Conn
	sessions []*eventSession
	done     chan struct{}
}

// eventSession records the values of each lobby that one session received, in order.
type eventSession struct {
	began, ended int64 // time of READY and of op 9; ended is 0 while the session lasts
	received     map[string][]string
	checked      map[string]int // per lobby: how many values earlier rounds have checked
}

func (l *eventClient) begin() {
	l.done = make(chan struct{})
	ready := make(chan struct{})
	go l.run(ready) // stop waits for it
	<-ready
}

func (l *eventClient) stop() {
	l.mu.Lock()
	l.stopped = true
	if l.current != nil {
		_ = l.current.Close()
	}
	l.mu.Unlock()
	<-l.done
}

func (l *eventClient) isStopped() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopped
}

// run starts one session after another until the client is stopped.
func (l *eventClient) run(ready chan struct{}) {
	defer close(l.done)
	for !l.isStopped() {
		s := &eventSession{received: map[string][]string{}, checked: map[string]int{}}
		v := &reconnectingClient{token: l.token}
		v.onEvent = func(name string, d jsontext.Value) { l.record(s, name, d) }
		l.session(s, v, ready)
	}
}

// session identifies at the node and reads events, resuming over new connections, until it gets op 9.
func (l *eventClient) session(s *eventSession, v *reconnectingClient, ready chan struct{}) {
	for resume := false; !l.isStopped(); time.Sleep(50 * time.Millisecond) {
		p := l.faultTest.node(l.node)
		if err := v.connect(p, resume); err != nil {
			continue
		}
		l.mu.Lock()
		l.current = v.conn
		stopped := l.stopped
		l.mu.Unlock()
		if stopped {
			_ = v.conn.Close()
			return
		}
		for {
			name, err := v.next()
			if err != nil {
				break
			}
			if name == "op 7" {
				l.move()
				break
			}
			switch name {
			case "READY":
				resume = true
				l.mu.Lock()
				s.began = time.Now().UnixNano()
				l.sessions = append(l.sessions, s)
				l.mu.Unlock()
				select {
				case <-ready:
				default:
					close(ready)
				}
			case "op 9":
				_ = v.conn.Close()
				l.mu.Lock()
				s.ended = time.Now().UnixNano()
				l.mu.Unlock()
				return
			}
		}
		_ = v.conn.Close()
	}
}

// move lets the client connect to another node from now on.
func (l *eventClient) move() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.node = (l.node + faultNodes - 1) % faultNodes
}

// record records the value in a LOBBY_UPDATE event.
func (l *eventClient) record(s *eventSession, name string, d jsontext.Value) {
	if name != "LOBBY_UPDATE" {
		return
	}
	var lobby struct {
		ID       string            `json:"id"`
		Metadata map[string]string `json:"metadata"`
	}
	if err := json.Unmarshal(d, &lobby); err != nil {
		l.faultTest.t.Error(err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.received[lobby.ID] = append(s.received[lobby.ID], lobby.Metadata["n"])
}

// catchUp waits until the current session has received the last value of every lobby that was written during the session.
func (l *eventClient) catchUp() {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if l.caughtUp() {
			return
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faultTest.t.Errorf("the client of node %d did not receive the last values", l.node)
}

func (l *eventClient) caughtUp() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sessions[len(l.sessions)-1]
	if s.ended != 0 {
		return false
	}
	for _, h := range l.faultTest.lobbies {
		list := s.received[h.id]
		wrote := slices.ContainsFunc(h.acked, func(w ackedWrite) bool { return w.call > s.began })
		if wrote && (len(list) == 0 || list[len(list)-1] != h.lastSeen) {
			return false
		}
	}
	return true
}

// checkEvents checks the values that sessions received in a round. A session must receive each value once, and all acknowledged
// writes that it lasted for. The order must be the same for all sessions and agree with the order of acknowledged writes.
func checkEvents(t *testing.T, fault string, lobbies []*lobbyHistory, clients []*eventClient, row *faultRow) {
	t.Helper()
	for _, h := range lobbies {
		var orders [][]string
		for _, l := range clients {
			l.mu.Lock()
			for _, s := range l.sessions {
				list := s.received[h.id][s.checked[h.id]:]
				s.checked[h.id] += len(list)
				row.events += len(list)
				if err := checkSession(h, s, list); err != nil {
					t.Errorf("%s: node %d: %v", fault, l.node, err)
				}
				orders = append(orders, list)
			}
			l.mu.Unlock()
		}
		for i := 1; i < len(orders); i++ {
			if err := sameOrder(orders[0], orders[i]); err != nil {
				t.Errorf("%s: lobby %s: %v", fault, h.id, err)
			}
		}
	}
	for _, l := range clients {
		l.mu.Lock()
		row.invalid += len(l.sessions) - 1
		l.sessions = l.sessions[len(l.sessions)-1:]
		l.mu.Unlock()
	}
}

// checkSession checks the values of a lobby that one session received in a round.
func checkSession(h *lobbyHistory, s *eventSession, list []string) error {
	at := map[string]int{}
	for i, v := range list {
		if _, twice := at[v]; twice {
			return fmt.Errorf("lobby %s: %s was received twice: %v", h.id, v, list)
		}
		at[v] = i
	}
	for _, w := range h.acked {
		// The session began before the write and still lasts.
		if _, received := at[w.value]; !received && s.began < w.call && s.ended == 0 {
			return fmt.Errorf("lobby %s: the acknowledged write of %s was not received: %v", h.id, w.value, list)
		}
	}
	for _, a := range h.acked {
		for _, b := range h.acked {
			i, first := at[a.value]
			j, second := at[b.value]
			if first && second && a.done < b.call && i > j {
				return fmt.Errorf("lobby %s: %s was acknowledged before %s was sent, but received after it", h.id, a.value, b.value)
			}
		}
	}
	return nil
}

// sameOrder checks that two sessions received their common values in the same order.
func sameOrder(a, b []string) error {
	at := map[string]int{}
	for i, v := range a {
		at[v] = i
	}
	last := -1
	for _, v := range b {
		i, both := at[v]
		if both && i < last {
			return fmt.Errorf("two sessions received values in different orders: %v and %v", a, b)
		}
		if both {
			last = i
		}
	}
	return nil
}
