package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// sessionClient is a gateway client that can resume its session at any node.
type sessionClient struct {
	t       *testing.T
	token   string
	conn    net.Conn
	session string
	seq     uint64
	resumes int
	onEvent func(name string, d jsontext.Value) // may be nil

	received     []int        // the numbers in the received messages
	lastReceived atomic.Int64 // the last of them
}

// dial connects to a node.
func (c *sessionClient) dial(p *process) {
	c.t.Helper()
	conn, early, _, err := ws.Dialer{Timeout: 20 * time.Second}.Dial(c.t.Context(), "ws"+strings.TrimPrefix(p.Base, "http")+"/gateway/?v=10&encoding=json")
	if err != nil {
		c.t.Fatal(err)
	}
	if early != nil {
		ws.PutReader(early) // drops the Hello frame
	}
	c.t.Cleanup(func() { _ = conn.Close() })
	c.conn = conn
}

func (c *sessionClient) send(text string) {
	c.t.Helper()
	if err := wsutil.WriteClientText(c.conn, []byte(text)); err != nil {
		c.t.Error(err)
	}
}

// identify connects to a node and starts a session.
func (c *sessionClient) identify(p *process, intents int) {
	c.t.Helper()
	c.dial(p)
	c.send(fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":%d,"properties":{}}}`, c.token, intents))
	if !c.readUntil(func(name string) bool { return name == "READY" }) {
		c.t.Fatal("no READY after Identify")
	}
}

// resume resumes the session at a node and reads events up to RESUMED. It tries again when the node closes the connection, as a
// node does when PostgreSQL takes too long on a busy machine.
func (c *sessionClient) resume(p *process) {
	c.t.Helper()
	for range 5 {
		c.dial(p)
		c.send(fmt.Sprintf(`{"op":6,"d":{"token":%q,"session_id":%q,"seq":%d}}`, c.token, c.session, c.seq))
		if c.readUntil(func(name string) bool { return name == "RESUMED" }) {
			c.resumes++
			return
		}
	}
	c.t.Fatalf("session %s of %s was not resumed at sequence number %d\n%s", c.session, c.token, c.seq, p.Log())
}

// readUntil reads frames until done returns true. It returns false if the connection ends first.
func (c *sessionClient) readUntil(done func(name string) bool) bool {
	c.t.Helper()
	last := "no frame"
	if err := c.conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		c.t.Error(err)
	}
	for {
		head, err := ws.ReadHeader(c.conn)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.t.Errorf("%s waited 30 s for a frame that does not come; the last was %s, sequence number %d", c.token, last, c.seq)
		}
		if err != nil {
			return false
		}
		body := make([]byte, head.Length)
		if _, err := readFull(c.conn, body); err != nil {
			return false
		}
		if head.OpCode == ws.OpClose {
			if code := binary.BigEndian.Uint16(body); code != 4000 {
				c.t.Errorf("close code %d, want 4000", code)
			}
			return false
		}
		name := c.handle(body)
		last = name
		if done(name) {
			return true
		}
		if name == "op 9" {
			c.t.Errorf("session %s became invalid at sequence number %d", c.session, c.seq)
			return false
		}
	}
}

