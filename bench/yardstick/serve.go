package yardstick

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

// Args returns the arguments that make Main respond with the content of a file.
func Args(file, contentType string) []string {
	return []string{"-answer", file, "-type", contentType}
}

// DurableArgs returns the arguments that make Main also store each request in the folder data, in the given number of rows.
func DurableArgs(file, contentType, data string, rows int) []string {
	return append(Args(file, contentType), "-data", data, "-rows", strconv.Itoa(rows))
}

// PostgresArgs returns the arguments that make Main also store each request in a PostgreSQL database.
func PostgresArgs(file, contentType, url string) []string {
	return append(Args(file, contentType), "-postgres", url)
}

// Main runs a yardstick on a free port of 127.0.0.1 until ctx ends. It prints its address.
func Main(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("yardstick", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error has the text
	file := flags.String("answer", "", "file with the body of every response")
	contentType := flags.String("type", "", "content type of every response")
	data := flags.String("data", "", "store request bodies in this folder")
	sockets := flags.Bool("fan", false, "serve WebSockets; POST writes the body to all of them")
	service := flags.String("bot", "", "address of a service; respond to its interactions with the body")
	token := flags.String("token", "", "token of the bot")
	url := flags.String("postgres", "", "store request bodies in this database")
	rows := flags.Int("rows", 1, "number of rows per request body")
	app := flags.String("app", "", "URL of an app to post to for every request")
	relayed := flags.String("body", "", "file with the body for the app")
	if err := flags.Parse(args); err != nil {
		return err
	}
	body, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	if *service != "" {
		return serveBot(ctx, *service, *token, body, stdout)
	}
	if *sockets {
		return serveFan(ctx, body, stdout)
	}
	answer := NewAnswer(*contentType, body)
	if *url != "" {
		p, err := OpenPostgres(ctx, *url, answer)
		if err != nil {
			return err
		}
		defer p.Close()
		return serve(ctx, p, stdout)
	}
	if *data == "" {
		return serve(ctx, answer, stdout)
	}
	durable, err := OpenDurable(ctx, *data, *rows, answer)
	if err != nil {
		return err
	}
	var handler http.Handler = durable
	if *app != "" {
		if handler, err = NewRelay(durable, *app, *relayed); err != nil {
			return errors.Join(err, durable.Close())
		}
	}
	return errors.Join(serve(ctx, handler, stdout), durable.Close())
}

// serve serves until ctx ends, then waits for requests in progress.
func serve(ctx context.Context, handler http.Handler, stdout io.Writer) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	if _, err := fmt.Fprintf(stdout, "listening on http://%s\n", listener.Addr()); err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return server.Shutdown(rest)
}
