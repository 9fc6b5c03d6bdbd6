package httpapi

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/oauthserver"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/registry"

	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
)

// What the edge itself refuses.
var (
	ErrNotFound         = errors.New("no such route")
	errMethod           = errors.New("method not allowed")
	errVersion          = errors.New("invalid API version")
	errOtherApplication = errors.New("token of another application")
	ErrNoBots           = errors.New("bots cannot use this endpoint")
	errOnlyBots         = errors.New("only bots can use this endpoint")
	ErrRecipient        = errors.New("unknown recipient")
	errScope            = errors.New("missing scope")
	errMissingAccess    = errors.New("missing access")
	errTooLarge         = errors.New("body too large")
	errUnready          = errors.New("store does not answer")
	errLimited          = errors.New("rate limit")
	ErrBusy             = errors.New("too many requests under way")
	errInternal         = errors.New("internal error")
	errGone             = errors.New("client is gone")
)

// reply is an error as it goes on the wire.
type reply struct {
	status     int
	Message    string         `json:"message"`
	Code       int            `json:"code"`
	Errors     *jsonbody.Tree `json:"errors,omitzero"`
	RetryAfter *float64       `json:"retry_after,omitzero"` // seconds, on 429 answers
	Global     *bool          `json:"global,omitzero"`      // on 429 answers
}

