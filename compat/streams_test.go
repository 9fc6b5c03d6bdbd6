package compat_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// decoders are programs with decoders that do not share code with the service: the reference libraries in Python, and zlib
// and a JavaScript decoder in Node.
var decoders = map[string][]string{
	"python": {"/usr/bin/python3", "streams/unpack.py"},
	"node":   {"node", "node/streams.mjs"},
}

// TestStreams decodes each kind of compressed stream with independent decoders. Every frame must decode to one complete
// payload, and one decoder context must work for all frames.
func TestStreams(t *testing.T) {
	t.Parallel()
	installPackages(t)
	s := startService(t)
	s.call(t, http.MethodPost, "/_dev/world", "", largeGuild(), nil)
	texts := topics()
	for _, stream := range []string{"zlib-stream", "zstd-stream"} {
		for name, command := range decoders {
			t.Run(stream+" with "+name, func(t *testing.T) { // not parallel: all receive the same events
				plain, packed := s.dialGateway(t, ""), s.dialGateway(t, stream)
				packed.unpack = startDecoder(t, append(command[1:], stream), command[0])
				for _, c := range []*rawClient{plain, packed} {
					c.next()                                                               // hello
					s.call(t, http.MethodPost, "/_dev/clock", "", `{"advance":"5s"}`, nil) // a bot may start one session in 5 seconds
					c.send(`{"op":2,"d":{"token":"` + botToken(botApplication(0)) + `","intents":1,"properties":{}}}`)
					if ready := c.next(); !strings.Contains(ready, `"t":"READY"`) {
						t.Fatalf("received %.100s, want READY", ready)
					}
				}
				for range 2 { // guilds
					same(t, plain, packed)
				}
				for i, text := range texts {
					s.call(t, http.MethodPost, "/_dev/world", "", text, nil)
					if got := same(t, plain, packed); !strings.Contains(got, `"t":"CHANNEL_UPDATE"`) {
						t.Fatalf("received %.100s, want CHANNEL_UPDATE", got)
					}
					if i%10 == 0 {
						plain.send(`{"op":1,"d":null}`)
						packed.send(`{"op":1,"d":null}`)
						same(t, plain, packed)
					}
				}
				packed.send(`{"op":99}`)
				if code := packed.closed(); code != 4001 { // a close frame is not compressed
					t.Errorf("closed with %d, want 4001", code)
				}
			})
		}
	}
}

// topics returns channel topics of many lengths, some similar and some different.
func topics() []string {
	const letters = "abcdefghijklmnopqrstuvwxyzäöüß€🙂 0123456789"
	random := rand.New(rand.NewPCG(1, 2))
	runes := []rune(letters)
	var list []string
	for i := range 250 {
		var topic strings.Builder
		for range random.IntN(1000) {
			topic.WriteRune(runes[random.IntN(len(runes))])
		}
		if i%2 == 0 {
			topic.Reset()
			topic.WriteString(strings.Repeat("again and ", i/4))
		}
		list = append(list, fmt.Sprintf(`{"guilds":[{"id":%q,"name":"Restaurant","owner":%q,"channels":[{"id":%q,"name":"kitchen","topic":"%d %s"}]}]}`,
			guild, owner, channel, i, topic.String()))
	}
	return list
}

// largeGuild returns a guild whose event is larger than the window of a stream.
func largeGuild() string {
	var channels []string
	for i := range 400 {
		channels = append(channels, fmt.Sprintf(`{"id":"%d","name":"room-%d","topic":"%x"}`, 1210000000000000100+i, i, rand.New(rand.NewPCG(3, uint64(i))).Uint64()))
	}
	return fmt.Sprintf(`{"guilds":[{"id":"1210000000000000001","name":"Large","owner":%q,"channels":[%s],"installs":[{"application":%q,"scopes":["bot"]}]}]}`,
		owner, strings.Join(channels, ","), botApplication(0))
}

// same reads the next payload of both clients, checks that they are equal, and returns it.
func same(t *testing.T, plain, packed *rawClient) string {
	t.Helper()
	want, got := plain.next(), packed.next()
	if got != want {
		t.Fatalf("the stream decodes to\n%.2000s\nwant\n%.2000s", got, want)
	}
	return want
}

// rawClient is a gateway client that does not use a client library.
type rawClient struct {
	t      *testing.T
	conn   *websocket.Conn
	unpack func(chunk []byte) []byte // nil: frames are text
}

func (s *service) dialGateway(t *testing.T, stream string) *rawClient {
	t.Helper()
	url := "ws" + strings.TrimPrefix(s.origin, "http") + "/gateway/?v=10&encoding=json"
	if stream != "" {
		url += "&compress=" + stream
	}
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), url, nil) //nolint:bodyclose // a response with an upgrade has no body
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return &rawClient{t: t, conn: conn}
}

func (c *rawClient) send(text string) {
	c.t.Helper()
	if err := c.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

// next returns the next payload.
func (c *rawClient) next() string {
	c.t.Helper()
	kind, text, err := c.conn.ReadMessage()
	if err != nil {
		c.t.Fatal(err)
	}
	if packed := kind == websocket.BinaryMessage; packed != (c.unpack != nil) {
		c.t.Fatalf("the frame has type %d, want a binary frame: %v", kind, c.unpack != nil)
	}
	if c.unpack != nil {
		text = c.unpack(text)
	}
	return string(text)
}

// closed returns the close code of the service.
func (c *rawClient) closed() int {
	c.t.Helper()
	for {
		_, _, err := c.conn.ReadMessage()
		if closed, ok := err.(*websocket.CloseError); ok {
			return closed.Code
		}
		if err != nil {
			c.t.Fatal(err)
		}
	}
}

// startDecoder runs a decoder until the test ends. The returned function passes a chunk to the decoder and returns the
// output.
func startDecoder(t *testing.T, args []string, program string) func([]byte) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	var log bytes.Buffer
	cmd.Stderr = &log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // the test has checked the output
	})
	return func(chunk []byte) []byte {
		t.Helper()
		if _, err := in.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(chunk))), chunk...)); err != nil {
			t.Fatalf("%v\n%s", err, &log)
		}
		var head [4]byte
		if _, err := io.ReadFull(out, head[:]); err != nil {
			t.Fatalf("%v\n%s", err, &log)
		}
		text := make([]byte, binary.BigEndian.Uint32(head[:]))
		if _, err := io.ReadFull(out, text); err != nil {
			t.Fatal(err)
		}
		return text
	}
}
