package interaction

import (
	"errors"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Codes of the errors about an invocation.
const (
	CommandInvalid   jsonbody.Code = "INTERACTION_APPLICATION_COMMAND_INVALID"
	CommandOutdated  jsonbody.Code = "INTERACTION_APPLICATION_COMMAND_INVALID_VERSION"
	CommandForbidden jsonbody.Code = "INTERACTION_APPLICATION_COMMAND_INVALID_PERMISSIONS"
	OptionMissing    jsonbody.Code = "INTERACTION_APPLICATION_COMMAND_OPTION_MISSING"
	OptionInvalid    jsonbody.Code = "INTERACTION_APPLICATION_COMMAND_OPTIONS_VALUE_INVALID"
	ComponentInvalid jsonbody.Code = "COMPONENT_VALIDATION_FAILED"
)

// Errors of the routes with an interaction token, with their API codes.
var (
	ErrUnknownInteraction = errors.New("unknown interaction")                       // 10062
	ErrAcknowledged       = errors.New("interaction has already been acknowledged") // 40060
	ErrUnknownWebhook     = errors.New("unknown webhook")                           // 10015
	ErrUnknownMessage     = errors.New("unknown message")                           // 10008
	ErrTokenExpired       = errors.New("invalid webhook token")                     // 50027
	ErrTooManyFollowUps   = errors.New("too many follow-up messages")               // 40094
)

var refusals = map[jsonbody.Code]string{
	CommandInvalid:   "Invalid interaction application command",
	CommandOutdated:  "This command is outdated, please try again in a few minutes",
	CommandForbidden: "You do not have permission to use this command",
	ComponentInvalid: "Component validation failed",
}

// Refuse returns the error for an invocation that is refused as a whole, with one of the codes CommandInvalid,
// CommandOutdated, CommandForbidden and ComponentInvalid.
func Refuse(code jsonbody.Code) error {
	var t jsonbody.Tree
	t.At("data").Add(code, refusals[code])
	return t.Err()
}
