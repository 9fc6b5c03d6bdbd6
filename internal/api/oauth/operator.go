package oauth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/idp"
	"github.com/bellhop/bellhop/internal/store"
)

// Limits on the sessions of operators who signed in at identity providers. A new session replaces the oldest.
const (
	maxOperatorSessions = 20    // of one operator
	maxProviderSessions = 2_000 // of all
)

// signInOperator begins a session of an operator at the console.
func (a *API) signInOperator(w http.ResponseWriter, r *http.Request, at idp.Provider, arrived Arrival) error {
	if len(arrived.Scopes) == 0 {
		a.Sessions.Audit.AddFailure(r.Context(), audit.Entry{Action: "operator.signin_failed", Target: upstreamPath})
		return show(w, http.StatusForbidden, "message", message{
			Title: "You are not an operator", Text: "Your account at the identity provider gives you no access to the console. Ask who runs this service.",
			Fault: "not_an_operator",
		})
	}
	secret, life, err := a.Sessions.SignInOperator(r.Context(), at, arrived)
	if err != nil {
		return err
	}
	api.SetOperatorSession(w.(*api.Call), secret, int(life.Seconds())) // api.Page passes nothing else
	return handOver(w, a.Sessions.at(arrived.Trip.Next), "")
}

// SignInOperator creates a session of an operator whom a provider has confirmed, and returns the secret of its cookie. The scopes
// are those of the moment: a change at the provider has an effect at the next sign-in.
func (s *Sessions) SignInOperator(ctx context.Context, at idp.Provider, arrived Arrival) (auth.Secret, time.Duration, error) {
	now, secret := s.now(), auth.NewAdminToken()
	c := store.Credential{
		Hash: auth.Hash(secret.Reveal()), Kind: store.AdminToken, Name: operatorName(at, arrived.Identity), Scopes: arrived.Scopes,
		Created: now, Expires: now.Add(credentials.OperatorSessionLife), Session: true, Provider: atProvider(arrived.Identity),
	}
	err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		if err := limitOperatorSessions(tx, c.Name); err != nil {
			return err
		}
		err := s.Audit.Add(ctx, tx, audit.Entry{
			Actor: "operator:" + c.Name, Action: "operator.signin", Target: "operator/" + c.Name,
			After: struct {
				Issuer  string   `json:"issuer"`
				Subject string   `json:"subject"`
				Scopes  []string `json:"scopes"`
			}{at.Issuer, arrived.Identity.Subject, arrived.Scopes},
		})
		if err != nil {
			return err
		}
		return tx.Put(c)
	})
	return secret, credentials.OperatorSessionLife, err
}

// operatorName names an operator of a provider, for the audit log: the username or the name, a hash of the subject and the id of the provider.
// Users can choose their usernames at many providers, so the username alone names no one. Names of operators' tokens have no @.
func operatorName(at idp.Provider, id Identity) string {
	sum := sha256.Sum256([]byte(at.Issuer + " " + id.Subject))
	name := username(cmp.Or(id.Username, id.Name, id.Subject))
	return cmp.Or(name, "operator") + "-" + hex.EncodeToString(sum[:5]) + "@" + at.ID
}

// limitOperatorSessions ends the oldest sessions of operators of providers, so that one more can be added for the name.
func limitOperatorSessions(tx *store.Tx, name string) error {
	all, err := tx.Credentials.Credentials(store.AdminToken, 0, 0)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(c store.Credential) bool { return !c.Session || c.Provider.Issuer == "" })
	slices.SortFunc(all, func(a, b store.Credential) int { return a.Created.Compare(b.Created) })
	own, excess := 1, len(all)+1-maxProviderSessions
	for _, c := range all {
		if c.Name == name {
			own++
		}
	}
	for _, c := range all {
		end := excess > 0
		if c.Name == name {
			end = end || own > maxOperatorSessions
			own--
		}
		excess--
		if !end {
			continue
		}
		if err := auth.Revoke(tx, c.Hash); err != nil {
			return err
		}
	}
	return nil
}
