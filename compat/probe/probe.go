// Package probe calls every endpoint of Bellhop that a client library supports and checks the results. A program passes a
// Library to Main; the checks are the same for all libraries. The Node programs have the same checks in node/lib.
package probe

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"

	"github.com/bellhop/bellhop/compat/catalog"
)

// Library is a client library, with its differences from the others.
type Library struct {
	Name   string
	Module string
	// Connect returns a client that sends the given Authorization header, "Bot …" or "Bearer …".
	Connect func(c Config, authorization string) (Client, error)
	// Sends removes the fields that the library cannot send from a definition. Shows removes the fields that it cannot
	// return from a command. Nil removes nothing.
	Sends, Shows func(catalog.Command) catalog.Command
	// ShowsInLanguage is like Shows for a list in one language. Nil means that the library cannot request one.
	ShowsInLanguage func(catalog.Command) catalog.Command
	// NoDictionaries means that the library cannot request a list with all languages.
	NoDictionaries bool
	// NoGet means that the library reads single commands at a path that does not exist.
	NoGet bool
	// BotTokenRefused is the expected error when the library edits permissions with a bot token.
	BotTokenRefused Failure
	// Line formats an entry of the error tree as the library does.
	Line func(catalog.Fault) string
}

// Client calls the library. A guild of "" means the global commands.
type Client interface {
	Overwrite(guild string, commands []catalog.Command) ([]catalog.Command, error)
	Create(guild string, c catalog.Command) (catalog.Command, error)
	// Edit changes name, description and permissions to those of c. A library that can only send whole commands sends c.
	Edit(guild, id string, c catalog.Command) (catalog.Command, error)
	Delete(guild, id string) error
	Get(guild, id string) (catalog.Command, error)
	// List returns the commands with all languages, or in one language when it is named.
	List(guild, locale string) ([]catalog.Command, error)
	// Permit replaces the permissions of a command in a guild. For a library that does not return the response, it returns
	// the requested permissions.
	Permit(guild, id string, list []catalog.Permission) (catalog.Permissions, error)
	Permissions(guild, id string) (catalog.Permissions, error)
	AllPermissions(guild string) ([]catalog.Permissions, error)
	// Failure converts an error of the library that represents an error response of the service.
	Failure(err error) (Failure, bool)
}

// Failure is an error of the library. Lines are the entries of the error tree, if there is one.
type Failure struct {
	Status, Code int
	Lines        []string
}

// NoBots is the error of the service for a bot token on an endpoint that only user tokens can use.
var NoBots = Failure{Status: http.StatusForbidden, Code: 20001}

// Config has the address of the service and the tokens.
type Config struct {
	Origin, Application, BotToken string
	BearerToken                   string // of the application
	UserToken                     string // a bearer token of the guild's owner, for permissions
	Guild, Channel, Member        string
}

// report is the line that a program prints.
type report struct {
	Library string         `json:"library"`
	Version string         `json:"version"`
	Steps   []string       `json:"steps"`
	Answers map[string]int `json:"answers"`
}

// Main runs the checks of a library and prints a report as one line of JSON. If a check fails, it exits with code 1.
func Main(l Library) {
	if err := run(l, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", l.Name, err)
		os.Exit(1)
	}
}

func run(l Library, out io.Writer) error {
	c, err := readConfig()
	if err != nil {
		return err
	}
	wanted, err := catalog.Load()
	if err != nil {
		return err
	}
	seen := &answers{next: http.DefaultTransport, count: map[string]int{}}
	http.DefaultTransport = seen // every library sends through it
	s := &session{Library: l, Config: c, catalog: wanted, answers: seen}
	if err := s.run(); err != nil {
		return err
	}
	line, err := json.Marshal(report{l.Name, version(l.Module), s.steps, seen.count})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", line)
	return err
}

func readConfig() (Config, error) {
	var c Config
	for name, value := range map[string]*string{
		"BELLHOP_URL":               &c.Origin,
		"BELLHOP_APPLICATION_ID":    &c.Application,
		"BELLHOP_GUILD_ID":          &c.Guild,
		"BELLHOP_BOT_TOKEN":         &c.BotToken,
		"BELLHOP_BEARER_TOKEN":      &c.BearerToken,
		"BELLHOP_USER_BEARER_TOKEN": &c.UserToken,
		"BELLHOP_CHANNEL_ID":        &c.Channel,
		"BELLHOP_MEMBER_ID":         &c.Member,
	} {
		if *value = os.Getenv(name); *value == "" {
			return Config{}, fmt.Errorf("%s is not set", name)
		}
	}
	return c, nil
}

// version returns the version of a module that the program is built with.
func version(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version
		}
	}
	return ""
}
