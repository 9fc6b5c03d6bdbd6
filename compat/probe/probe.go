// Package probe takes a client library through everything that Bellhop serves and holds what the library shows against
// what it should show. A program hands it a Library; the checks are the same for all of them. The programs in Node have
// the same checks in node/lib.
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

// Library is a client library and what is particular about it.
type Library struct {
	Name   string
	Module string
	// Connect returns a client that sends the given Authorization header, "Bot …" or "Bearer …".
	Connect func(c Config, authorization string) (Client, error)
	// Sends returns what the library can express of a definition, Shows what it can show of a command; nil is everything.
	Sends, Shows func(catalog.Command) catalog.Command
	// ShowsInLanguage is Shows for a list in one language; nil says that the library cannot ask for one.
	ShowsInLanguage func(catalog.Command) catalog.Command
	// NoDictionaries says that the library cannot ask for a list with all languages.
	NoDictionaries bool
	// NoGet says that the library reads single commands under a path that does not exist.
	NoGet bool
	// BotTokenRefused is how the service answers when the library is to change who may use a command without a person.
	BotTokenRefused Failure
	// Line is how the library prints an entry of the tree of errors.
	Line func(catalog.Fault) string
}

// Client makes the library's calls. A guild of "" means the global commands.
type Client interface {
	Overwrite(guild string, commands []catalog.Command) ([]catalog.Command, error)
	Create(guild string, c catalog.Command) (catalog.Command, error)
	// Edit changes name, description and permissions to those of c. A library that can only send whole commands sends c.
	Edit(guild, id string, c catalog.Command) (catalog.Command, error)
	Delete(guild, id string) error
	Get(guild, id string) (catalog.Command, error)
	// List returns the commands with all languages, or in one language when it is named.
	List(guild, locale string) ([]catalog.Command, error)
	// Permit replaces who may use a command in a guild. A library that does not hand on what was answered returns what was
	// asked for.
	Permit(guild, id string, list []catalog.Permission) (catalog.Permissions, error)
	Permissions(guild, id string) (catalog.Permissions, error)
	AllPermissions(guild string) ([]catalog.Permissions, error)
	// Failure returns what the library shows of an error that the service answered.
	Failure(err error) (Failure, bool)
}

// Failure is an error as the library shows it. Lines are the entries of the tree of errors, if there is one.
type Failure struct {
	Status, Code int
	Lines        []string
}

// NoBots is how the service answers a bot that asks for what only a person may.
var NoBots = Failure{Status: http.StatusForbidden, Code: 20001}

// Config is where the service is and who calls it.
type Config struct {
	Origin, Application, BotToken string
	BearerToken                   string // of the application
	PersonToken                   string // a bearer token of the guild's owner, for permissions
	Guild, Channel, Member        string
}

// report is the line that a program prints.
type report struct {
	Library string         `json:"library"`
	Version string         `json:"version"`
	Steps   []string       `json:"steps"`
	Answers map[string]int `json:"answers"`
}

// Main runs the checks on a library, prints what was seen as one line of JSON, and ends the program with 1 when
// something was not as it should be.
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
		"BELLHOP_URL":            &c.Origin,
		"BELLHOP_APPLICATION_ID": &c.Application,
		"BELLHOP_GUILD_ID":       &c.Guild,
		"BELLHOP_BOT_TOKEN":      &c.BotToken,
		"BELLHOP_BEARER_TOKEN":   &c.BearerToken,
		"BELLHOP_PERSON_TOKEN":   &c.PersonToken,
		"BELLHOP_CHANNEL_ID":     &c.Channel,
		"BELLHOP_MEMBER_ID":      &c.Member,
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
