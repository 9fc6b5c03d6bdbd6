// Package idp is the client side of OpenID Connect: the identity providers of a platform, at which users and operators sign in. It
// reads their configuration, exchanges codes for verified claims, and checks the tokens with which providers end sessions.
package idp

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/auth"
)

// Provider is an OpenID provider. ID, Issuer and ClientID are required.
type Provider struct {
	ID       string // names the provider in URLs
	Name     string // for users; empty: the host of the issuer
	Issuer   string
	ClientID string
	Secret   auth.Secret // empty for a public client
	Scopes   []string    // to request, in addition to openid, profile and email
	// SubjectIsUserID says that the subjects of the provider are ids of users of this service.
	SubjectIsUserID bool
	Operators       Operators
}

// Operators says which users of a provider are operators. Without a claim, none is.
type Operators struct {
	// Claim is the name of the claim of the ID token: a text or a list of texts. A dot leads into an object, as in
	// realm_access.roles, unless a claim has the whole name.
	Claim string
	// Scopes has the scopes of operators for each value of the claim.
	Scopes map[string][]string
}

// DefaultID is the id of the provider that flags describe.
const DefaultID = "default"

// MaxProviders bounds the providers of a service.
const MaxProviders = 20

var providerID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Title returns the name of the provider for users.
func (p Provider) Title() string {
	address, err := url.Parse(p.Issuer)
	switch {
	case p.Name != "":
		return p.Name
	case err != nil:
		return p.Issuer
	}
	return address.Host
}

// Of returns the scopes of an operator with some claims: all that the values of the claim give, in the order of
// auth.OperatorScopes. It is empty for users who are no operators.
func (o Operators) Of(claims map[string]any) []string {
	if o.Claim == "" {
		return nil
	}
	var given []string
	for _, value := range texts(find(claims, o.Claim)) {
		given = append(given, o.Scopes[value]...)
	}
	return slices.DeleteFunc(auth.OperatorScopes(), func(s string) bool { return !slices.Contains(given, s) })
}

// find returns the claim with a name, or the member of an object that the parts of the name lead to.
func find(claims map[string]any, name string) any {
	if v, ok := claims[name]; ok {
		return v
	}
	first, rest, dotted := strings.Cut(name, ".")
	if object, ok := claims[first].(map[string]any); ok && dotted {
		return find(object, rest)
	}
	return nil
}

// texts returns the texts of a claim. Values of other types count as none.
func texts(claim any) []string {
	switch v := claim.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, item := range v {
			if text, ok := item.(string); ok {
				list = append(list, text)
			}
		}
		return list
	}
	return nil
}

// Check returns everything that is wrong with providers.
func Check(list []Provider) error {
	var errs []error
	fail := func(i int, format string, args ...any) {
		errs = append(errs, fmt.Errorf("providers.%d.%w", i, fmt.Errorf(format, args...)))
	}
	if len(list) > MaxProviders {
		errs = append(errs, fmt.Errorf("providers: there are %d, the most are %d", len(list), MaxProviders))
	}
	for i, p := range list {
		same := func(is func(Provider) bool) bool { return slices.ContainsFunc(list[:i], is) }
		switch {
		case !providerID.MatchString(p.ID):
			fail(i, "id: want 1 to 32 lower-case letters, digits and dashes")
		case same(func(other Provider) bool { return other.ID == p.ID }):
			fail(i, "id: another provider has the id %q", p.ID)
		}
		switch {
		case !isIssuer(p.Issuer):
			fail(i, "issuer: want an https URL without a query, such as https://id.example (http is for loopback addresses)")
		case same(func(other Provider) bool { return other.Issuer == p.Issuer }):
			fail(i, "issuer: another provider has the issuer %q", p.Issuer)
		}
		if p.ClientID == "" {
			fail(i, "client_id: is required")
		}
		for _, s := range p.Scopes {
			if strings.ContainsAny(s, " \"\\") || s == "" {
				fail(i, "scopes: %q is no scope", s)
			}
		}
		if err := p.Operators.check(); err != nil {
			fail(i, "operators.%w", err)
		}
	}
	return errors.Join(errs...)
}

func (o Operators) check() error {
	switch {
	case o.Claim == "" && len(o.Scopes) > 0:
		return errors.New("claim: is required")
	case o.Claim != "" && len(o.Scopes) == 0:
		return errors.New("scopes: is required")
	}
	for value, scopes := range o.Scopes {
		for _, s := range scopes {
			if !slices.Contains(auth.OperatorScopes(), s) {
				return fmt.Errorf("scopes.%s: %q is not one of %s", value, s, strings.Join(auth.OperatorScopes(), ", "))
			}
		}
	}
	return nil
}

// isIssuer reports whether a text is the URL of an issuer. Keys and tokens that arrive over plain http could be replaced on the
// way, so only issuers on this machine may use it.
func isIssuer(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(text, "?#") {
		return false
	}
	host := u.Hostname()
	return u.Scheme == "https" || u.Scheme == "http" && (host == "localhost" || host == "::1" || strings.HasPrefix(host, "127."))
}