// readFull reads len(b) bytes.
func readFull(conn net.Conn, b []byte) (int, error) {
	n := 0
	for n < len(b) {
		m, err := conn.Read(b[n:])
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// handle records an event. It returns its name, or "op N" if the frame is not an event.
func (c *sessionClient) handle(text []byte) string {
	c.t.Helper()
	var p struct {
		Op int            `json:"op"`
		D  jsontext.Value `json:"d"`
		S  *uint64        `json:"s"`
		T  *string        `json:"t"`
	}
	if err := json.Unmarshal(text, &p); err != nil {
		c.t.Error(err)
		return ""
	}
	if p.T == nil {
		return "op " + strconv.Itoa(p.Op)
	}
	if *p.S != c.seq+1 {
		c.t.Errorf("%s of %s has sequence number %d after %d", *p.T, c.token, *p.S, c.seq)
	}
	c.seq = *p.S
	if c.onEvent != nil {
		c.onEvent(*p.T, p.D)
	}
	var d struct {
		Session string `json:"session_id"`
		Content string `json:"content"`
	}
	if err := json.Unmarshal(p.D, &d); err != nil {
		c.t.Error(err)
	}
	if *p.T == "READY" {
		c.session = d.Session
	}
	if n, err := strconv.Atoi(d.Content); err == nil && *p.T == "MESSAGE_CREATE" {
		c.received = append(c.received, n)
		c.lastReceived.Store(int64(n))
	}
	return *p.T
}

// messageSender sends numbered messages through a node until stopped is set.
type messageSender struct {
	at         *process
	path       string
	next, sent atomic.Int64
	stopped    atomic.Bool
}

func (s *messageSender) run(t *testing.T) {
	for !s.stopped.Load() {
		n := s.next.Add(1)
		status, text, err := s.at.Send(t.Context(), "POST", s.path, "", fmt.Sprintf(`{"content":"%d"}`, n))
		if err != nil || status != 200 {
			t.Errorf("message %d: %d %s %v", n, status, text, err)
			return
		}
		s.sent.Store(n)
	}
}

// newMessageSender invokes a command at a node. The messages are followups of that interaction.
func newMessageSender(t *testing.T, p *process) *messageSender {
	t.Helper()
	command := p.registerRoll(t)
	bot := connectGateway(t, p, "bot-V7mQ2xK9tR4zL8pW3n-0", 0)
	p.roll(t, command, "1")
	var i struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}
	if err := json.Unmarshal(bot.waitFor("INTERACTION_CREATE"), &i); err != nil {
		t.Fatal(err)
	}
	status, text, err := p.Send(t.Context(), "POST", "/api/v10/interactions/"+i.ID+"/"+i.Token+"/callback", "", `{"type":4,"data":{"content":"first"}}`)
	if err != nil || status != 204 {
		t.Fatalf("callback: %d %s %v", status, text, err)
	}
	_ = bot.conn.Close()
	return &messageSender{at: p, path: "/api/v10/webhooks/130000000000000000/" + i.Token + "?wait=true"}
}

// TestNodesResume resumes sessions at other nodes while one node creates events: after a connection broke, after a node asked for
// a reconnect, and after a node was killed. Every session must receive each event once and in order.
func TestNodesResume(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1, "--limits", "off")
	if err := os.WriteFile(cl.world, []byte(guildWorld), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 4; i++ {
		cl.nodes = append(cl.nodes, cl.start(t, i))
	}
	sender := newMessageSender(t, cl.nodes[3])
	clients := []*sessionClient{{t: t, token: "bot-V7mQ2xK9tR4zL8pW3n-0"}, {t: t, token: "user-H3kD8vB5yN0cF6jX2s-ada"}, {t: t, token: "bot-V7mQ2xK9tR4zL8pW3n-0"}, {t: t, token: "user-H3kD8vB5yN0cF6jX2s-ada"}}
	for _, c := range clients {
		c.identify(cl.nodes[1], 1|512)
	}
	var wg sync.WaitGroup
	wg.Go(func() { sender.run(t) })
	// step calls do for all clients at once. Each client then reads the next 200 messages, for at least the given time.
	step := func(name string, atLeast time.Duration, do func(c *sessionClient)) {
		t.Helper()
		began := time.Now()
		var wg sync.WaitGroup
		for _, c := range clients {
			wg.Go(func() {
				do(c)
				for goal, end := sender.next.Load()+200, time.Now().Add(atLeast); c.lastReceived.Load() < goal || time.Now().Before(end); {
					if !c.readUntil(func(name string) bool { return name == "MESSAGE_CREATE" }) {
						c.t.Errorf("%s: the connection ended", name)
						return
					}
				}
			})
		}
		wg.Wait()
		t.Logf("%s: %v, %d messages", name, time.Since(began).Round(time.Millisecond), sender.sent.Load())
		if t.Failed() {
			sender.stopped.Store(true)
		}
	}
	step("nothing happens", 6*time.Second, func(*sessionClient) {}) // until the nodes have stored checkpoints of the sessions
	step("connections break", 0, func(c *sessionClient) {
		_ = c.conn.Close()
		c.resume(cl.nodes[2])
	})
	step("clients resume while their old connections are open", 0, func(c *sessionClient) { c.resume(cl.nodes[1]) })

	if err := cl.nodes[1].Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	step("a node asks to reconnect", 0, func(c *sessionClient) {
		if !c.readUntil(func(name string) bool { return name == "op 7" }) {
			t.Error("no op 7")
		}
		_ = c.conn.Close()
		c.resume(cl.nodes[2])
	})
	if err := cl.nodes[1].Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}

	if err := cl.nodes[2].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	step("a node is killed", 0, func(c *sessionClient) {
		c.readUntil(func(string) bool { return false })
		c.resume(cl.nodes[0])
	})
	sender.stopped.Store(true)
	wg.Wait()
	for _, c := range clients {
		for c.lastReceived.Load() < sender.sent.Load() && c.readUntil(func(name string) bool { return name == "MESSAGE_CREATE" }) {
		}
		for i, n := range c.received {
			if n != i+1 {
				t.Fatalf("%s received message %d, want %d", c.token, n, i+1)
			}
		}
		if int64(len(c.received)) < sender.sent.Load() || c.resumes != 4 {
			t.Errorf("%s received %d of %d messages and resumed %d times, want 4", c.token, len(c.received), sender.sent.Load(), c.resumes)
		}
	}
}
