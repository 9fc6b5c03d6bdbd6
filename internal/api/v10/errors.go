package v10

import (
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/premium"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/rules/message"
)

const unavailable = "503: Service Unavailable"

// Errors says how the errors of the services are answered.
var Errors = []api.ErrorReply{
	{Err: directory.ErrUnknownChannel, Status: http.StatusNotFound, Code: 10003, Message: "Unknown Channel"},
	{Err: directory.ErrUnknownGuild, Status: http.StatusNotFound, Code: 10004, Message: "Unknown Guild"},
	{Err: directory.ErrUnknownApplication, Status: http.StatusNotFound, Code: 10002, Message: "Unknown Application"},
	{Err: directory.ErrNotInstalled, Status: http.StatusNotFound, Code: 10005, Message: "Unknown Integration"},
	{Err: directory.ErrUnknownMember, Status: http.StatusNotFound, Code: 10007, Message: "Unknown Member"},
	{Err: directory.ErrUnknownRole, Status: http.StatusNotFound, Code: 10011, Message: "Unknown Role"},
	{Err: directory.ErrUnknownUser, Status: http.StatusNotFound, Code: 10013, Message: "Unknown User"},
	{Err: directory.ErrHidden, Status: http.StatusForbidden, Code: 50001, Message: "Missing Access"},
	{Err: directory.ErrNoConversation, Status: http.StatusForbidden, Code: 50007, Message: "Cannot send messages to this user"},
	{
		Err: directory.ErrTooManyGroups, Status: http.StatusBadRequest,
		Message: "Maximum number of group channels reached (" + strconv.Itoa(directory.MaxGroups) + ")",
	},
	{
		Err: directory.ErrOwner, Status: http.StatusConflict,
		Message: "This user owns a guild or an application: give it another owner first",
	},
	{Err: credentials.ErrUnknownOperator, Status: http.StatusNotFound, Message: "Unknown operator"},
	{
		Err: credentials.ErrOperatorScope, Status: http.StatusForbidden, Code: 50026,
		Message: "Your token lacks a scope of this credential",
	},
	{
		Err: credentials.ErrTooManyOperators, Status: http.StatusConflict,
		Message: "Maximum number of operator credentials reached (" + strconv.Itoa(credentials.MaxOperators) + ")",
	},

	{Err: registry.ErrUnknownCommand, Status: http.StatusNotFound, Code: 10063, Message: "Unknown application command"},
	{Err: registry.ErrNameTaken, Status: http.StatusBadRequest, Code: 40041, Message: "An application command with that name already exists"},
	{
		Err: registry.ErrEntryPointDropped, Status: http.StatusBadRequest, Code: 50240,
		Message: "A bulk update may not remove the Entry Point command of this application: include it in the list, or delete it on its own",
	},
	{Err: permissions.ErrUnknownPermissions, Status: http.StatusNotFound, Code: 10066, Message: "Unknown application command permissions"},
	{Err: permissions.ErrMayNotEdit, Status: http.StatusForbidden, Code: 50001, Message: "Missing Access"},
	{Err: permissions.ErrMissingManage, Status: http.StatusForbidden, Code: 50013, Message: "Missing Permissions"},
	{Err: permissions.ErrNoSuchRole, Status: http.StatusBadRequest, Code: 10011, Message: "Unknown Role"},
	{Err: permissions.ErrNoSuchMember, Status: http.StatusBadRequest, Code: 10013, Message: "Unknown User"},
	{Err: permissions.ErrNoSuchChannel, Status: http.StatusBadRequest, Code: 10003, Message: "Unknown Channel"},
	{Err: permissions.ErrNoAccess, Status: http.StatusForbidden, Code: 50001, Message: "Missing Access"},

	{Err: lobbies.ErrUnknownLobby, Status: http.StatusNotFound, Code: 10031, Message: "Unknown Lobby"},
	{Err: lobbies.ErrUnknownMessage, Status: http.StatusNotFound, Code: 10008, Message: "Unknown Message"},
	{Err: lobbies.ErrUnknownInvite, Status: http.StatusNotFound, Code: 10006, Message: "Unknown Invite"},
	{Err: lobbies.ErrSearchOff, Status: http.StatusForbidden, Code: 50001, Message: "Missing Access"},
	{Err: lobbies.ErrNotMember, Status: http.StatusForbidden, Code: 50001, Message: "Missing Access"},
	{Err: lobbies.ErrMayNotLink, Status: http.StatusForbidden, Code: 50013, Message: "Missing Permissions"},
	{Err: lobbies.ErrNotLeavable, Status: http.StatusForbidden, Code: 50013, Message: "Missing Permissions"},
	{Err: lobbies.ErrChannelType, Status: http.StatusBadRequest, Code: 50024, Message: "Cannot execute action on this channel type"},
	{Err: lobby.ErrEmptyMessage, Status: http.StatusBadRequest, Code: 50006, Message: "Cannot send an empty message"},

	{Err: interaction.ErrUnknownInteraction, Status: http.StatusNotFound, Code: 10062, Message: "Unknown interaction"},
	{Err: interaction.ErrAcknowledged, Status: http.StatusBadRequest, Code: 40060, Message: "Interaction has already been acknowledged."},
	{Err: interaction.ErrUnknownWebhook, Status: http.StatusNotFound, Code: 10015, Message: "Unknown Webhook"},
	{Err: interaction.ErrUnknownMessage, Status: http.StatusNotFound, Code: 10008, Message: "Unknown Message"},
	{Err: interaction.ErrTokenExpired, Status: http.StatusUnauthorized, Code: 50027, Message: "Invalid Webhook Token"},
	{
		Err: interaction.ErrTooManyFollowUps, Status: http.StatusBadRequest, Code: 40094,
		Message: "Maximum number of follow-up messages reached (" + strconv.Itoa(interaction.MaxUserFollowUps) + ")",
	},
	{Err: message.ErrEmpty, Status: http.StatusBadRequest, Code: 50006, Message: "Cannot send an empty message"},
	{Err: dispatch.ErrUnknownGuild, Status: http.StatusBadRequest, Code: 10004, Message: "Unknown Guild"},
	{Err: dispatch.ErrUnknownIntegration, Status: http.StatusBadRequest, Code: 10005, Message: "Unknown Integration"},
	{Err: dispatch.ErrMissingPermissions, Status: http.StatusForbidden, Code: 50013, Message: "Missing Permissions"},
	{Err: messages.ErrQuota, Status: http.StatusRequestEntityTooLarge, Code: 40005, Message: "Request entity too large"},
	{Err: attachments.ErrFileTooLarge, Status: http.StatusRequestEntityTooLarge, Code: 40005, Message: "Request entity too large"},
	{Err: premium.ErrUnknownSubscription, Status: http.StatusNotFound, Message: "404: Not Found"},
	{Err: dispatch.ErrUnknownInstance, Status: http.StatusNotFound, Message: "404: Not Found"},
	{Err: dispatch.ErrBusy, Status: http.StatusServiceUnavailable, Message: unavailable},
	{Err: dispatch.ErrClosed, Status: http.StatusServiceUnavailable, Message: unavailable},

	{Err: attachments.ErrForm, Status: http.StatusBadRequest, Code: 50109, Message: "The request body contains an invalid form."},
	{Err: attachments.ErrFormTooLarge, Status: http.StatusRequestEntityTooLarge, Code: 40005, Message: "Request entity too large"},
	{Err: images.ErrUnknown, Status: http.StatusNotFound, Message: "404: Not Found"},
	{Err: attachments.ErrNoRoom, Status: http.StatusServiceUnavailable, Message: unavailable},
	{Err: attachments.ErrUnknownFile, Status: http.StatusNotFound, Message: "404: Not Found"},
	{Err: gateway.ErrNoUpgrade, Status: http.StatusUpgradeRequired, Message: "426: Upgrade Required"},
	{Err: gateway.ErrFull, Status: http.StatusServiceUnavailable, Message: unavailable},
}

