package devapi

import (
	"strconv"

	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/jsonbody"
)

// RecordFrame records a payload that the gateway has sent or received.
func (a *API) RecordFrame(owner session.Owner, way socket.Direction, text []byte) {
	e := Entry{Time: a.Clock.Now().UTC(), Kind: Frame, Application: owner.Application, User: owner.User}
	content := newContent(httpapi.Content{Start: text, Size: int64(len(text))})
	e.Method, e.Sent = "received", content
	if way == socket.Sent {
		e.Method, e.Sent, e.Received = "sent", nil, content
	}
	if v, err := jsonbody.Parse(text); err == nil {
		e.Route = v.Get("t").Text()
		e.Status, _ = strconv.Atoi(v.Get("op").Text()) // 0 without an opcode
	}
	a.Traffic.Record(e)
}
