package oauth

import (
	"errors"
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/provisional"
	"github.com/bellhop/bellhop/snowflake"
)

// Errors says how the errors of package oauth are answered, except *oauth.Error: see ConvertError.
var Errors = []api.ErrorReply{
	{Err: oauth.ErrMayNotInstall, Status: http.StatusForbidden, Code: 50013, Message: "Missing Permissions"},
}

// errorBody is an error in the format of RFC 6749.
type errorBody struct {
	Error       string `json:"error"`
	Description string `json:"error_description,omitzero"`
}

// linkedBody says with which user a player signs in instead of a provisional one.
type linkedBody struct {
	Message  string         `json:"message"`
	Code     int            `json:"code"`
	User     snowflake.User `json:"user_id"`
	Provider string         `json:"provider_type"`
	Issuer   *string        `json:"provider_id"`
	Subject  string         `json:"provider_issued_user_id"`
}

func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// ConvertError answers a *provisional.LinkedError, and an *oauth.Error in the format of RFC 6749.
func ConvertError(r *http.Request, err error) (api.Reply, bool) {
	if linked, ok := errors.AsType[*provisional.LinkedError](err); ok {
		return api.Reply{Status: http.StatusBadRequest, Body: linkedBody{
			linked.Error(), 530010, linked.User, linked.Provider, nullable(linked.Issuer), linked.Subject,
		}}, true
	}
	e, ok := errors.AsType[*oauth.Error](err)
	if !ok {
		return api.Reply{}, false
	}
	reply := api.Reply{
		Status: http.StatusBadRequest, Header: http.Header{"Cache-Control": {"no-store"}},
		Body: errorBody{e.Code, strings.ToValidUTF8(e.Description, "\uFFFD")},
	}
	if e.Code == oauth.InvalidClient {
		reply.Status = http.StatusUnauthorized
		if r.Header.Get("Authorization") != "" {
			reply.Header.Set("Www-Authenticate", `Basic realm="bellhop"`)
		}
	}
	return reply, true
}
