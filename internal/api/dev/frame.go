package dev

import (
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// RecordFrame records a payload that the gateway has sent or received. The caller does not modify text afterwards.
func (a *API) RecordFrame(owner session.Owner, way socket.Direction, text []byte) {
	e := Entry{Time: a.Clock.Now().UTC(), Kind: Frame, Application: owner.Application, User: owner.User}
	content := &api.Content{Start: text, Size: int64(len(text))}
	e.Method, e.sent = "received", content
	if way == socket.Sent {
		e.Method, e.sent, e.received = "sent", nil, content
	}
	if v, err := jsonbody.Parse(text); err == nil {
		e.Route = v.Get("t").Text()
		e.Status, _ = strconv.Atoi(v.Get("op").Text()) // 0 without an opcode
		e.Interaction = interactionOf(e.Route, v.Get("d"))
	}
	a.Traffic.Record(e)
}

// interactionOf returns the interaction that an event tells about: its own id, or the one that caused the message.
func interactionOf(event string, data jsonbody.Value) snowflake.Interaction {
	switch {
	case strings.HasPrefix(event, "INTERACTION_"):
		return interactionID(data.Get("id"))
	case strings.HasPrefix(event, "MESSAGE_"):
		return interactionID(data.Get("interaction_metadata").Get("id"))
	}
	return 0
}

// interactionID returns the id of an interaction, or 0 if v is not an id.
func interactionID(v jsonbody.Value) snowflake.Interaction {
	id, _ := jsonbody.ParseID[snowflake.Interaction](&jsonbody.Tree{}, v.Text())
	return id
}
