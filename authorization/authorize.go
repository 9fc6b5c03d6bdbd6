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

// authorizeTimeout bounds a sign-in: nobody waits for a person who has left.
const authorizeTimeout = 5 * time.Minute

// Grant is what a person's consent gives: a code, which Exchange turns into a token, once and soon.
type Grant struct {
	ClientID    uint64 // the application that asked
	Code        Secret
	RedirectURI string // where the answer came; the exchange must name the same
}

// LogValue leaves the code out.
func (g Grant) LogValue() slog.Value {
	return slog.GroupValue(slog.Uint64("client_id", g.ClientID), slog.String("redirect_uri", g.RedirectURI))
}

// Authorize opens the browser for the person to consent and waits for the answer, for five minutes at the most. It
// takes the record as it is now; setting fields later changes nothing.
//
// The answer must carry the state. One that does not is turned away, and the wait goes on; when the time runs out
// without the right one, the error is of kind ErrAuthorizationFailed. So it is when the person declines, with the
// message "access_denied". When ctx ends or AbortAuthorize is called, the kind is ErrAborted; the browser stays as it is.
// A record that is null, names no scope or holds something malformed, and a second call while one runs, are
// ErrValidation.
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

// AbortAuthorize ends the sign-in that is running, if there is one. It closes no window of the browser.
func (c *Client) AbortAuthorize() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		c.running.cancel()
	}
}

// HandleRedirect gives the running sign-in the deep link that the system handed to the program. It returns nil when
// that was the answer, whatever it says: Authorize returns what came of it. A link that does not carry the state is
// ErrAuthorizationFailed and the sign-in goes on; a link for which no sign-in waits is ErrValidation.
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
	switch f.offer(params) {
	case granted, refused:
		return nil
	case late:
		return invalid(op, "no sign-in waits for this link")
	default:
		return failed(op, stateMismatch)
	}
}

const stateMismatch = "the state does not match"

// begin makes f the running flow, unless there is one.
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

// await opens page and waits until f has ended. When it returns the opener has returned too.
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
