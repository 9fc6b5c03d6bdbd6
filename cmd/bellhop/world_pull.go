package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/tools/files"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/tools/worldpull"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// worldPull copies a guild of any service that has the API into a world file.
type worldPull struct {
	BaseURL    string `default:"http://127.0.0.1:8080/api/v10" placeholder:"URL" help:"Base URL of the API, with its version. Works with any service that has this API."`
	Token      string `env:"BELLHOP_TOKEN,BELLHOP_BOT_TOKEN" placeholder:"TOKEN" help:"The bot token of an application that is a member of the guild."`
	Guild      string `required:"" placeholder:"ID" help:"The guild id."`
	Members    int    `default:"100" placeholder:"N" help:"Maximum number of members, beside the owner and the bot. Default: 100."`
	Messages   int    `default:"0" placeholder:"N" help:"Number of the newest messages of each text channel, at most 100. Default: 0. Not with --pseudonyms."`
	Pseudonyms bool   `help:"Replace the names and ids of people. The same token gives the same pseudonyms."`
	Output     string `short:"o" type:"path" placeholder:"FILE" env:"-" help:"The file to write. Tokens and settings of an existing file stay. Without a file, the world is printed."`
}

// maxPullWait bounds how long a request of a pull waits for rate limits.
const maxPullWait = 5 * time.Minute

// Run reads the guild and writes the world file.
func (o worldPull) Run(ctx context.Context, s streams) error {
	if o.Token == "" {
		return errNoToken
	}
	if err := remote.CheckEncrypted(o.BaseURL); err != nil {
		return usageError{fmt.Errorf("--base-url: %w", err)}
	}
	guild, err := parseID[snowflake.Guild]("--guild", o.Guild)
	if err != nil {
		return err
	}
	if o.Members < 0 || o.Members > world.MaxMembers {
		return usageError{fmt.Errorf("--members %d: want 0 to %d", o.Members, world.MaxMembers)}
	}
	if o.Messages < 0 || o.Messages > worldpull.MaxMessages {
		return usageError{fmt.Errorf("--messages %d: want 0 to %d", o.Messages, worldpull.MaxMessages)}
	}
	if o.Messages > 0 && o.Pseudonyms {
		return usageError{errors.New("--messages copies what people wrote, and does not go with --pseudonyms")}
	}
	old, err := o.oldWorld()
	if err != nil {
		return err
	}
	bar := terminal.NewProgress(s.err, "read the guild")
	p := &worldpull.Puller{
		Client:   &client.Client{BaseURL: o.BaseURL, Authorization: authorization(o.Token), HTTP: remote.NewClient(version), MaxWait: maxPullWait},
		Progress: bar, Guild: guild, Limit: o.Members, Messages: o.Messages,
	}
	w, err := p.Pull(ctx)
	bar.Clear()
	if err != nil {
		return err
	}
	if o.Pseudonyms {
		worldpull.NewPseudonyms(o.Token).Replace(&w)
	}
	if w, err = worldpull.Merge(w, old); err != nil {
		return fmt.Errorf("the guild does not fit into a world file: %w", err)
	}
	return o.write(s, w, p.Notes)
}

// oldWorld returns the world of the file that is overwritten, which may be empty.
func (o worldPull) oldWorld() (world.World, error) {
	if o.Output == "" {
		return world.World{}, nil
	}
	w, err := files.ReadWorld(o.Output)
	if errors.Is(err, os.ErrNotExist) {
		return world.World{}, nil
	}
	return w, err
}

// write writes the file and prints what it contains.
func (o worldPull) write(s streams, w world.World, notes []string) error {
	text, err := w.YAMLWithSecrets()
	if err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintf(s.err, "note: %s\n", note)
	}
	if o.Output == "" {
		_, err = s.out.Write(text)
		return err
	}
	if err := files.WriteSecret(o.Output, text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %s\n", files.Shown(o.Output), worldpull.Summary(w))
	return err
}
