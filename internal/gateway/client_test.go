package gateway_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gobwas/ws"
)

// waitTimeout is the longest time that a test waits for a frame.
const waitTimeout = 20 * time.Second

// client is a simple WebSocket client.
type client struct {
	t    *testing.T
	conn net.Conn
	r    io.Reader
	// unpack decompresses the stream; nil if frames are text.
	unpack func(packed []byte) []byte
	seq    uint64
	id     string // session id
	reason string // of the close frame that closed read
}

// payload is a payload of the service.
type payload struct {
	Op int            `json:"op"`
	D  jsontext.Value `json:"d"`
	S  *uint64        `json:"s"`
	T  *string        `json:"t"`
}

// name returns the name of the event.
func (p payload) name() string {
	if p.T == nil {
		return fmt.Sprintf("op %d", p.Op)
	}
	return *p.T
}

// dial connects with a query string.
func (s *harness) dial(t *testing.T, query string) *client {
	t.Helper()
	d := ws.Dialer{Timeout: waitTimeout}
	conn, early, _, err := d.Dial(t.Context(), s.url+query)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, conn: conn, r: conn}
	if early != nil {
		c.r = io.MultiReader(early, conn)
	}
	c.r = bufio.NewReader(c.r)
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(waitTimeout)); err != nil {
		t.Fatal(err)
	}
	return c
}

// connect dials and reads HELLO.
func (s *harness) connect(t *testing.T, query string) *client {
	t.Helper()
	c := s.dial(t, query)
	c.want("op 10")
	return c
}

const usual = "?v=10&encoding=json"

// login connects and identifies, and returns the client with READY.
func (s *harness) login(t *testing.T, token string, intents int, more ...string) (*client, payload) {
	t.Helper()
	c := s.connect(t, usual)
	c.identify(token, intents, more...)
	p := c.want("READY")
	var ready struct {
		ID string `json:"session_id"`
	}
	c.read(p.D, &ready)
	c.id = ready.ID
	return c, p
}

// identify sends Identify; more are further properties.
func (c *client) identify(token string, intents int, more ...string) {
	c.t.Helper()
	own := fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":%d,"properties":{"os":"linux"}`, token, intents)
	c.send(strings.Join(append([]string{own}, more...), ",") + "}}")
}

func (c *client) resume(token, session string, seq uint64) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"op":6,"d":{"token":%q,"session_id":%q,"seq":%d}}`, token, session, seq))
}

// send sends a text.
func (c *client) send(text string) {
	c.t.Helper()
	c.frame(ws.NewTextFrame([]byte(text)))
}

func (c *client) frame(f ws.Frame) {
	c.t.Helper()
	if err := ws.WriteFrame(c.conn, ws.MaskFrameInPlace(f)); err != nil {
		c.t.Fatal(err)
	}
}

// receive returns the next frame.
func (c *client) receive() (ws.Frame, error) { return ws.ReadFrame(c.r) }

// next returns the next payload.
func (c *client) next() payload {
	c.t.Helper()
	f, err := c.receive()
	if err != nil {
		c.t.Fatalf("waited for a payload after sequence number %d: %v", c.seq, err)
	}
	text := f.Payload
	switch {
	case f.Header.OpCode == ws.OpClose:
		c.t.Fatalf("closed: %d %s", binary.BigEndian.Uint16(f.Payload), f.Payload[2:])
	case c.unpack != nil:
		if f.Header.OpCode != ws.OpBinary {
			c.t.Fatalf("a frame of type %d in a compressed stream", f.Header.OpCode)
		}
		text = c.unpack(text)
	case f.Header.OpCode != ws.OpText:
		c.t.Fatalf("a frame of type %d", f.Header.OpCode)
	}
	return c.parse(text)
}

func (c *client) parse(text []byte) payload {
	c.t.Helper()
	var p payload
	c.read(text, &p)
	for _, key := range []string{`"op":`, `"d":`, `"s":`, `"t":`} {
		if !bytes.Contains(text, []byte(key)) {
			c.t.Errorf("%s lacks %s", text, key)
		}
	}
	if p.S != nil {
		c.seq = *p.S
	}
	return p
}

func (c *client) read(text []byte, into any) {
	c.t.Helper()
	if err := json.Unmarshal(text, into, json.MatchCaseInsensitiveNames(true)); err != nil {
		c.t.Fatalf("%s: %v", text, err)
	}
}

// want returns the next payload. It must be the named event, or have the opcode after "op".
func (c *client) want(name string) payload {
	c.t.Helper()
	p := c.next()
	if p.name() != name {
		c.t.Fatalf("received %s %s, want %s", p.name(), p.D, name)
	}
	return p
}

// until returns the next payload with a name and skips others.
func (c *client) until(name string) payload {
	c.t.Helper()
	for {
		if p := c.next(); p.name() == name {
			return p
		}
	}
}

// closed returns the code with which the service closes the connection and skips other frames.
func (c *client) closed() int {
	c.t.Helper()
	for {
		f, err := c.receive()
		if err != nil {
			c.t.Fatalf("not closed: %v", err)
		}
		if f.Header.OpCode == ws.OpClose {
			code := int(binary.BigEndian.Uint16(f.Payload))
			c.reason = string(f.Payload[2:])
			_ = ws.WriteFrame(c.conn, ws.MaskFrameInPlace(ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusCode(code), ""))))
			return code
		}
		if f.Header.OpCode == ws.OpText {
			c.parse(f.Payload)
		}
	}
}

// cut closes the connection without a close frame.
func (c *client) cut() { _ = c.conn.Close() }

// leave closes the connection with a code and waits for the answer.
func (c *client) leave(code ws.StatusCode) {
	c.t.Helper()
	c.frame(ws.NewCloseFrame(ws.NewCloseFrameBody(code, "")))
	for {
		if _, err := c.receive(); err != nil {
			return
		}
	}
}

// beat sends a heartbeat and waits for the answer, so that everything sent before has arrived.
func (c *client) beat() []string {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"op":1,"d":%d}`, c.seq))
	var received []string
	for {
		p := c.next()
		if p.Op == 11 {
			return received
		}
		received = append(received, p.name())
	}
}
