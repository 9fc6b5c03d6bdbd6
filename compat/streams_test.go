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

// decoders are programs that know nothing of the encoders: the reference libraries under Python, and Node's zlib and a
// decoder in JavaScript under Node.
var decoders = map[string][]string{
	"python": {"/usr/bin/python3", "streams/unpack.py"},
	"node":   {"node", "node/streams.mjs"},
}

// TestStreams reads each kind of compressed stream with decoders of others: every frame brings out one whole payload as
// soon as it is there, and one context lasts for all of them.
func TestStreams(t *testing.T) {
	t.Parallel()
	installPackages(t)
	s := startService(t)
	s.call(t, http.MethodPost, "/_dev/world", "", largeGuild(), nil)
	texts := topics()
	for _, stream := range []string{"zlib-stream", "zstd-stream"} {
		for name, command := range decoders {
			t.Run(stream+" with "+name, func(t *testing.T) { // not parallel: all receive the same events
				plain, packed := s.listen(t, ""), s.listen(t, stream)
				packed.unpack = startDecoder(t, append(command[1:], stream), command[0])
				for _, l := range []*listener{plain, packed} {
					l.next()                                                               // hello
					s.call(t, http.MethodPost, "/_dev/clock", "", `{"advance":"5s"}`, nil) // a bot may begin one session in that time
					l.send(`{"op":2,"d":{"token":"` + botToken(botApplication(0)) + `","intents":1,"properties":{}}}`)
					if ready := l.next(); !strings.Contains(ready, `"t":"READY"`) {
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
				if code := packed.closed(); code != 4001 { // which is not compressed
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

// same returns the next payload of two listeners, which has to be the same for both.
func same(t *testing.T, plain, packed *listener) string {
	t.Helper()
	want, got := plain.next(), packed.next()
	if got != want {
		t.Fatalf("the stream brings\n%.2000s\nwant\n%.2000s", got, want)
	}
	return want
}

// listener is a gateway client without a library.
type listener struct {
	t      *testing.T
	conn   *websocket.Conn
	unpack func(piece []byte) []byte // nil: frames are text
}

func (s *service) listen(t *testing.T, stream string) *listener {
	t.Helper()
	url := "ws" + strings.TrimPrefix(s.origin, "http") + "/gateway/?v=10&encoding=json"
	if stream != "" {
		url += "&compress=" + stream
	}
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), url, nil) //nolint:bodyclose // there is none after an upgrade
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return &listener{t: t, conn: conn}
}

func (l *listener) send(text string) {
	l.t.Helper()
	if err := l.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		l.t.Fatal(err)
	}
}

// next returns the next payload.
func (l *listener) next() string {
	l.t.Helper()
	kind, text, err := l.conn.ReadMessage()
	if err != nil {
		l.t.Fatal(err)
	}
	if packed := kind == websocket.BinaryMessage; packed != (l.unpack != nil) {
		l.t.Fatalf("a frame of type %d, compressed: %v", kind, l.unpack != nil)
	}
	if l.unpack != nil {
		text = l.unpack(text)
	}
	return string(text)
}

// closed returns the close code of the service.
func (l *listener) closed() int {
	l.t.Helper()
	for {
		_, _, err := l.conn.ReadMessage()
		if closed, ok := err.(*websocket.CloseError); ok {
			return closed.Code
		}
		if err != nil {
			l.t.Fatal(err)
		}
	}
}

// startDecoder runs a decoder until the test ends. The returned function passes a piece to the decoder and returns the output.
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
		_ = cmd.Wait() // its output has been checked
	})
	return func(piece []byte) []byte {
		t.Helper()
		if _, err := in.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(piece))), piece...)); err != nil {
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
