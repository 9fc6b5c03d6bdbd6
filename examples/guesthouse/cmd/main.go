// Command cmd runs the guest house against a service, at a port of its own.
//
//	BELLHOP_BASE_URL=… BELLHOP_BOT_TOKEN=… BELLHOP_APPLICATION_ID=… go run ./examples/guesthouse/cmd
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/examples/guesthouse"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		log.Print(err)
	}
}

func run(ctx context.Context) error {
	id, err := snowflake.Parse[snowflake.Application](os.Getenv("BELLHOP_APPLICATION_ID"))
	if err != nil {
		return fmt.Errorf("BELLHOP_APPLICATION_ID: %w", err)
	}
	api := &client.Client{BaseURL: os.Getenv("BELLHOP_BASE_URL"), Authorization: "Bot " + os.Getenv("BELLHOP_BOT_TOKEN")}
	app := guesthouse.New(api, id, time.Second)
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", cmp.Or(os.Getenv("GUESTHOUSE_LISTEN"), "127.0.0.1:8081"))
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return app.Serve(ctx, ln) })
	g.Go(func() error { return app.Register(ctx, "http://"+ln.Addr().String()) })
	return g.Wait()
}
