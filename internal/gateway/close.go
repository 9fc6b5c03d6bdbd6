package gateway

import (
	"errors"
	"fmt"

	"github.com/gobwas/ws"
)

// closing is why a socket is closed, as its client is told.
type closing struct {
	code   ws.StatusCode
	reason string
}

func (c *closing) Error() string { return fmt.Sprintf("closed %d: %s", c.code, c.reason) }

// Every way in which the service ends a connection.
var (
	errProtocol      = &closing{ws.StatusProtocolError, "Protocol error."}
	errUnknown       = &closing{4000, "Unknown error."}
	errSlow          = &closing{4000, "Too slow."}
	errSilent        = &closing{4000, "No heartbeat."}
	errReplaced      = &closing{4000, "Resumed elsewhere."}
	errRestart       = &closing{4000, "Restarting."}
	errOpcode        = &closing{4001, "Unknown opcode."}
	errDecode        = &closing{4002, "Error while decoding payload."}
	errNotIdentified = &closing{4003, "Not authenticated."}
	errToken         = &closing{4004, "Authentication failed."}
	errIdentified    = &closing{4005, "Already authenticated."}
	errSequence      = &closing{4007, "Invalid seq."}
	errTooMany       = &closing{4008, "You are being rate limited."}
	errShard         = &closing{4010, "Invalid shard."}
	errNeedsShards   = &closing{4011, "Sharding required."}
	errVersion       = &closing{4012, "Invalid API version."}
	errIntents       = &closing{4013, "Invalid intent(s)."}
	errNotAllowed    = &closing{4014, "Disallowed intent(s)."}
)

// errForgotten says that a session cannot be resumed.
var errForgotten = errors.New("no such session")

// errGone says that there is nobody left to talk with.
var errGone = errors.New("the connection is gone")

// toClosing is the only place that knows errors and close codes. What it does not know is internal and tells nothing.
func toClosing(err error) *closing {
	if c, ok := errors.AsType[*closing](err); ok {
		return c
	}
	return errUnknown
}
