package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

const (
	heartbeat  = 20 * time.Second
	answerTime = 30 * time.Second // for the app to answer the interactions that were sent

	unknownInteraction = `"code":10062` // in the response to an answer after the deadline
)

// bot is the gateway session of the app that answers interactions.
type bot struct {
	conn net.Conn
	stop chan struct{}
	work sync.WaitGroup

	mu       sync.Mutex // guards the fields below
	answered int
	err      error
}

// connectBot opens the session and waits for READY.
func (r *soakRun) connectBot(ctx context.Context) (*bot, error) {
	conn, early, _, err := ws.Dialer{}.Dial(ctx, "ws://"+r.service.Addr+socket)
	if err != nil {
		return nil, err
	}
	frames := io.Reader(conn)
	if early != nil {
		frames = io.MultiReader(early, conn)
	}
	b := &bot{conn: conn, stop: make(chan struct{})}
	ready := make(chan struct{})
	b.work.Go(func() { r.answer(ctx, b, bufio.NewReader(frames), ready) })
	b.work.Go(b.beat)
	if err := wsutil.WriteClientText(conn, []byte(identifyAs(botToken, guildsAndMessages))); err != nil {
		return nil, errors.Join(err, b.close())
	}
	select {
	case <-ready:
		return b, nil
	case <-time.After(answerTime):
		return nil, errors.Join(errors.New("the app's session does not become ready"), b.close())
	}
}

// beat sends heartbeats until close.
func (b *bot) beat() {
	for {
		select {
		case <-b.stop:
			return
		case <-time.After(heartbeat):
			_ = wsutil.WriteClientText(b.conn, []byte(`{"op":1,"d":null}`)) // a lost connection shows when the app reads
		}
	}
}

// close ends the session.
func (b *bot) close() error {
	close(b.stop)
	_ = b.conn.Close() // ends the reader
	b.work.Wait()
	return b.err
}

// answer reads events until the connection ends. It answers each interaction and deletes the answer. On a busy machine
// an answer can come after the deadline of the interaction: the service refuses it then, as it must.
func (r *soakRun) answer(ctx context.Context, b *bot, frames *bufio.Reader, ready chan struct{}) {
	for {
		head, err := ws.ReadHeader(frames)
		if err != nil {
			return // close, or the end of the service
		}
		text := make([]byte, head.Length)
		if _, err := io.ReadFull(frames, text); err != nil {
			return
		}
		if head.OpCode != ws.OpText {
			continue
		}
		var event struct {
			T string `json:"t"`
			D struct {
				ID    snowflake.Interaction `json:"id"`
				Token string                `json:"token"`
			} `json:"d"`
		}
		_ = json.Unmarshal(text, &event) // a frame without such an event is not of interest
		switch event.T {
		case "READY":
			close(ready)
		case "INTERACTION_CREATE":
			err := r.call(ctx, http.MethodPost, "/api/v10/interactions/"+event.D.ID.String()+"/"+event.D.Token+"/callback", "", `{"type":4,"data":{"content":"echo"}}`, nil)
			if err != nil && strings.Contains(err.Error(), unknownInteraction) && time.Since(event.D.ID.Time()) >= interaction.Deadline {
				r.countLate()
				b.count(nil)
				continue
			}
			b.count(errors.Join(err, r.call(ctx, http.MethodDelete, "/api/v10/webhooks/1300000000000000001/"+event.D.Token+"/messages/@original", "", "", nil)))
		}
	}
}

// countLate counts an answer that was refused because it came after the deadline.
func (r *soakRun) countLate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.late++
}

// count counts an answer.
func (b *bot) count(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answered++
	b.err = errors.Join(b.err, err)
}

// waitAnswered waits until the app has answered all interactions since the start of the service. An interaction that reached no app
// before its deadline, because the machine stood still, counts as a late answer.
func (r *soakRun) waitAnswered(ctx context.Context) error {
	for end := time.Now().Add(answerTime); ; time.Sleep(10 * time.Millisecond) {
		r.bot.mu.Lock()
		answered, err := r.bot.answered, r.bot.err
		r.bot.mu.Unlock()
		switch {
		case err != nil || ctx.Err() != nil:
			return err
		case answered == r.invoked:
			r.invoked = 0
			return nil
		case time.Now().After(end):
			r.logf("the app answered %d of %d interactions", answered, r.invoked)
			r.mu.Lock()
			r.late += r.invoked - answered
			r.mu.Unlock()
			r.invoked = 0
			return nil
		}
	}
}
