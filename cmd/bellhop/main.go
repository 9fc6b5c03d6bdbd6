// Command bellhop runs the service and manages its files: see bellhop --help.
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
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/tools/usage"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the subcommands. Each has its own file.
type options struct {
	Dev   devOptions   `cmd:"" group:"run" help:"Run the service for development, with a demo world and temporary data."`
	Serve serveOptions `cmd:"" group:"run" help:"Run the service."`

	Run      runOptions      `cmd:"" group:"bot" help:"Run a bot that was written for Discord, unchanged, against a service on this machine."`
	Init     initOptions     `cmd:"" group:"bot" help:"Write a small bot with its commands, its world and scenarios that test it."`
	Test     testOptions     `cmd:"" group:"bot" help:"Run scenario files: conversations with a bot, and what it is expected to answer."`
	Commands commandsOptions `cmd:"" group:"bot" help:"Check, compare, list, push and pull command definitions."`
	Doctor   doctorOptions   `cmd:"" group:"operate" help:"Check the data of a service, or find out why a bot does not answer."`
	Apps     appsOptions     `cmd:"" group:"bot" help:"List the apps, and whether they are online."`
	Invoke   invokeOptions   `cmd:"" group:"bot" help:"Invoke a command as a user, and print the response of the app."`
	Say      sayOptions      `cmd:"" group:"bot" help:"Write, edit, delete or react to a message as a person, and print what apps answer."`
	Load     loadOptions     `cmd:"" group:"bot" help:"Put an app under load: people use commands or write messages at a rate, and the latency of the answers is reported."`
	Explain  explainOptions  `cmd:"" group:"bot" help:"Explain whether a user can use a command in a channel."`
	MCP      mcpOptions      `cmd:"" name:"mcp" group:"bot" help:"Serve tools for coding agents over the Model Context Protocol: run a bot, act as people, find mistakes."`

	World worldOptions `cmd:"" group:"world" help:"Check, apply and export world files."`
	Token tokenOptions `cmd:"" group:"world" help:"Create a token."`

	Audit       auditOptions       `cmd:"" group:"operate" help:"Print the audit log of a running service: who changed what."`
	Backup      backupOptions      `cmd:"" group:"operate" help:"Write all data of a service, which may be running, to one file."`
	Restore     restoreOptions     `cmd:"" group:"operate" help:"Restore a backup into an empty folder or database."`
	Healthcheck healthcheckOptions `cmd:"" group:"operate" help:"Ask a service whether it is ready, for the health check of a container."`
	Lobbies     lobbiesOptions     `cmd:"" group:"operate" help:"List the lobbies of an application, with their idle timeouts and when they shut down."`
	Migrate     migrateOptions     `cmd:"" group:"operate" help:"Copy the data of a service to another database."`

	Conform    conformOptions    `cmd:"" group:"more" help:"Check whether a service conforms to the specification."`
	Parity     parityOptions     `cmd:"" group:"more" help:"List the operations of Discord's API, and which of them this version serves."`
	Docs       docsOptions       `cmd:"" group:"more" help:"Write the documentation as web pages. A running service has it at /docs/."`
	Completion completionOptions `cmd:"" group:"more" help:"Print a script that completes the words of bellhop in a shell."`
	Man        manOptions        `cmd:"" group:"more" help:"Print the manual page."`
	Version    versionOptions    `cmd:"" group:"more" help:"Print the version."`

	ShowVersion kong.VersionFlag `name:"version" env:"-" help:"Print the version."`
}

// streams are the standard output and the standard error of a subcommand.
type streams struct {
	out, err io.Writer
}

// exitCode is an error that sets the exit code of the process and prints nothing.
type exitCode int

// Error returns the code as text.
func (c exitCode) Error() string { return "exit code " + strconv.Itoa(int(c)) }

// usageError is a mistake in the flags or arguments of a subcommand.
type usageError struct{ error }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	exit := -1
	parser, err := kong.New(&options{},
		kong.Name("bellhop"),
		kong.Description(description),
		groups,
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: terminal.Columns}),
		kong.Vars{"version": usage.Build{Version: version, Commit: commit, Date: date}.String()},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exit = code }),
		kong.DefaultEnvars("BELLHOP"),
		usage.ListenAddress,
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(streams{stdout, stderr}),
	)
	if err != nil {
		panic(err) // a mistake in the tags of the option structs
	}
	usage.AddExamples(parser.Model, examples)
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help":
		args = append(args[1:len(args):len(args)], "--help")
	case args[0] == usage.CompleteWord:
		if printCompletions(stdout, parser.Model, args[1:]) != nil {
			return exitFailed
		}
		return exitOK
	}
	parsed, err := parser.Parse(args)
	if exit >= 0 {
		return exit // kong has printed the help
	}
	if err != nil {
		usage.PrintError(stderr, parser.Model, err)
		return exitUsage
	}
	err = parsed.Run()
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}
	if e, ok := errors.AsType[remote.URLError](err); ok {
		err = usageError{fmt.Errorf("--base-url: %w", e)}
	}
	if _, ok := errors.AsType[usageError](err); ok {
		fmt.Fprintf(stderr, "bellhop: %v\nTry: bellhop %s --help\n", err, usage.Path(parsed.Selected()))
		return exitUsage
	}
	if err != nil {
		fmt.Fprintf(stderr, "bellhop: %v\n", remote.Explain(err, usage.TokenSource(parsed.Flags(), args, os.LookupEnv)))
		return exitFailed
	}
	return exitOK
}
