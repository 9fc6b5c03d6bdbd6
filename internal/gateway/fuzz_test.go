package gateway_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/gobwas/ws"
)

// refusals are the close codes for invalid payloads. Any other code is a bug.
var refusals = []ws.StatusCode{1002, 4001, 4002, 4003, 4004, 4005, 4007, 4008, 4010, 4011, 4012, 4013, 4014}

// payloads are valid and invalid payloads.
var payloads = []string{
	`{"op":1,"d":null}`,
	`{"op":1,"d":3}`,
	`{"op":40,"d":{"seq":1,"qos":{"ver":27,"active":true,"reasons":["foregrounded"]}}}`,
	`{"op":2,"d":{"token":"Bot bot-echo","intents":33281,"properties":{"os":"linux","browser":"x","device":"x"},"compress":true,"large_threshold":250,"shard":[0,1],` +
		`"presence":{"activities":[{"name":"x","type":0}],"status":"dnd","since":91879201,"afk":false}}}`,
	`{"op":2,"d":{"token":"Bearer client-bob","intents":0,"capabilities":65536,"properties":{}}}`,
	`{"op":2,"d":{"token":"user-ada","properties":{"$os":"linux"},"client_state":{"guild_versions":{}}}}`,
	`{"op":3,"d":{"activities":null,"status":"online","since":null,"afk":false}}`,
	`{"op":4,"d":{"guild_id":"900000000000000001","channel_id":null,"self_mute":false,"self_deaf":false}}`,
	`{"op":6,"d":{"token":"bot-echo","session_id":"0123456789abcdef0123456789abcdef","seq":1337}}`,
	`{"op":8,"d":{"guild_id":"900000000000000001","query":"","limit":0,"presences":true,"nonce":"x"}}`,
	`{"op":8,"d":{"guild_id":["900000000000000001"],"user_ids":["700000000000000001","5"],"limit":18446744073709551615}}`,
	`{"op":8,"d":{"guild_id":900000000000000001,"query":"\u0000","limit":-1}}`,
	`{"op":10,"d":{"heartbeat_interval":1}}`,
	`{"op":1e0,"d":1.5}`,
	`{"op":99999999999999999999,"d":[[[[[[]]]]]]}`,
	`{"op":1,"op":2,"d":{},"d":null}`,
	`[]`, `null`, `"`, "\xff\xfe", "{\"op\":1,\"d\":\"\xed\xa0\x80\"}", ``,
}

// FuzzPayload sends any payload, before and after Identify, whole or in two fragments. The service handles it or closes
// with one of refusals.
func FuzzPayload(f *testing.F) {
	s := open(f, func(c *gateway.Config) { c.Settings.DrainTimeout = time.Millisecond })
	s.allow(f)
	for i, p := range payloads {
		f.Add([]byte(p), i%2 == 0, i%5 == 4, uint16(0))
		f.Add([]byte(p), i%2 == 1, false, uint16(len(p)/2))
	}
	f.Fuzz(func(t *testing.T, text []byte, identified, binary bool, part uint16) {
		c := s.connect(t, usual)
		defer c.cut()
		if identified {
			c.identify("bot-echo", 0)
			c.want("READY")
		}
		op := ws.OpText
		if binary {
			op = ws.OpBinary
		}
		cut := min(int(part), len(text))
		if cut > 0 {
			c.frame(ws.NewFrame(op, false, bytes.Clone(text[:cut])))
			op = ws.OpContinuation
		}
		c.frame(ws.NewFrame(op, true, bytes.Clone(text[cut:])))
		c.frame(ws.NewPingFrame([]byte("still there")))
		c.checkAlive()
	})
}

// checkAlive checks that the service answers a ping, or has closed with one of refusals.
func (c *client) checkAlive() {
	c.t.Helper()
	for {
		f, err := c.receive()
		if err != nil {
			c.t.Fatalf("neither answered nor closed: %v", err)
		}
		switch f.Header.OpCode {
		case ws.OpPong:
			return
		case ws.OpClose:
			if code := ws.StatusCode(binary.BigEndian.Uint16(f.Payload)); !slices.Contains(refusals, code) {
				c.t.Fatalf("closed with %d %s", code, f.Payload[2:])
			}
			return
		default:
			c.parse(f.Payload)
		}
	}
}

