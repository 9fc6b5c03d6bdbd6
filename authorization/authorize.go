package authorization

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"sync"
	"time"
)

const opAuthorize = "authorize"

// authorizeTimeout bounds a sign-in, in case the user never answers.
const authorizeTimeout = 5 * time.Minute

// Grant is the result of a successful sign-in. [Client.Exchange] exchanges its code for a token. A code works once and
// expires soon.
type Grant struct {
	ClientID    uint64 // the application
	Code        Secret
	RedirectURI string // the redirect URI of the sign-in; the exchange must send the same
}

// LogValue leaves the code out.
func (g Grant) LogValue() slog.Value {
	return slog.GroupValue(slog.Uint64("client_id", g.ClientID), slog.String("redirect_uri", g.RedirectURI))
}

// Authorize opens the browser so that the user can consent, and waits up to five minutes for the redirect. It copies a;
// later changes to the record have no effect on this call.
//
// Authorize ignores a redirect without the right state and keeps waiting. The kind of the error is
//   - ErrAuthorizationFailed when the user declines (with the message "access_denied"), when no browser opens, and when
//     only redirects with a wrong state arrived within the five minutes;
//   - ErrAborted when ctx ends or AbortAuthorize is called; the browser window stays open;
//   - ErrValidation when the record is null, has no scope or has a malformed field, and when the client already runs
//     another sign-in.
func (c *Client) Authorize(ctx context.Context, a Args) (Grant, error) {
	req, err := c.newRequest(a)
	if err != nil {
		return Grant{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, authorizeTimeout)
	defer cancel()
	if ctx.Err() != nil {
		return Grant{}, aborted(ctx, opAuthorize)
	}
	f := newFlow(req, cancel)
	if !c.begin(f) {
		return Grant{}, invalid(opAuthorize, "another sign-in is running")
	}
	defer c.end()

	redirectURI := req.link
	if redirectURI == "" {
		l, err := listen(ctx, f)
		if err != nil {
			return Grant{}, unreached(opAuthorize, err)
		}
		defer l.close(ctx)
		redirectURI = l.redirectURI()
	}
	end := c.await(ctx, f, req.url(redirectURI))
	if end.err != nil {
		return Grant{}, end.err
	}
	return Grant{ClientID: req.clientID, Code: end.code, RedirectURI: redirectURI}, nil
}

// AbortAuthorize ends the running sign-in, if there is one. It does not close the browser window.
func (c *Client) AbortAuthorize() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		c.running.cancel()
	}
}

// HandleRedirect passes a deep link to the running sign-in. It returns nil when the link belongs to the sign-in, also
// when the link says that the user declined; Authorize returns the result. The kind of the error is
// ErrAuthorizationFailed when the link has the wrong state (the sign-in continues), and ErrValidation when no sign-in
// waits for the link.
func (c *Client) HandleRedirect(link string) error {
	const op = "handle redirect"
	c.mu.Lock()
	f := c.running
	c.mu.Unlock()
	u, err := url.Parse(link)
	if err != nil || f == nil || f.link == "" || !matchesLink(u, f.link) {
		return invalid(op, "no sign-in waits for this link")
	}
	params, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return invalid(op, "the query of the link is malformed")
	}
	switch f.handleCallback(params) {
	case granted, refused:
		return nil
	case late:
		return invalid(op, "no sign-in waits for this link")
	default:
		return failed(op, stateMismatch)
	}
}

const stateMismatch = "the state does not match"

// begin makes f the running flow. It returns false when another flow is running.
func (c *Client) begin(f *flow) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		return false
	}
	c.running = f
	return true
}

func (c *Client) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = nil
}

// await opens page and waits until f ends. It returns after the browser opener has returned.
func (c *Client) await(ctx context.Context, f *flow, page string) outcome {
	open := c.OpenBrowser
	if open == nil {
		open = SystemBrowser
	}
	opening, stop := context.WithCancel(ctx)
	var opener sync.WaitGroup
	defer opener.Wait()
	defer stop()
	opener.Go(func() {
		if err := open(opening, page); err != nil && opening.Err() == nil {
			f.fail(&ResultError{Op: opAuthorize, Kind: ErrAuthorizationFailed, Message: "no browser", cause: err})
		}
	})
	select {
	case end := <-f.answered:
		return end
	case <-ctx.Done():
	}
	err := aborted(ctx, opAuthorize)
	if errors.Is(err, context.DeadlineExceeded) && f.sawMismatch() {
		err.Kind, err.Message = ErrAuthorizationFailed, stateMismatch
	}
	return f.giveUp(err)
}
