// Package userclient is the client of a user: it listens to the gateway and keeps what the user sees.
package userclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/component"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// Client is the client of a user in a scenario: the messages and the form that it shows. It listens to the gateway, so that it sees
// ephemeral messages too.
type Client struct {
	conn net.Conn
	done sync.WaitGroup

	mu       sync.Mutex
	messages map[string][]jsonbody.Value // by channel, in the order of their creation
	gone     map[string]bool             // ids of deleted messages
	threads  map[string]string           // ids of threads, by the id of the guild and the name with a slash between
	events   []happened                  // since the last action of a person
	form     component.Form              // the form that is open; without a modal: none
}

// dialTimeout bounds how long a connection may take to open.
const dialTimeout = 30 * time.Second

// beatEvery is shorter than the interval that the gateway asks for.
const beatEvery = 30 * time.Second

// Connect opens a gateway session of a user at the service with a base URL, and returns after READY.
func Connect(ctx context.Context, base, token string, now clock.Clock) (*Client, error) {
	return connect(ctx, base, token, "online", now)
}

// Observe is Connect for a user who appears offline to others.
func Observe(ctx context.Context, base, token string, now clock.Clock) (*Client, error) {
	return connect(ctx, base, token, "invisible", now)
}

func connect(ctx context.Context, base, token, status string, now clock.Clock) (*Client, error) {
	conn, early, _, err := ws.Dialer{Timeout: dialTimeout}.Dial(ctx, "ws"+strings.TrimPrefix(base, "http")+"/gateway/?v=10&encoding=json")
	if err != nil {
		return nil, fmt.Errorf("connect to the gateway: %w", err)
	}
	p := &Client{conn: conn, messages: map[string][]jsonbody.Value{}, gone: map[string]bool{}, threads: map[string]string{}}
	var in io.Reader = conn
	if early != nil {
		in = io.MultiReader(early, conn)
	}
	login := fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":0,"properties":{"os":"linux"},"presence":{"status":%q,"activities":[],"since":null,"afk":false}}}`, token, status)
	if err := wsutil.WriteClientText(conn, []byte(login)); err != nil {
		return nil, fmt.Errorf("identify: %w", err)
	}
	ready, ended := make(chan struct{}), make(chan struct{})
	p.done.Go(func() {
		defer close(ended)
		p.listen(bufio.NewReader(in), sync.OnceFunc(func() { close(ready) }))
	})
	beat, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p.done.Go(func() {
		defer cancel()
		<-ended
	})
	p.done.Go(func() { p.beat(beat, now) })
	select {
	case <-ready:
		return p, nil
	case <-ended:
		return nil, errors.New("the gateway has closed the session of a user")
	case <-ctx.Done():
		p.Close()
		return nil, ctx.Err()
	}
}

// Close ends the session.
func (u *Client) Close() {
	_ = u.conn.Close() // the service may have closed it
	u.done.Wait()
}

func (u *Client) beat(ctx context.Context, now clock.Clock) {
	for {
		clock.Wait(ctx, now, beatEvery)
		if ctx.Err() != nil || wsutil.WriteClientText(u.conn, []byte(`{"op":1,"d":null}`)) != nil {
			return
		}
	}
}

// listen takes events until the connection ends.
func (u *Client) listen(in io.Reader, ready func()) {
	for {
		frame, err := ws.ReadFrame(in)
		if err != nil || frame.Header.OpCode == ws.OpClose {
			return
		}
		v, err := jsonbody.Parse(frame.Payload)
		if err != nil {
			continue
		}
		if v.Get("t").Text() == "READY" {
			ready()
		}
		u.take(v.Get("t").Text(), v.Get("d"))
	}
}

func (u *Client) take(event string, d jsonbody.Value) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if strings.HasPrefix(event, "MESSAGE_") || event == "THREAD_CREATE" || event == "TYPING_START" {
		u.events = append(u.events, happened{event, d})
	}
	switch event {
	case "MESSAGE_CREATE":
		if u.index(d) < 0 {
			u.put(d)
		}
	case "MESSAGE_UPDATE":
		u.put(d)
	case "MESSAGE_POLL_VOTE_ADD":
		u.countVote(d, 1)
	case "MESSAGE_POLL_VOTE_REMOVE":
		u.countVote(d, -1)
	case "THREAD_CREATE":
		u.threads[d.Get("guild_id").Text()+"/"+d.Get("name").Text()] = d.Get("id").Text()
	case "MESSAGE_DELETE":
		u.gone[d.Get("id").Text()] = true
		if i := u.index(d); i >= 0 {
			channel := d.Get("channel_id").Text()
			u.messages[channel] = slices.Delete(u.messages[channel], i, i+1)
		}
	}
}

// index returns where a message is in the list of its channel, or -1.
func (u *Client) index(m jsonbody.Value) int {
	return slices.IndexFunc(u.messages[m.Get("channel_id").Text()], func(known jsonbody.Value) bool {
		return known.Get("id").Text() == m.Get("id").Text()
	})
}

// put adds a message, or replaces its earlier state.
func (u *Client) put(m jsonbody.Value) {
	channel := m.Get("channel_id").Text()
	if i := u.index(m); i >= 0 {
		u.messages[channel][i] = m
	} else if !u.gone[m.Get("id").Text()] {
		u.messages[channel] = append(u.messages[channel], m)
	}
}

// Answered takes the outcome of an interaction, which may arrive before its events.
func (u *Client) Answered(outcome jsonbody.Value) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, m := range outcome.Get("messages").Items() {
		u.put(m)
	}
	if form, ok := component.FormOf(outcome); ok {
		u.form = form
	}
}

// Seen returns the messages of a channel, oldest first.
func (u *Client) Seen(channel string) []jsonbody.Value {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.messages[channel])
}

// TakeForm returns the open form and closes it.
func (u *Client) TakeForm() component.Form {
	u.mu.Lock()
	defer u.mu.Unlock()
	form := u.form
	u.form = component.Form{}
	return form
}
