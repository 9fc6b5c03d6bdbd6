package server

import (
	"strconv"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/jsonbody"
)

// recorder returns what tells the inspector of payloads of the gateway; nil without dev controls.
func (s *Server) recorder(now clock.Clock) func(session.Who, socket.Direction, []byte) {
	if s.dev == nil {
		return nil
	}
	return func(who session.Who, way socket.Direction, text []byte) {
		s.dev.Requests.Record(frame(who, way, text, now))
	}
}

// frame returns a payload as the inspector shows it: its opcode as the status, the name of its event as the route.
func frame(who session.Who, way socket.Direction, text []byte, now clock.Clock) devtools.Entry {
	e := devtools.Entry{Time: now.Now().UTC(), Kind: devtools.Frame, Application: who.Application, User: who.User}
	content := devtools.NewContent(nil, text, int64(len(text)))
	e.Method, e.Sent = "received", content
	if way == socket.Sent {
		e.Method, e.Sent, e.Received = "sent", nil, content
	}
	if v, err := jsonbody.Parse(text); err == nil {
		e.Route = v.Get("t").Text()
		e.Status, _ = strconv.Atoi(v.Get("op").Text()) // none: 0
	}
	return e
}