// ConvertError answers the errors that carry a limit.
func ConvertError(_ *http.Request, err error) (api.Reply, bool) {
	if limit, ok := errors.AsType[*registry.LimitError](err); ok {
		text := "Maximum number of application commands reached (" + strconv.Itoa(limit.Max) + ")"
		return api.Reply{Status: http.StatusBadRequest, Message: text, Code: 30032}, true
	}
	if quota, ok := errors.AsType[*registry.QuotaError](err); ok {
		text := "Max number of daily application command creates has been reached (" + strconv.Itoa(quota.Max) + ")"
		seconds, global := math.Ceil(quota.RetryAfter.Seconds()*1000)/1000, false // in milliseconds, rounded up
		return api.Reply{Status: http.StatusTooManyRequests, Message: text, Code: 30034, RetryAfter: &seconds, Global: &global}, true
	}
	if limit, ok := errors.AsType[*lobbies.LimitError](err); ok {
		text := "Maximum number of " + limit.What + " reached (" + strconv.Itoa(limit.Max) + ")"
		return api.Reply{Status: http.StatusBadRequest, Message: text, Code: 30019}, true
	}
	if slow, ok := errors.AsType[*messages.SlowModeError](err); ok {
		seconds, global := math.Ceil(slow.Wait.Seconds()*1000)/1000, false
		return api.Reply{
			Status: apierror.Slowmode.Status, Message: apierror.Slowmode.Message, Code: apierror.Slowmode.Code,
			RetryAfter: &seconds, Global: &global,
		}, true
	}
	if e, ok := errors.AsType[*apierror.Error](err); ok {
		return api.Reply{Status: e.Status, Message: e.Message, Code: e.Code}, true
	}
	return api.Reply{}, false
}
