package main

import (
	"encoding/binary"
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

// traveler is a client that goes on with its session at one node after another.
type traveler struct {
	t       *testing.T
	token   string
	conn    net.Conn
	session string
	seq     uint64
	resumes int
	onEvent func(name string, d jsontext.Value) // may be nil

	heard []int        // the numbers in messages
	last  atomic.Int64 // of those
}

// dial connects to a node.
func (v *traveler) dial(p *process) {
	v.t.Helper()
	conn, early, _, err := ws.Dialer{Timeout: 20 * time.Second}.Dial(v.t.Context(), "ws"+strings.TrimPrefix(p.base, "http")+"/gateway/?v=10&encoding=json")
	if err != nil {
		v.t.Fatal(err)
	}
	if early != nil {
		ws.PutReader(early) // the first frame is not looked at
	}
	v.t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		v.t.Fatal(err)
	}
	v.conn = conn
}

func (v *traveler) say(text string) {
	v.t.Helper()
	if err := wsutil.WriteClientText(v.conn, []byte(text)); err != nil {
		v.t.Error(err)
	}
}

// begin identifies at a node.
func (v *traveler) begin(p *process, intents int) {
	v.t.Helper()
	v.dial(p)
	v.say(fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":%d,"properties":{}}}`, v.token, intents))
	if !v.until(func(name string) bool { return name == "READY" }) {
		v.t.Fatal("the session did not begin")
	}
}

// resume goes on at a node and hears everything up to RESUMED.
func (v *traveler) resume(p *process) {
	v.t.Helper()
	v.dial(p)
	v.say(fmt.Sprintf(`{"op":6,"d":{"token":%q,"session_id":%q,"seq":%d}}`, v.token, v.session, v.seq))
	if !v.until(func(name string) bool { return name == "RESUMED" }) {
		v.t.Fatalf("session %s of %s was not resumed at %d\n%s", v.session, v.token, v.seq, p.Stderr)
	}
	v.resumes++
}

// until hears events up to one, and reports false when the connection ends before it.
func (v *traveler) until(enough func(name string) bool) bool {
	v.t.Helper()
	for {
		head, err := ws.ReadHeader(v.conn)
		if err != nil {
			return false
		}
		body := make([]byte, head.Length)
		if _, err := readFull(v.conn, body); err != nil {
			return false
		}
		if head.OpCode == ws.OpClose {
			if code := binary.BigEndian.Uint16(body); code != 4000 {
				v.t.Errorf("closed with %d", code)
			}
			return false
		}
		name := v.hear(body)
		if enough(name) {
			return true
		}
		if name == "op 9" {
			v.t.Errorf("session %s at %d has become invalid", v.session, v.seq)
			return false
		}
	}
}

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

// hear takes a payload down and returns its name.
func (v *traveler) hear(text []byte) string {
	v.t.Helper()
	var p struct {
		Op int            `json:"op"`
		D  jsontext.Value `json:"d"`
		S  *uint64        `json:"s"`
		T  *string        `json:"t"`
	}
	if err := json.Unmarshal(text, &p); err != nil {
		v.t.Error(err)
		return ""
	}
	if p.T == nil {
		return "op " + strconv.Itoa(p.Op)
	}
	if *p.S != v.seq+1 {
		v.t.Errorf("%s of %s has number %d after %d", *p.T, v.token, *p.S, v.seq)
	}
	v.seq = *p.S
	if v.onEvent != nil {
		v.onEvent(*p.T, p.D)
	}
	var d struct {
		Session string `json:"session_id"`
		Content string `json:"content"`
	}
	if err := json.Unmarshal(p.D, &d); err != nil {
		v.t.Error(err)
	}
	if *p.T == "READY" {
		v.session = d.Session
	}
	if n, err := strconv.Atoi(d.Content); err == nil && *p.T == "MESSAGE_CREATE" {
		v.heard = append(v.heard, n)
		v.last.Store(int64(n))
	}
	return *p.T
}

// speaker writes numbered messages at a node until it is stopped.
type speaker struct {
	at         *process
	path       string
	next, sent atomic.Int64
	over       atomic.Bool
}

func (s *speaker) run(t *testing.T) {
	for !s.over.Load() {
		n := s.next.Add(1)
		status, text, err := s.at.send(t.Context(), "POST", s.path, "", fmt.Sprintf(`{"content":"%d"}`, n))
		if err != nil || status != 200 {
			t.Errorf("message %d: %d %s %v", n, status, text, err)
			return
		}
		s.sent.Store(n)
	}
}

// beginSpeaking has a person use a command at a node, and returns who then sends messages about it.
func beginSpeaking(t *testing.T, p *process) *speaker {
	t.Helper()
	command := p.registerRoll(t)
	bot := listen(t, p, "token-0", 0)
	p.roll(t, command, "1")
	var i struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}
	if err := json.Unmarshal(bot.wait("INTERACTION_CREATE"), &i); err != nil {
		t.Fatal(err)
	}
	status, text, err := p.send(t.Context(), "POST", "/api/v10/interactions/"+i.ID+"/"+i.Token+"/callback", "", `{"type":4,"data":{"content":"begun"}}`)
	if err != nil || status != 204 {
		t.Fatalf("callback: %d %s %v", status, text, err)
	}
	_ = bot.conn.Close()
	return &speaker{at: p, path: "/api/v10/webhooks/130000000000000000/" + i.Token + "?wait=true"}
}

