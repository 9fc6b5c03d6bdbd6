package cluster

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// eventClient is a gateway client of one node that records the events it receives. It resumes its session when its connection
// ends, at another node after op 7, and identifies again after op 9.
type eventClient struct {
	faultTest *faultTest
	node      int
	token     string
	intents   int
	record    func(l *eventClient, s *eventSession, name string, d jsontext.Value)

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
	at           map[string]int64 // per lobby and value: when it was received
	checked      map[string]int   // per lobby: how many values earlier rounds have checked
}

func (l *eventClient) begin() {
	l.done = make(chan struct{})
	ready := make(chan struct{})
	go l.run(ready) // stop waits for it
	select {
	case <-ready:
	case <-time.After(30 * time.Second):
		l.faultTest.t.Fatalf("no READY for %s at node %d after 30 s\n%s", l.token, l.node, l.faultTest.logs())
	}
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
		s := &eventSession{received: map[string][]string{}, at: map[string]int64{}, checked: map[string]int{}}
		v := &reconnectingClient{token: l.token, intents: l.intents}
		v.onEvent = func(name string, d jsontext.Value) { l.record(l, s, name, d) }
		l.session(s, v, ready)
	}
}

// session identifies at the node and reads events, resuming over new connections, until it gets op 9.
func (l *eventClient) session(s *eventSession, v *reconnectingClient, ready chan struct{}) {
	for resume := false; !l.isStopped(); time.Sleep(50 * time.Millisecond) {
		l.mu.Lock()
		i := l.node
		l.mu.Unlock()
		p := l.faultTest.node(i)
		if err := v.connect(p, resume); err != nil {
			l.move() // clients do not insist on a node that does not answer
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
	n := len(l.faultTest.nodes)
	l.node = (l.node + n - 1) % n
}

// recordLobby records the value in a LOBBY_UPDATE event.
func recordLobby(l *eventClient, s *eventSession, name string, d jsontext.Value) {
	if name != "LOBBY_UPDATE" {
		return
	}
	var lobby struct {
		ID       string            `json:"id"`
		Metadata map[string]string `json:"metadata"`
	}
	if err := json.Unmarshal(d, &lobby); err != nil {
		l.faultTest.failf("LOBBY_UPDATE: %v", err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.received[lobby.ID] = append(s.received[lobby.ID], lobby.Metadata["n"])
	s.at[lobby.ID+" "+lobby.Metadata["n"]] = time.Now().UnixNano()
}

// catchUp waits until the current session has received the last value of every lobby that was written during the session.
func (l *eventClient) catchUp() {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if l.caughtUp() {
			return
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sessions[len(l.sessions)-1]
	for _, h := range l.faultTest.lobbies {
		list := s.received[h.id]
		l.faultTest.failf("the client of node %d: lobby %s has value %s, the last events have %v (session ended: %v)",
			l.node, h.id, h.lastSeen, list[max(0, len(list)-3):], s.ended != 0)
	}
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
func (c *faultTest) checkEvents(row *faultRow) {
	c.t.Helper()
	for _, h := range c.lobbies {
		var orders [][]string
		for _, l := range c.clients {
			l.mu.Lock()
			for _, s := range l.sessions {
				list := s.received[h.id][s.checked[h.id]:]
				s.checked[h.id] += len(list)
				row.events += len(list)
				row.lag = max(row.lag, lag(h, s))
				if err := checkSession(h, s, list); err != nil {
					c.failf("node %d: %v", l.node, err)
				}
				orders = append(orders, list)
			}
			l.mu.Unlock()
		}
		for i := 1; i < len(orders); i++ {
			if err := sameOrder(orders[0], orders[i]); err != nil {
				c.failf("lobby %s: %v", h.id, err)
			}
		}
	}
	for _, l := range c.clients {
		l.mu.Lock()
		row.invalid += len(l.sessions) - 1
		l.sessions = l.sessions[len(l.sessions)-1:]
		clear(l.sessions[0].at)
		l.mu.Unlock()
	}
}

// lag returns the longest time from the acknowledgement of a write until a session received its event.
func lag(h *lobbyHistory, s *eventSession) time.Duration {
	var longest time.Duration
	for _, w := range h.acked {
		if at, ok := s.at[h.id+" "+w.value]; ok {
			longest = max(longest, time.Duration(at-w.done))
		}
	}
	return longest
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
