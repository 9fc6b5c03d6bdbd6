package yardstick

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/gobwas/ws"
	"golang.org/x/sync/errgroup"
)

// BotArgs returns the arguments that make Main a bot: it connects to the gateway at addr and responds to every interaction with the
// content of file.
func BotArgs(file, addr, token string) []string {
	return append(Args(file, ""), "-bot", addr, "-token", token)
}

// maxCallbacks is the number of concurrent callbacks of a bot.
const maxCallbacks = 64

// bot responds to interactions that it receives over the gateway.
type bot struct {
	addr   string
	answer []byte
	web    *http.Client
}

// interaction is the fields of an event that the bot uses.
type interaction struct {
	T string `json:"t"`
	D struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	} `json:"d"`
}

// serveBot runs the bot until ctx ends. It prints an address when it is ready, as servers do.
func serveBot(ctx context.Context, addr, token string, answer []byte, stdout io.Writer) error {
	b := &bot{addr: addr, answer: answer, web: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: maxCallbacks}}}
	conn, early, _, err := ws.Dial(ctx, "ws://"+addr+"/gateway/?v=10&encoding=json")
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // makes pending reads fail
	defer stop()
	identify := fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":0,"properties":{}}}`, token)
	if err := ws.WriteFrame(conn, ws.MaskFrameInPlace(ws.NewTextFrame([]byte(identify)))); err != nil {
		return err
	}
	from := io.Reader(conn)
	if early != nil {
		from = io.MultiReader(early, conn)
	}
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(maxCallbacks)
	err = b.listen(bufio.NewReaderSize(from, 64<<10), func(i interaction) {
		if i.T == "READY" {
			_, _ = fmt.Fprintf(stdout, "listening on http://%s\n", addr) // process.Start reports a missing line
			return
		}
		g.Go(func() error { return b.reply(within, i) })
	})
	err = errors.Join(err, g.Wait())
	if ctx.Err() != nil {
		return nil // stopped: errors of pending requests do not matter
	}
	return err
}

// listen calls do with each READY and INTERACTION_CREATE event.
func (b *bot) listen(r io.Reader, do func(interaction)) error {
	for {
		f, err := ws.ReadFrame(r)
		if err != nil {
			return err
		}
		var i interaction
		if f.Header.OpCode == ws.OpText && json.Unmarshal(f.Payload, &i) == nil && (i.T == "READY" || i.T == "INTERACTION_CREATE") {
			do(i)
		}
	}
}

// reply sends the callback of an interaction.
func (b *bot) reply(ctx context.Context, i interaction) error {
	url := "http://" + b.addr + "/api/v10/interactions/" + i.D.ID + "/" + i.D.Token + "/callback"
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(b.answer))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := b.web.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusNoContent {
		return fmt.Errorf("callback: %s %s", answer.Status, strings.TrimSpace(string(text)))
	}
	return err
}
