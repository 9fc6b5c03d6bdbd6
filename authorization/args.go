package authorization

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/optional"
)

// Args are the arguments of [Client.Authorize].
//
// NewArgs returns a valid record with every field unset. The zero value is the null record: it is not valid, its getters
// return zero values, its setters and clearers do nothing, and Authorize rejects it. To make the variable usable, assign
// a valid record to it.
//
// Assignment copies the record; later changes to one copy do not affect the other. The getter of an optional field also
// reports whether the field is set; an empty string counts as set. Several goroutines may read a record at the same time,
// but not while another goroutine changes it.
type Args struct {
	valid    bool
	clientID uint64
	scopes   string

	state         optional.Value[string]
	nonce         optional.Value[string]
	codeChallenge optional.Value[CodeChallenge]
	integration   optional.Value[IntegrationType]
	customScheme  optional.Value[string]
}

// NewArgs returns a valid record with every field unset.
func NewArgs() Args { return Args{valid: true} }

// NullArgs returns the null record, which is the zero value.
func NullArgs() Args { return Args{} }

// Valid reports whether a is not the null record. It does not check the fields; Authorize does.
func (a Args) Valid() bool { return a.valid }

// Clone returns a copy, as assignment does. The clone of a null record is null.
func (a Args) Clone() Args { return a }

// Move returns the record and makes a the null record.
func (a *Args) Move() Args {
	moved := *a
	*a = Args{}
	return moved
}

// Equal reports whether both records are null, or both are valid with the same fields set to the same values.
func (a Args) Equal(b Args) bool { return a == b }

// ClientID returns the application id, or 0 when it is unset.
func (a Args) ClientID() uint64 { return a.clientID }

// SetClientID sets the application. 0 unsets it: Authorize then uses the client's application id.
func (a *Args) SetClientID(id uint64) {
	if a.valid {
		a.clientID = id
	}
}

// Scopes returns the scopes as they were set.
func (a Args) Scopes() string { return a.scopes }

// SetScopes sets the scopes to request, separated by spaces. See [DefaultCommunicationScopes] and
// [DefaultPresenceScopes]. The user has to consent to each further scope, so request only the scopes you need.
func (a *Args) SetScopes(scopes string) {
	if a.valid {
		a.scopes = scopes
	}
}

// State returns the state and whether it is set.
func (a Args) State() (string, bool) { return a.state.Get() }

// SetState sets the value that the redirect must carry. If the state is unset, Authorize makes a random one for each
// call, which is the better choice. Authorize checks the state of the redirect in both cases.
func (a *Args) SetState(state string) { set(a, &a.state, state) }

// ClearState unsets the state.
func (a *Args) ClearState() { unset(&a.state) }

// Nonce returns the nonce and whether it is set.
func (a Args) Nonce() (string, bool) { return a.nonce.Get() }

// SetNonce sets the nonce of the ID token, for a backend that checks ID tokens.
func (a *Args) SetNonce(nonce string) { set(a, &a.nonce, nonce) }

// ClearNonce unsets the nonce.
func (a *Args) ClearNonce() { unset(&a.nonce) }

// CodeChallenge returns the code challenge and whether it is set.
func (a Args) CodeChallenge() (CodeChallenge, bool) { return a.codeChallenge.Get() }

// SetCodeChallenge sets the challenge of the verifier that the program passes to [Client.Exchange]. Without a challenge,
// only a backend that has the client secret can exchange the code.
func (a *Args) SetCodeChallenge(c CodeChallenge) { set(a, &a.codeChallenge, c) }

// ClearCodeChallenge unsets the code challenge.
func (a *Args) ClearCodeChallenge() { unset(&a.codeChallenge) }

// IntegrationType returns the installation type and whether it is set.
func (a Args) IntegrationType() (IntegrationType, bool) { return a.integration.Get() }

// SetIntegrationType sets where to install the app.
func (a *Args) SetIntegrationType(t IntegrationType) { set(a, &a.integration, t) }

// ClearIntegrationType unsets the installation type.
func (a *Args) ClearIntegrationType() { unset(&a.integration) }

// CustomSchemeParam returns the scheme of the deep link and whether it is set.
func (a Args) CustomSchemeParam() (string, bool) { return a.customScheme.Get() }

// SetCustomSchemeParam sets the scheme of the deep link: "mygame" gives mygame:/authorize/callback. See [Redirect] for
// when a sign-in uses a deep link.
func (a *Args) SetCustomSchemeParam(scheme string) { set(a, &a.customScheme, scheme) }

// ClearCustomSchemeParam unsets the scheme. The scheme is then the client's SchemePrefix followed by the application id.
func (a *Args) ClearCustomSchemeParam() { unset(&a.customScheme) }

func set[T any](a *Args, field *optional.Value[T], v T) {
	if a.valid {
		*field = optional.Of(v)
	}
}

// unset does not check for the null record, which has no field set.
func unset[T any](field *optional.Value[T]) { *field = optional.Value[T]{} }

// String returns the application, the scopes and the names of the optional fields that are set, for logs. It leaves out
// their values, because a program that knows the state of a running sign-in can forge its redirect.
func (a Args) String() string {
	if !a.valid {
		return "Args(null)"
	}
	var b strings.Builder
	b.WriteString("Args(client_id=" + strconv.FormatUint(a.clientID, 10) + " scopes=" + strconv.Quote(a.scopes))
	for _, f := range []struct {
		name  string
		unset bool
	}{
		{"state", a.state.IsZero()},
		{"nonce", a.nonce.IsZero()},
		{"code_challenge", a.codeChallenge.IsZero()},
		{"integration_type", a.integration.IsZero()},
		{"custom_scheme_param", a.customScheme.IsZero()},
	} {
		if !f.unset {
			b.WriteString(" " + f.name)
		}
	}
	b.WriteString(")")
	return b.String()
}

// Format writes the text of String for every verb.
func (a Args) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, a.String()) // a Formatter cannot return an error
}
