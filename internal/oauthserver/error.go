package oauthserver

import "errors"

// Error is a refusal in the words of RFC 6749. Where it is told to the browser of a person, Back says where the browser
// takes it; empty means nowhere: then it is shown.
type Error struct {
	Code        string
	Description string
	Back        string
}

// Error returns code and description.
func (e *Error) Error() string {
	if e.Description == "" {
		return e.Code
	}
	return e.Code + ": " + e.Description
}

// The codes of errors.
const (
	InvalidRequest          = "invalid_request"
	InvalidClient           = "invalid_client"
	InvalidGrant            = "invalid_grant"
	InvalidScope            = "invalid_scope"
	UnsupportedGrantType    = "unsupported_grant_type"
	UnsupportedResponseType = "unsupported_response_type"
	AccessDenied            = "access_denied"
	AuthorizationPending    = "authorization_pending"
	SlowDown                = "slow_down"
	ExpiredToken            = "expired_token"
)

// What people may not do, or must do first.
var (
	// ErrMayNotInstall says that somebody may not manage the guild that an application should be installed in.
	ErrMayNotInstall = errors.New("may not manage the guild")
	// ErrNoGuild says that no guild was chosen.
	ErrNoGuild = errors.New("no guild chosen")
	// ErrUserCode says that no device waits under a code.
	ErrUserCode = errors.New("unknown user code")
)

func invalidClient() *Error { return &Error{Code: InvalidClient} }

func invalidCode() *Error {
	return &Error{Code: InvalidGrant, Description: `Invalid "code" in request.`}
}

func invalidVerifier() *Error {
	return &Error{Code: InvalidGrant, Description: `Invalid "code_verifier" in request.`}
}

func invalidRefreshToken() *Error {
	return &Error{Code: InvalidGrant, Description: `Invalid "refresh_token" in request`}
}

func invalidScope() *Error {
	return &Error{Code: InvalidScope, Description: "The requested scope is invalid, unknown, or malformed."}
}

// invalidParameter names a parameter of a request that is missing or wrong.
func invalidParameter(name string) *Error {
	return &Error{Code: InvalidRequest, Description: `Invalid "` + name + `" in request.`}
}

func unsupportedGrantType() *Error {
	return &Error{Code: UnsupportedGrantType, Description: "The grant type is missing or not supported."}
}