// TestNodesResume takes sessions from node to node while a third one makes events: after a connection broke, after a node
// asked to reconnect, and after one was killed. Nobody misses an event, hears one twice or in another order.
func TestNodesResume(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 1, "--limits", "off")
	if err := os.WriteFile(f.world, []byte(meeting), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 4; i++ {
		f.nodes = append(f.nodes, f.start(t, i))
	}
	words := beginSpeaking(t, f.nodes[3])
	clients := []*traveler{{t: t, token: "token-0"}, {t: t, token: "dev-user-ada"}, {t: t, token: "token-0"}, {t: t, token: "dev-user-ada"}}
	for _, v := range clients {
		v.begin(f.nodes[1], 1|512)
	}
	var wg sync.WaitGroup
	wg.Go(func() { words.run(t) })
	// each lets every client do something, all at the same time, and hear what has been said since.
	each := func(what string, stay time.Duration, do func(v *traveler)) {
		t.Helper()
		began := time.Now()
		var wg sync.WaitGroup
		for _, v := range clients {
			wg.Go(func() {
				do(v)
				for goal, least := words.next.Load()+200, time.Now().Add(stay); v.last.Load() < goal || time.Now().Before(least); {
					if !v.until(func(name string) bool { return name == "MESSAGE_CREATE" }) {
						v.t.Errorf("%s: the connection ended", what)
						return
					}
				}
			})
		}
		wg.Wait()
		t.Logf("%s: %v, %d messages", what, time.Since(began).Round(time.Millisecond), words.sent.Load())
		if t.Failed() {
			words.over.Store(true)
		}
	}
	each("nothing happens", 6*time.Second, func(*traveler) {}) // until it has been told again how sessions stand
	each("connections break", 0, func(v *traveler) {
		_ = v.conn.Close()
		v.resume(f.nodes[2])
	})
	each("connections break while others hold them", 0, func(v *traveler) { v.resume(f.nodes[1]) })

	if err := f.nodes[1].Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	each("a node asks to reconnect", 0, func(v *traveler) {
		if !v.until(func(name string) bool { return name == "op 7" }) {
			t.Error("no request to reconnect")
		}
		_ = v.conn.Close()
		v.resume(f.nodes[2])
	})
	if err := f.nodes[1].Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}

	if err := f.nodes[2].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	each("a node is killed", 0, func(v *traveler) {
		v.until(func(string) bool { return false })
		v.resume(f.nodes[0])
	})
	words.over.Store(true)
	wg.Wait()
	for _, v := range clients {
		for v.last.Load() < words.sent.Load() && v.until(func(name string) bool { return name == "MESSAGE_CREATE" }) {
		}
		for i, n := range v.heard {
			if n != i+1 {
				t.Fatalf("%s heard message %d when %d was due", v.token, n, i+1)
			}
		}
		if int64(len(v.heard)) < words.sent.Load() || v.resumes != 4 {
			t.Errorf("%s heard %d messages of %d and went on %d times", v.token, len(v.heard), words.sent.Load(), v.resumes)
		}
	}
}