// replies says how errors are answered. What is in no row is internal and tells nothing.
var replies = []struct {
	is error
	reply
}{
	{auth.ErrUnauthorized, reply{status: http.StatusUnauthorized, Message: "401: Unauthorized"}},
	{ErrNotFound, reply{status: http.StatusNotFound, Message: "404: Not Found"}},
	{errMethod, reply{status: http.StatusMethodNotAllowed, Message: "405: Method Not Allowed"}},
	{errVersion, reply{status: http.StatusBadRequest, Message: "Invalid API version", Code: 50041}},
	{directory.ErrUnknownApplication, reply{status: http.StatusNotFound, Message: "Unknown Application", Code: 10002}},
	{directory.ErrUnknownUser, reply{status: http.StatusNotFound, Message: "Unknown User", Code: 10013}},
	{directory.ErrUnknownGuild, reply{status: http.StatusNotFound, Message: "Unknown Guild", Code: 10004}},
	{directory.ErrUnknownChannel, reply{status: http.StatusNotFound, Message: "Unknown Channel", Code: 10003}},
	{directory.ErrUnknownRole, reply{status: http.StatusNotFound, Message: "Unknown Role", Code: 10011}},
	{directory.ErrUnknownMember, reply{status: http.StatusNotFound, Message: "Unknown Member", Code: 10007}},
	{directory.ErrNotInstalled, reply{status: http.StatusNotFound, Message: "Unknown Integration", Code: 10005}},
	{directory.ErrHidden, reply{status: http.StatusForbidden, Message: "Missing Access", Code: 50001}},
	{directory.ErrNoConversation, reply{status: http.StatusForbidden, Message: "Cannot send messages to this user", Code: 50007}},
	{directory.ErrTooManyGroups, reply{status: http.StatusBadRequest, Message: "Maximum number of group channels reached (" + strconv.Itoa(directory.MaxGroups) + ")"}},
	{directory.ErrOwner, reply{status: http.StatusConflict, Message: "This user owns a guild or an application: give it another owner first"}},
	{ErrRecipient, reply{status: http.StatusBadRequest, Message: "Unknown User", Code: 10013}},
	{errOtherApplication, reply{status: http.StatusForbidden, Message: "You are not authorized to perform this action on this application", Code: 20012}},
	{ErrNoBots, reply{status: http.StatusForbidden, Message: "Bots cannot use this endpoint", Code: 20001}},
	{errOnlyBots, reply{status: http.StatusForbidden, Message: "Only bots can use this endpoint", Code: 20002}},
	{errScope, reply{status: http.StatusForbidden, Message: "Missing required OAuth2 scope", Code: 50026}},
	{errMissingAccess, reply{status: http.StatusForbidden, Message: "Missing Access", Code: 50001}},
	{registry.ErrUnknownCommand, reply{status: http.StatusNotFound, Message: "Unknown application command", Code: 10063}},
	{registry.ErrUnknownPermissions, reply{status: http.StatusNotFound, Message: "Unknown application command permissions", Code: 10066}},
	{registry.ErrMayNotEdit, reply{status: http.StatusForbidden, Message: "Missing Access", Code: 50001}},
	{registry.ErrMissingManage, reply{status: http.StatusForbidden, Message: "Missing Permissions", Code: 50013}},
	{registry.ErrNoSuchRole, reply{status: http.StatusBadRequest, Message: "Unknown Role", Code: 10011}},
	{registry.ErrNoSuchMember, reply{status: http.StatusBadRequest, Message: "Unknown User", Code: 10013}},
	{registry.ErrNoSuchChannel, reply{status: http.StatusBadRequest, Message: "Unknown Channel", Code: 10003}},
	{oauthserver.ErrMayNotInstall, reply{status: http.StatusForbidden, Message: "Missing Permissions", Code: 50013}},
	{permissions.ErrNoAccess, reply{status: http.StatusForbidden, Message: "Missing Access", Code: 50001}},
	{lobbies.ErrUnknownLobby, reply{status: http.StatusNotFound, Message: "Unknown Lobby", Code: 10031}},
	{lobbies.ErrUnknownMessage, reply{status: http.StatusNotFound, Message: "Unknown Message", Code: 10008}},
	{lobbies.ErrUnknownInvite, reply{status: http.StatusNotFound, Message: "Unknown Invite", Code: 10006}},
	{lobbies.ErrNotMember, reply{status: http.StatusForbidden, Message: "Missing Access", Code: 50001}},
	{lobbies.ErrMayNotLink, reply{status: http.StatusForbidden, Message: "Missing Permissions", Code: 50013}},
	{lobbies.ErrChannelType, reply{status: http.StatusBadRequest, Message: "Cannot execute action on this channel type", Code: 50024}},
	{lobbies.ErrNotLeavable, reply{status: http.StatusForbidden, Message: "Missing Permissions", Code: 50013}},
	{lobby.ErrEmptyMessage, reply{status: http.StatusBadRequest, Message: "Cannot send an empty message", Code: 50006}},
	{interaction.ErrUnknownInteraction, reply{status: http.StatusNotFound, Message: "Unknown interaction", Code: 10062}},
	{interaction.ErrAcknowledged, reply{status: http.StatusBadRequest, Message: "Interaction has already been acknowledged.", Code: 40060}},
	{interaction.ErrUnknownWebhook, reply{status: http.StatusNotFound, Message: "Unknown Webhook", Code: 10015}},
	{interaction.ErrUnknownMessage, reply{status: http.StatusNotFound, Message: "Unknown Message", Code: 10008}},
	{interaction.ErrTokenExpired, reply{status: http.StatusUnauthorized, Message: "Invalid Webhook Token", Code: 50027}},
	{interaction.ErrTooManyFollowUps, reply{status: http.StatusBadRequest, Message: "Maximum number of follow-up messages reached (" + strconv.Itoa(interaction.MaxUserFollowUps) + ")", Code: 40094}},
	{message.ErrEmpty, reply{status: http.StatusBadRequest, Message: "Cannot send an empty message", Code: 50006}},
	{dispatch.ErrUnknownGuild, reply{status: http.StatusBadRequest, Message: "Unknown Guild", Code: 10004}},
	{dispatch.ErrUnknownIntegration, reply{status: http.StatusBadRequest, Message: "Unknown Integration", Code: 10005}},
	{dispatch.ErrMissingPermissions, reply{status: http.StatusForbidden, Message: "Missing Permissions", Code: 50013}},
	{dispatch.ErrFileTooLarge, reply{status: http.StatusRequestEntityTooLarge, Message: "Request entity too large", Code: 40005}},
	{dispatch.ErrUnknownInstance, reply{status: http.StatusNotFound, Message: "404: Not Found"}},
	{dispatch.ErrBusy, reply{status: http.StatusServiceUnavailable, Message: "503: Service Unavailable"}},
	{dispatch.ErrClosed, reply{status: http.StatusServiceUnavailable, Message: "503: Service Unavailable"}},
	{attachments.ErrForm, reply{status: http.StatusBadRequest, Message: "The request body contains an invalid form.", Code: 50109}},
	{attachments.ErrTooLarge, reply{status: http.StatusRequestEntityTooLarge, Message: "Request entity too large", Code: 40005}},
	{attachments.ErrFull, reply{status: http.StatusServiceUnavailable, Message: "503: Service Unavailable"}},
	{registry.ErrNameTaken, reply{status: http.StatusBadRequest, Message: "An application command with that name already exists", Code: 40041}},
	{registry.ErrEntryPointDropped, reply{status: http.StatusBadRequest, Message: "A bulk update may not remove the Entry Point command of this application: include it in the list, or delete it on its own", Code: 50240}},
	{jsonbody.ErrInvalid, reply{status: http.StatusBadRequest, Message: "The request body contains invalid JSON.", Code: 50109}},
	{errTooLarge, reply{status: http.StatusRequestEntityTooLarge, Message: "Request entity too large", Code: 40005}},
	{socket.ErrNoUpgrade, reply{status: http.StatusUpgradeRequired, Message: "426: Upgrade Required"}},
	{socket.ErrFull, reply{status: http.StatusServiceUnavailable, Message: "503: Service Unavailable"}},
	{ErrBusy, reply{status: http.StatusServiceUnavailable, Message: "503: Service Unavailable"}},
	{errUnready, reply{status: http.StatusServiceUnavailable, Message: "503: Service Unavailable"}},
	{store.ErrUnavailable, reply{status: http.StatusServiceUnavailable, Message: "503: Service Unavailable"}},
}

