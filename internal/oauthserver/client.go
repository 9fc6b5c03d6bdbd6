package oauthserver

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Client is how an application says who it is.
type Client struct {
	ID string
	// Secrets are the readings of what was sent as its secret: none when none was sent.
	Secrets []string
}

// client is an application that has said who it is.
type client struct {
	*store.Application

	proven bool // it has shown its secret
}

// client returns the application that a client is. Without a secret only public ones are let in, and what is sent as a
// secret must be right also then.
func (g *Grants) client(ctx context.Context, c Client) (client, error) {
	id, err := snowflake.Parse[snowflake.Application](c.ID)
	if err != nil {
		return client{}, invalidClient()
	}
	app, err := g.Directory.Application(ctx, id)
	if errors.Is(err, directory.ErrUnknownApplication) {
		return client{}, invalidClient()
	}
	if err != nil {
		return client{}, err
	}
	for _, secret := range c.Secrets {
		if len(secret) <= auth.MaxTokenLen && auth.Matches(app.SecretHash, secret) {
			return client{app, true}, nil
		}
	}
	if len(c.Secrets) > 0 || !app.PublicClient {
		return client{}, invalidClient()
	}
	return client{app, false}, nil
}
