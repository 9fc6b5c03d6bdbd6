package socket

import (
	"errors"
	"fmt"
	"strings"
)

// CloseError closes a connection with a code and a reason that the client gets.
type CloseError struct {
	Code   uint16
	Reason string
}

// Error implements error.
func (c *CloseError) Error() string { return fmt.Sprintf("closed %d: %s", c.Code, c.Reason) }

// The errors that close a connection.
var (
	ErrProtocol      = &CloseError{1002, "Protocol error."}
	ErrUnknown       = &CloseError{4000, "Unknown error."}
	ErrSlow          = &CloseError{4000, "Too slow."}
	ErrSilent        = &CloseError{4000, "No heartbeat."}
	ErrReplaced      = &CloseError{4000, "Resumed elsewhere."}
	ErrRestart       = &CloseError{4000, "Restarting."}
	ErrOpcode        = &CloseError{4001, "Unknown opcode."}
	ErrDecode        = &CloseError{4002, "Error while decoding payload."}
	ErrNotIdentified = &CloseError{4003, "Not authenticated."}
	ErrToken         = &CloseError{4004, "Authentication failed."}
	ErrIdentified    = &CloseError{4005, "Already authenticated."}
	ErrSequence      = &CloseError{4007, "Invalid seq."}
	ErrSessions      = &CloseError{4009, "Too many sessions."}
	ErrTooMany       = &CloseError{4008, "You are being rate limited."}
	ErrShard         = &CloseError{4010, "Invalid shard."}
	ErrNeedsShards   = &CloseError{4011, "Sharding required."}
	ErrVersion       = &CloseError{4012, "Invalid API version."}
	ErrIntents       = &CloseError{4013, "Invalid intent(s)."}
)

// NotAllowed returns the error that names privileged intents that are off, and where to switch them on. A reason has at most
// 123 bytes.
func NotAllowed(off []string) *CloseError {
	return &CloseError{4014, "Disallowed intent(s): " + strings.Join(off, ", ") + ". See intents in the world file."}
}

// ErrDisconnected means that the connection has ended.
var ErrDisconnected = errors.New("the connection has ended")

// toCloseError maps errors to close codes; it is the only place that does. Unknown errors are internal and become
// ErrUnknown.
func toCloseError(err error) *CloseError {
	if c, ok := errors.AsType[*CloseError](err); ok {
		return c
	}
	return ErrUnknown
}