// toReply is the only place that knows errors and statuses.
func toReply(err error) reply {
	if tree, ok := errors.AsType[*jsonbody.Tree](err); ok {
		return reply{status: http.StatusBadRequest, Message: "Invalid Form Body", Code: 50035, Errors: tree}
	}
	if limit, ok := errors.AsType[*command.LimitError](err); ok {
		text := "Maximum number of application commands reached (" + strconv.Itoa(limit.Max) + ")"
		return reply{status: http.StatusBadRequest, Message: text, Code: 30032}
	}
	if quota, ok := errors.AsType[*command.QuotaError](err); ok {
		text := "Max number of daily application command creates has been reached (" + strconv.Itoa(quota.Max) + ")"
		seconds, global := round(quota.RetryAfter), false
		return reply{status: http.StatusTooManyRequests, Message: text, Code: 30034, RetryAfter: &seconds, Global: &global}
	}
	if limit, ok := errors.AsType[*lobbies.LimitError](err); ok {
		text := "Maximum number of " + limit.What + " reached (" + strconv.Itoa(limit.Max) + ")"
		return reply{status: http.StatusBadRequest, Message: text, Code: 30019}
	}
	for _, row := range replies {
		if errors.Is(err, row.is) {
			return row.reply
		}
	}
	return reply{status: http.StatusInternalServerError, Message: "500: Internal Server Error"}
}

// round returns seconds with milliseconds, never less than what was given.
func round(d time.Duration) float64 { return math.Ceil(d.Seconds()*1000) / 1000 }

// fail answers with an error.
func (c *Call) fail(err error) {
	if errors.Is(err, errGone) || errors.Is(err, context.Canceled) {
		c.status = statusGone
		return
	}
	if errors.Is(err, errLimited) {
		_ = c.JSON(http.StatusTooManyRequests, c.verdict.AppendBody(nil)) // a client that is gone learns nothing more
		return
	}
	if refused, ok := errors.AsType[*oauthserver.Error](err); ok {
		c.refuse(refused)
		return
	}
	r := toReply(err)
	switch r.status {
	case http.StatusInternalServerError:
		c.frame.Log.ErrorContext(c.Context(), "request failed", "id", c.id, "route", c.pattern, "err", err)
	case http.StatusServiceUnavailable:
		c.Header().Set("Retry-After", "1")
	case http.StatusUpgradeRequired:
		c.Header().Set("Upgrade", "websocket")
		c.Header().Set("Connection", "Upgrade")
	case http.StatusTooManyRequests:
		c.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(*r.RetryAfter))))
		c.Header().Set("X-RateLimit-Scope", "user")
	case http.StatusRequestEntityTooLarge:
		c.Header().Set("Connection", "close") // the rest of the body is not read
	}
	body, err := json.Marshal(r)
	if err != nil {
		body = []byte(`{"message":"500: Internal Server Error","code":0}`)
	}
	_ = c.JSON(r.status, body) // a client that is gone learns nothing more
}

// statusGone stands in logs and metrics for an answer that nobody waited for.
const statusGone = 499

// refuse answers with an error in the form of RFC 6749.
func (c *Call) refuse(e *oauthserver.Error) {
	status := http.StatusBadRequest
	if e.Code == oauthserver.InvalidClient {
		status = http.StatusUnauthorized
		if c.RequestHeader("Authorization") != "" {
			c.Header().Set("Www-Authenticate", `Basic realm="bellhop"`)
		}
	}
	body, err := json.Marshal(struct {
		Error       string `json:"error"`
		Description string `json:"error_description,omitzero"`
	}{e.Code, strings.ToValidUTF8(e.Description, "�")})
	if err != nil {
		c.fail(errInternal)
		return
	}
	c.Header().Set("Cache-Control", "no-store")
	_ = c.JSON(status, body) // a client that is gone learns nothing more
}
