package oauth

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Client is the client authentication of a request.
type Client struct {
	ID string
	// Secrets are the possible readings of the client secret. It is empty when the request has no secret.
	Secrets []string
	// Assertion is a JWT that the client signed. It is empty when the request has none.
	Assertion string
}

// client is an application that made a request.
type client struct {
	*store.Application

	authenticated bool // the request has the right secret or a valid assertion
}

// allows returns nil when an application may use a grant type, and otherwise an *Error.
func allows(app *store.Application, grant string) *Error {
	types := app.GrantTypes
	if len(types) == 0 {
		types = world.DefaultGrantTypes()
	}
	if slices.Contains(types, grant) {
		return nil
	}
	return unauthorizedClient(grant)
}

// client returns the application of a client. It authenticates by a secret or by an assertion, not by both. A request without a secret is accepted for public clients only. A wrong
// secret is refused for public clients too.
func (s *Server) client(ctx context.Context, c Client) (client, error) {
	if c.Assertion != "" {
		asserted, err := assertedClient(c.Assertion)
		if err != nil {
			return client{}, err
		}
		if len(c.Secrets) > 0 || c.ID != "" && c.ID != asserted {
			return client{}, invalidClient()
		}
		c.ID = asserted
	}
	id, err := snowflake.Parse[snowflake.Application](c.ID)
	if err != nil {
		return client{}, invalidClient()
	}
	app, err := s.Directory.Applications.Application(ctx, id)
	if errors.Is(err, directory.ErrUnknownApplication) {
		return client{}, invalidClient()
	}
	if err != nil {
		return client{}, err
	}
	if c.Assertion != "" {
		return client{app, true}, s.checkAssertion(ctx, app, c.Assertion)
	}
	for _, secret := range c.Secrets {
		if len(secret) <= auth.MaxTokenLen && auth.Matches(app.SecretHash, secret) && !s.Refused[auth.Hash(secret)] {
			return client{app, true}, nil
		}
	}
	if len(c.Secrets) > 0 {
		s.Audit.AddFailure(ctx, audit.Entry{Action: "client.signin_failed", Target: "application/" + id.String()})
	}
	if len(c.Secrets) > 0 || !app.PublicClient {
		return client{}, invalidClient()
	}
	return client{app, false}, nil
}
