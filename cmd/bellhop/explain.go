package main

import (
	"context"
	"fmt"

	"github.com/bellhop/bellhop/internal/tools/remote"
)

// explainOptions are the flags of "bellhop explain".
type explainOptions struct {
	As      string     `placeholder:"USER" help:"User: id or username. Default: the first user who is in a guild."`
	In      string     `placeholder:"CHANNEL" help:"Channel: id, or names as in GUILD/CHANNEL. Default: the first channel that the user sees."`
	On      string     `placeholder:"USER" help:"Member that an operation is on: id or name. COMMAND is then kick, ban, nick, timeout, mute, deafen, move, disconnect or flags, and --in a guild."`
	Role    string     `placeholder:"ROLE" help:"Role that an operation is on: id or name. COMMAND is then give-role, edit-role or delete-role, and --in a guild."`
	App     string     `placeholder:"ID" help:"Application id. Needed if several applications have a command with this name."`
	Service devService `embed:""`
	Command string     `arg:"" help:"Name of the command, in any of its languages. Slash commands start with a slash: /ban."`
}

// Run prints whether the user can use the command, or perform the operation, and why. The exit code is 0 in both cases.
func (o explainOptions) Run(ctx context.Context, s streams) error {
	answer, err := remote.Question{BaseURL: o.Service.BaseURL, As: o.As, In: o.In, On: o.On, Role: o.Role, App: o.App, Command: o.Command}.Ask(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, answer)
	return err
}
