package oauth

import "errors"

// Error is an OAuth2 error (RFC 6749).
type Error struct {
	Code        string
	Description string
	// Redirect is the URL to which the browser goes with the error. When it is empty, the error is shown to the user.
	Redirect string
}

// Error returns the code and the description.
func (e *Error) Error() string {
	if e.Description == "" {
		return e.Code
	}
	return e.Code + ": " + e.Description
}

// The error codes.
const (
	InvalidRequest          = "invalid_request"
	InvalidClient           = "invalid_client"
	InvalidGrant            = "invalid_grant"
	InvalidScope            = "invalid_scope"
	UnauthorizedClient      = "unauthorized_client"
	LoginRequired           = "login_required"
	UnsupportedGrantType    = "unsupported_grant_type"
	UnsupportedResponseType = "unsupported_response_type"
	AccessDenied            = "access_denied"
	AuthorizationPending    = "authorization_pending"
	SlowDown                = "slow_down"
	ExpiredToken            = "expired_token"
	TemporarilyUnavailable  = "temporarily_unavailable"
)

var (
	// ErrMayNotInstall says that the user has no permission to manage the guild of an install.
	ErrMayNotInstall = errors.New("may not manage the guild")
	// ErrNoGuild says that the user chose no guild for an install.
	ErrNoGuild = errors.New("no guild chosen")
	// ErrUserCode says that no pending device has a user code.
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

// invalidParameter returns the error of a request whose parameter is missing or invalid.
func invalidParameter(name string) *Error {
	return &Error{Code: InvalidRequest, Description: `Invalid "` + name + `" in request.`}
}

// unauthorizedClient returns the error of an application that may not use a grant type.
func unauthorizedClient(grant string) *Error {
	return &Error{Code: UnauthorizedClient, Description: "The application may not use the grant type " + grant + "."}
}

// TooManyDevices returns the error of an application or an address that has too many devices.
func TooManyDevices(of string) *Error {
	return &Error{Code: SlowDown, Description: "Too many devices of " + of + " wait for their users. Try again later."}
}

func unsupportedGrantType() *Error {
	return &Error{Code: UnsupportedGrantType, Description: "The grant type is missing or not supported."}
}
