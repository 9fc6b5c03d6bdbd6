package interaction

import (
	"errors"

	"github.com/bellhop/bellhop/problem"
)

// Findings about an invocation.
const (
	CommandInvalid   problem.Code = "INTERACTION_APPLICATION_COMMAND_INVALID"
	CommandOutdated  problem.Code = "INTERACTION_APPLICATION_COMMAND_INVALID_VERSION"
	CommandForbidden problem.Code = "INTERACTION_APPLICATION_COMMAND_INVALID_PERMISSIONS"
	OptionMissing    problem.Code = "INTERACTION_APPLICATION_COMMAND_OPTION_MISSING"
	OptionInvalid    problem.Code = "INTERACTION_APPLICATION_COMMAND_OPTIONS_VALUE_INVALID"
	ComponentInvalid problem.Code = "COMPONENT_VALIDATION_FAILED"
)

// What the routes of an interaction's token meet, each with the number it has on the wire.
var (
	ErrUnknownInteraction = errors.New("unknown interaction")                       // 10062
	ErrAcknowledged       = errors.New("interaction has already been acknowledged") // 40060
	ErrUnknownWebhook     = errors.New("unknown webhook")                           // 10015
	ErrUnknownMessage     = errors.New("unknown message")                           // 10008
	ErrTokenExpired       = errors.New("invalid webhook token")                     // 50027
	ErrTooManyFollowUps   = errors.New("too many follow-up messages")               // 40094
)

var refusals = map[problem.Code]string{
	CommandInvalid:   "Invalid interaction application command",
	CommandOutdated:  "This command is outdated, please try again in a few minutes",
	CommandForbidden: "You do not have permission to use this command",
	ComponentInvalid: "Component validation failed",
}

// Refuse returns the error for an invocation that cannot be carried out as a whole: its command is invalid, outdated or
// forbidden, or its component is invalid.
func Refuse(code problem.Code) error {
	var t problem.Tree
	t.At("data").Add(code, refusals[code])
	return t.Err()
}
