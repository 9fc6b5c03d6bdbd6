package api

import (
	"context"
	"errors"
	"maps"
	"math"
	"net/http"
	"strconv"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
)

// Errors of this layer.
var (
	ErrNotFound         = errors.New("no such route")
	ErrNoBots           = errors.New("bots cannot use this endpoint")
	ErrBusy             = errors.New("too many requests in progress")
	ErrShare            = errors.New("the bodies of the caller take too much memory")
	ErrOperatorScope    = errors.New("operator lacks a scope")
	ErrMediaType        = errors.New("content type not accepted")
	errMethod           = errors.New("method not allowed")
	errOtherOrigin      = errors.New("sent by a page of another origin")
	errDevToken         = errors.New("sent by another machine without the dev token")
	errVersion          = errors.New("invalid API version")
	errOtherApplication = errors.New("token of another application")
	errOnlyBots         = errors.New("only bots can use this endpoint")
	errScope            = errors.New("missing scope")
	errMissingAccess    = errors.New("missing access")
	errTooLarge         = errors.New("body too large")
	errLimited          = errors.New("rate limited")
	errBlocked          = errors.New("address blocked")
	errInternal         = errors.New("internal error")
	errGone             = errors.New("client is gone")
)

// otherMachines is the message of errDevToken.
const otherMachines = "401: From other machines the console and the dev controls need the dev token, as the password of HTTP Basic authentication: see --dev-token"

// ErrorReply says how an error is answered: the HTTP status, and the code and the message of Discord's error object.
type ErrorReply struct {
	Err     error
	Status  int
	Code    int
	Message string
}

// ErrorConverter returns the reply to an error that carries data. It returns false for errors that it does not know.
type ErrorConverter func(r *http.Request, err error) (Reply, bool)

// Reply is the response to an error.
type Reply struct {
	Status     int            `json:"-"`
	Message    string         `json:"message"`
	Code       int            `json:"code"`
	Errors     *jsonbody.Tree `json:"errors,omitzero"`
	RetryAfter *float64       `json:"retry_after,omitzero"` // seconds, on 429
	Global     *bool          `json:"global,omitzero"`      // on 429

	Header http.Header `json:"-"` // further headers
	Body   any         `json:"-"` // sent instead of the members above; nil: they are sent
}

// ownErrors are the rows for the errors of this layer and of the packages below it.
var ownErrors = []ErrorReply{
	{Err: auth.ErrUnauthorized, Status: http.StatusUnauthorized, Message: "401: Unauthorized"},
	{Err: ErrNotFound, Status: http.StatusNotFound, Message: "404: Not Found"},
	{Err: errMethod, Status: http.StatusMethodNotAllowed, Message: "405: Method Not Allowed"},
	{Err: ErrMediaType, Status: http.StatusUnsupportedMediaType, Message: "415: Unsupported Media Type"},
	{Err: errDevToken, Status: http.StatusUnauthorized, Message: otherMachines},
	{Err: errOtherOrigin, Status: http.StatusForbidden, Message: "403: Pages of other origins cannot use the service: see --allow-origin"},
	{Err: errVersion, Status: http.StatusBadRequest, Code: 50041, Message: "Invalid API version"},
	{
		Err: errOtherApplication, Status: http.StatusForbidden, Code: 20012,
		Message: "You are not authorized to perform this action on this application",
	},
	{Err: ErrNoBots, Status: http.StatusForbidden, Code: 20001, Message: "Bots cannot use this endpoint"},
	{Err: errOnlyBots, Status: http.StatusForbidden, Code: 20002, Message: "Only bots can use this endpoint"},
	{Err: errScope, Status: http.StatusForbidden, Code: 50026, Message: "Missing required OAuth2 scope"},
	{Err: ErrOperatorScope, Status: http.StatusForbidden, Code: 50026, Message: "The operator's token lacks a scope that this request needs"},
	{Err: errMissingAccess, Status: http.StatusForbidden, Code: 50001, Message: "Missing Access"},
	{Err: jsonbody.ErrInvalid, Status: http.StatusBadRequest, Code: 50109, Message: "The request body contains invalid JSON."},
	{Err: errTooLarge, Status: http.StatusRequestEntityTooLarge, Code: 40005, Message: "Request entity too large"},
	{Err: ErrShare, Status: http.StatusRequestEntityTooLarge, Code: 40005, Message: "Request entity too large: your requests in progress have too many bytes"},
	{Err: ErrBusy, Status: http.StatusServiceUnavailable, Message: "503: Service Unavailable"},
	{Err: store.ErrUnavailable, Status: http.StatusServiceUnavailable, Message: "503: Service Unavailable"},
}

// OwnErrors returns the rows for the errors of this layer and of the packages below it, for the documentation.
func OwnErrors() []ErrorReply { return ownErrors }

// replyTo returns the reply to an error. An error in no table is internal: the reply does not tell what it is.
func (h *handler) replyTo(r *http.Request, err error) Reply {
	if tree, ok := errors.AsType[*jsonbody.Tree](err); ok {
		return Reply{Status: http.StatusBadRequest, Message: "Invalid Form Body", Code: 50035, Errors: tree}
	}
	for _, convert := range h.ConvertErrors {
		if reply, ok := convert(r, err); ok {
			return reply
		}
	}
	for _, table := range [][]ErrorReply{ownErrors, h.Errors} {
		for _, row := range table {
			if errors.Is(err, row.Err) {
				return Reply{Status: row.Status, Code: row.Code, Message: row.Message}
			}
		}
	}
	return Reply{Status: http.StatusInternalServerError, Message: "500: Internal Server Error"}
}

// statusGone is the status in logs and metrics of a request whose client is gone.
const statusGone = 499

// fail answers with an error.
func (c *Call) fail(err error) {
	if errors.Is(err, errGone) || errors.Is(err, context.Canceled) {
		c.status = statusGone
		return
	}
	if errors.Is(err, errBlocked) {
		c.answerBlocked()
		return
	}
	if errors.Is(err, errLimited) {
		_ = c.JSON(http.StatusTooManyRequests, c.verdict.AppendBody(nil)) // fails when the client is gone
		return
	}
	var r Reply
	if gap, ok := errors.AsType[gapError](err); ok {
		r = c.replyToGap(gap)
	} else {
		r = c.h.replyTo(c.Request, err)
	}
	header := c.Header()
	switch r.Status {
	case http.StatusInternalServerError:
		c.h.Log.ErrorContext(c.Context(), "request failed", "route", c.route.Path, "err", err)
	case http.StatusServiceUnavailable:
		header.Set("Retry-After", "1")
	case http.StatusUpgradeRequired:
		header.Set("Upgrade", "websocket")
		header.Set("Connection", "Upgrade")
	case http.StatusTooManyRequests:
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(*r.RetryAfter))))
		header.Set("X-RateLimit-Scope", "user")
	case http.StatusRequestEntityTooLarge:
		header.Set("Connection", "close") // the rest of the body is not read
		if errors.Is(err, ErrShare) {
			header.Set("Retry-After", "1")
		}
	}
	maps.Copy(header, r.Header)
	var content any = r
	if r.Body != nil {
		content = r.Body
	}
	body, err := json.Marshal(content)
	if err != nil {
		body = []byte(`{"message":"500: Internal Server Error","code":0}`)
	}
	_ = c.JSON(r.Status, body) // fails when the client is gone
}
