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

// BotArgs returns the arguments with which Main is a bot: it logs in at the address with a token and answers every
// interaction with the answer's body.
func BotArgs(file, addr, token string) []string {
	return append(Args(file, ""), "-bot", addr, "-token", token)
}

// answersAtOnce is how many interactions a bot answers at the same time.
const answersAtOnce = 64

// bot answers interactions that come over the gateway.
type bot struct {
	addr   string
	answer []byte
	web    *http.Client
}

// interaction is what a bot has to know of one.
type interaction struct {
	T string `json:"t"`
	D struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	} `json:"d"`
}

// serveBot answers until ctx ends. It says where it is once it is ready, as servers do.
func serveBot(ctx context.Context, addr, token string, answer []byte, stdout io.Writer) error {
	b := &bot{addr: addr, answer: answer, web: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: answersAtOnce}}}
	conn, early, _, err := ws.Dial(ctx, "ws://"+addr+"/gateway/?v=10&encoding=json")
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // what is read then fails
	defer stop()
	hello := fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":0,"properties":{}}}`, token)
	if err := ws.WriteFrame(conn, ws.MaskFrameInPlace(ws.NewTextFrame([]byte(hello)))); err != nil {
		return err
	}
	from := io.Reader(conn)
	if early != nil {
		from = io.MultiReader(early, conn)
	}
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(answersAtOnce)
	err = b.listen(bufio.NewReaderSize(from, 64<<10), func(i interaction) {
		if i.T == "READY" {
			_, _ = fmt.Fprintf(stdout, "listening on http://%s\n", addr) // who started it misses it then
			return
		}
		g.Go(func() error { return b.reply(within, i) })
	})
	err = errors.Join(err, g.Wait())
	if ctx.Err() != nil {
		return nil // asked to stop: what was under way fails
	}
	return err
}

// listen hands on READY and interactions.
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