// FuzzFrames sends any bytes instead of frames. The service closes the connection once the client has closed it.
func FuzzFrames(f *testing.F) {
	s := open(f, func(c *gateway.Config) { c.Settings.DrainTimeout = time.Millisecond })
	frame := func(frames ...ws.Frame) []byte {
		var b bytes.Buffer
		for _, fr := range frames {
			if err := ws.WriteFrame(&b, ws.MaskFrame(fr)); err != nil {
				f.Fatal(err)
			}
		}
		return b.Bytes()
	}
	f.Add(frame(ws.NewTextFrame([]byte(payloads[0])), ws.NewCloseFrame(ws.NewCloseFrameBody(1000, "bye"))))
	f.Add(frame(ws.NewFrame(ws.OpText, false, []byte(`{"op":`)), ws.NewPingFrame(nil), ws.NewFrame(ws.OpContinuation, true, []byte(`1,"d":null}`))))
	f.Add(frame(ws.NewFrame(ws.OpContinuation, true, nil)))
	f.Add(frame(ws.NewFrame(ws.OpCode(5), true, nil)))
	f.Add(frame(ws.NewFrame(ws.OpClose, true, []byte{3})))
	f.Add(frame(ws.NewFrame(ws.OpClose, true, []byte{0, 0})))
	f.Add(frame(ws.NewFrame(ws.OpPing, false, nil)))
	f.Add([]byte{0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4}) // the longest possible length
	f.Add([]byte{0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4}) // an invalid length
	f.Add([]byte{0xf1, 0x80, 0, 0, 0, 0})                                                 // reserved bits
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := s.connect(t, usual)
		defer c.cut()
		_, _ = c.conn.Write(raw) // the service may have closed the connection
		_ = c.conn.(*net.TCPConn).CloseWrite()
		for {
			f, err := c.receive()
			if err != nil {
				return // end of the connection, or a reset if data was not read
			}
			if f.Header.OpCode == ws.OpClose && len(f.Payload) >= 2 {
				if code := ws.StatusCode(binary.BigEndian.Uint16(f.Payload)); code == 4000 {
					t.Fatalf("closed with %d %s", code, f.Payload[2:])
				}
			}
		}
	})
}

// FuzzQuery connects with any query string. The service upgrades, then sends HELLO or closes with a code for the
// version or the encoding.
func FuzzQuery(f *testing.F) {
	s := open(f, func(c *gateway.Config) { c.Settings.DrainTimeout = time.Millisecond })
	host, _, _ := strings.Cut(strings.TrimPrefix(s.url, "ws://"), "/")
	for _, query := range []string{
		"v=10&encoding=json", "v=9&encoding=json&compress=zlib-stream", "encoding=json&v=10&compress=zstd-stream", "v=10&encoding=etf",
		"v=8", "v=010", "v=10&v=9", "v=%31%30", "v=10;encoding=json", "v=10&compress=zlib-stream&compress=zstd-stream", "%", "&&=&", "v=10&compress=%00", "",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		if strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' }) {
			return // not a request line
		}
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(waitTimeout)); err != nil {
			t.Fatal(err)
		}
		_, err = conn.Write([]byte("GET /gateway/?" + query + " HTTP/1.1\r\nHost: x:1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(conn)
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode == http.StatusBadRequest {
			return // not a URL
		}
		if answer.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("answered %s", answer.Status)
		}
		first, err := ws.ReadFrame(r)
		if err != nil {
			t.Fatal(err)
		}
		if first.Header.OpCode != ws.OpClose {
			return // HELLO, with or without compression
		}
		if code := binary.BigEndian.Uint16(first.Payload); code != 4012 && code != 4002 {
			t.Fatalf("closed with %d", code)
		}
	})
}
