package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// reconnectingClient is a gateway client that returns an error, and does not fail the test, when its connection ends.
type reconnectingClient struct {
	token   string
	intents int
	onEvent func(name string, d jsontext.Value)

	conn    net.Conn
	session string
	seq     uint64
}

var errClosed = errors.New("the connection was closed")

// connect connects to a node and identifies. If resume is set, it resumes its session instead.
func (v *reconnectingClient) connect(p *process, resume bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, early, _, err := ws.Dialer{}.Dial(ctx, "ws"+strings.TrimPrefix(p.Base, "http")+"/gateway/?v=10&encoding=json")
	if err != nil {
		return err
	}
	v.conn = conn
	if early != nil {
		ws.PutReader(early) // drops the Hello frame
	}
	first := fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":%d,"properties":{}}}`, v.token, v.intents)
	if resume && v.session != "" {
		first = fmt.Sprintf(`{"op":6,"d":{"token":%q,"session_id":%q,"seq":%d}}`, v.token, v.session, v.seq)
	}
	if err := wsutil.WriteClientText(conn, []byte(first)); err != nil {
		return errors.Join(err, conn.Close())
	}
	return nil
}

// next reads a frame. It returns the name of the event, or "op N" if the frame is not an event.
func (v *reconnectingClient) next() (string, error) {
	if err := v.conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return "", err
	}
	head, err := ws.ReadHeader(v.conn)
	if err != nil {
		return "", err
	}
	body := make([]byte, head.Length)
	if _, err := readFull(v.conn, body); err != nil {
		return "", err
	}
	if head.OpCode == ws.OpClose {
		return "", errClosed
	}
	var p struct {
		Op int            `json:"op"`
		D  jsontext.Value `json:"d"`
		S  *uint64        `json:"s"`
		T  *string        `json:"t"`
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return "", err
	}
	if p.T == nil {
		return "op " + strconv.Itoa(p.Op), nil
	}
	if *p.S != v.seq+1 && *p.T != "READY" {
		return "", fmt.Errorf("%s has sequence number %d after %d", *p.T, *p.S, v.seq)
	}
	v.seq = *p.S
	if *p.T == "READY" {
		var d struct {
			Session string `json:"session_id"`
		}
		if err := json.Unmarshal(p.D, &d); err != nil {
			return "", err
		}
		v.session = d.Session
	}
	v.onEvent(*p.T, p.D)
	return *p.T, nil
}
