package oauthapi

import (
	"errors"
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/oauthserver"
)

// Errors says how the errors of package oauthserver are answered, except *oauthserver.Error: see ConvertError.
var Errors = []httpapi.ErrorReply{
	{Err: oauthserver.ErrMayNotInstall, Status: http.StatusForbidden, Code: 50013, Message: "Missing Permissions"},
}

// errorBody is an error in the format of RFC 6749.
type errorBody struct {
	Error       string `json:"error"`
	Description string `json:"error_description,omitzero"`
}

// ConvertError answers an *oauthserver.Error in the format of RFC 6749.
func ConvertError(r *http.Request, err error) (httpapi.Reply, bool) {
	e, ok := errors.AsType[*oauthserver.Error](err)
	if !ok {
		return httpapi.Reply{}, false
	}
	reply := httpapi.Reply{
		Status: http.StatusBadRequest, Header: http.Header{"Cache-Control": {"no-store"}},
		Body: errorBody{e.Code, strings.ToValidUTF8(e.Description, "\uFFFD")},
	}
	if e.Code == oauthserver.InvalidClient {
		reply.Status = http.StatusUnauthorized
		if r.Header.Get("Authorization") != "" {
			reply.Header.Set("Www-Authenticate", `Basic realm="bellhop"`)
		}
	}
	return reply, true
}
