// Command bellhop runs the service and works on its files: see bellhop --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/alecthomas/kong"
)

// version is set when a release is built.
var version = "dev"

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the subcommands, one file each.
type options struct {
	Dev      devOptions      `cmd:"" help:"Run with a demo world and dev controls, on temporary data."`
	Serve    serveOptions    `cmd:"" help:"Run the service."`
	World    worldOptions    `cmd:"" help:"Check, apply and export world files."`
	Commands commandsOptions `cmd:"" help:"Work on files of command definitions."`
	Conform  conformOptions  `cmd:"" help:"Hold a service against the specification."`
	Token    tokenOptions    `cmd:"" help:"Mint a token."`
	Invoke   invokeOptions   `cmd:"" help:"Use a command as somebody, and print what the app answered."`
	Explain  explainOptions  `cmd:"" help:"Tell whether somebody can use a command somewhere, and why."`
	Migrate  migrateOptions  `cmd:"" help:"Move the data of an installation."`
	Version  versionOptions  `cmd:"" help:"Print the version."`
}

// streams are where a subcommand writes.
type streams struct {
	out, err io.Writer
}

// exitCode ends the process with a code of the caller's choice; there is nothing to be said about it.
type exitCode int

// Error tells the code.
func (c exitCode) Error() string { return "exit code " + strconv.Itoa(int(c)) }

// usageError is a fault in how a subcommand was called.
type usageError struct{ error }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	exit := -1
	parser, err := kong.New(&options{},
		kong.Name("bellhop"),
		kong.Description("A self-hosted service for application commands, interactions and lobbies.\n\n"+
			"Every flag can also be given as an environment variable. Exit codes: 0 done, 1 the work failed, 2 wrong use."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exit = code }),
		kong.DefaultEnvars("BELLHOP"),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(streams{stdout, stderr}),
	)
	if err != nil {
		panic(err) // the options above are wrong
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if exit >= 0 {
		return exit // help was asked for
	}
	if err != nil {
		fmt.Fprintf(stderr, "bellhop: %v\nTry: bellhop --help\n", err)
		return exitUsage
	}
	err = parsed.Run()
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}
	if _, ok := errors.AsType[usageError](err); ok {
		fmt.Fprintf(stderr, "bellhop: %v\n", err)
		return exitUsage
	}
	if err != nil {
		fmt.Fprintf(stderr, "bellhop: %v\n", err)
		return exitFailed
	}
	return exitDone
}
