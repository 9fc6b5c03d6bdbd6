package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/transcript"
)

// sayOptions are the flags of "bellhop say".
type sayOptions struct {
	As      string        `placeholder:"USER" help:"Person who acts: id or username. Default: the first user who is in a guild."`
	In      string        `placeholder:"CHANNEL" help:"Channel: id, or names as in GUILD/CHANNEL. Default: the first channel that the person sees."`
	ReplyTo string        `placeholder:"ID" help:"Message that the new message replies to."`
	File    []string      `placeholder:"FILE" type:"existingfile" sep:"none" help:"File of the new message. Repeat the flag for more files."`
	Message string        `placeholder:"ID" help:"Message to act on, with one of the flags --react, --unreact, --edit, --delete and --vote."`
	React   string        `placeholder:"EMOJI" xor:"action" help:"Add a reaction to the message: an emoji such as 👍, or NAME:ID of a custom emoji."`
	Unreact string        `placeholder:"EMOJI" xor:"action" help:"Remove the reaction from the message."`
	Edit    string        `placeholder:"TEXT" xor:"action" help:"Replace the text of the message."`
	Delete  bool          `xor:"action" help:"Delete the message."`
	Vote    []string      `placeholder:"N" xor:"action" help:"Vote for an answer of the poll of the message, from 1; several answers as in 1,2. none takes the vote back."`
	Typing  bool          `xor:"action" help:"Show that the person is typing, without a message."`
	Wait    time.Duration `placeholder:"DURATION" help:"Collect what apps send to the channel for this long, such as 2s, and print it."`
	JSON    bool          `name:"json" help:"Print the whole result as JSON."`
	Service devService    `embed:""`
	Text    string        `arg:"" optional:"" help:"Text of the new message."`
}

// check checks that the flags belong together.
func (o sayOptions) check() error {
	acts := o.React != "" || o.Unreact != "" || o.Edit != "" || o.Delete || len(o.Vote) > 0
	writes := o.Text != "" || len(o.File) > 0 || o.ReplyTo != ""
	switch {
	case (acts || o.Typing) && writes:
		return errors.New("TEXT, --file and --reply-to are for a new message, not for an action on a message or --typing")
	case acts && o.Message == "":
		return errors.New("--react, --unreact, --edit, --delete and --vote need --message")
	case !acts && o.Message != "":
		return errors.New("--message needs --react, --unreact, --edit, --delete or --vote")
	case !acts && !o.Typing && o.Text == "" && len(o.File) == 0:
		return errors.New("expected a TEXT, --file, --typing, or --message with an action")
	}
	_, err := o.saying().Answers()
	return err
}

// saying returns the action of the flags.
func (o sayOptions) saying() remote.Saying {
	return remote.Saying{
		As: o.As, In: o.In, Content: o.Text, ReplyTo: o.ReplyTo, Message: o.Message, React: o.React, Unreact: o.Unreact, Edit: o.Edit,
		Delete: o.Delete, Typing: o.Typing, Vote: o.Vote, Files: o.File, Wait: o.Wait,
	}
}

// Run acts as a person and prints the message, and what apps sent during the wait.
func (o sayOptions) Run(ctx context.Context, s streams) error {
	if err := o.check(); err != nil {
		return usageError{err}
	}
	q, err := o.saying().Request(o.Service.BaseURL)
	if err != nil {
		return err
	}
	response, err := q.Send(ctx)
	if err != nil {
		return remote.Describe(err)
	}
	v, err := jsonbody.Parse(response)
	if err != nil {
		return fmt.Errorf("response of the service: %w", err)
	}
	if !o.JSON {
		without := "deleted"
		if o.Typing {
			without = "typing"
		}
		return transcript.Said(s.out, v, without)
	}
	return printJSON(s, response)
}
