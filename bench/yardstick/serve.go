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

// Args returns the arguments with which Main serves an answer whose body is in a file.
func Args(file, contentType string) []string {
	return []string{"-answer", file, "-type", contentType}
}

// DurableArgs returns the arguments with which Main also stores what it is sent in the folder data, in so many rows for
// each request.
func DurableArgs(file, contentType, data string, rows int) []string {
	return append(Args(file, contentType), "-data", data, "-rows", strconv.Itoa(rows))
}

// PostgresArgs returns the arguments with which Main also stores what it is sent in a PostgreSQL database.
func PostgresArgs(file, contentType, url string) []string {
	return append(Args(file, contentType), "-postgres", url)
}

// Main runs a yardstick on a free port of the loopback address until ctx ends. It prints where it listens.
func Main(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("yardstick", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it
	file := flags.String("answer", "", "file with the body of every answer")
	contentType := flags.String("type", "", "content type of every answer")
	data := flags.String("data", "", "folder where request bodies are stored; none: they are not")
	sockets := flags.Bool("fan", false, "serve sockets, and write the body to all of them when asked")
	service := flags.String("bot", "", "address of a service; the body answers its interactions")
	token := flags.String("token", "", "token of the bot")
	url := flags.String("postgres", "", "database where request bodies are stored; none: they are not")
	rows := flags.Int("rows", 1, "rows that each request body is stored in")
	app := flags.String("app", "", "where every request is relayed to; none: it is not")
	relayed := flags.String("body", "", "file with what is relayed")
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

// serve answers requests until ctx ends and all of them are answered.
func serve(ctx context.Context, handler http.Handler, stdout io.Writer) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler} //nolint:gosec // G112: a timer per request is work that a bare server does not do
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
