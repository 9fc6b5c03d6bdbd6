package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/transcript"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// sayOptions are the flags of "bellhop say".
type sayOptions struct {
	As      string        `required:"" placeholder:"USER" help:"Person who acts: id or username."`
	In      string        `required:"" placeholder:"CHANNEL" help:"Channel: id, or names as in GUILD/CHANNEL."`
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
	BaseURL string        `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service with dev controls, http://127.0.0.1:8080 by default."`
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
	_, err := o.answers()
	return err
}

// answers returns the answers to vote for.
func (o sayOptions) answers() ([]int, error) {
	list := []int{}
	for _, text := range o.Vote {
		n, err := strconv.Atoi(text)
		switch {
		case text == "none" && len(o.Vote) == 1:
			return list, nil
		case err != nil || n < 1:
			return nil, fmt.Errorf("--vote: %q is not the number of an answer, which is 1 or more", text)
		}
		list = append(list, n)
	}
	return list, nil
}

// Run acts as a person and prints the message, and what apps sent during the wait.
func (o sayOptions) Run(ctx context.Context, s streams) error {
	if err := o.check(); err != nil {
		return usageError{err}
	}
	q, err := o.request()
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
	text := jsontext.Value(response)
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		return fmt.Errorf("response of the service: %w", err)
	}
	_, err = fmt.Fprintf(s.out, "%s\n", text)
	return err
}

// request returns the request to the dev controls: JSON, or a form if there are files.
func (o sayOptions) request() (remote.Request, error) {
	members := map[string]any{"as": o.As, "in": o.In}
	for name, value := range map[string]string{
		"content": o.Text, "reply_to": o.ReplyTo, "message": o.Message, "react": o.React, "unreact": o.Unreact, "edit": o.Edit,
	} {
		if value != "" {
			members[name] = value
		}
	}
	for name, set := range map[string]bool{"delete": o.Delete, "typing": o.Typing} {
		if set {
			members[name] = true
		}
	}
	if len(o.Vote) > 0 {
		answers, err := o.answers()
		if err != nil {
			return remote.Request{}, err
		}
		members["vote"] = answers
	}
	if o.Wait > 0 {
		members["wait"] = o.Wait.String()
	}
	body, err := json.Marshal(members)
	q := remote.Request{
		Method: http.MethodPost, URL: remote.Root(o.BaseURL) + "/_dev/say", ContentType: "application/json", Body: body,
		Timeout: o.Wait + time.Minute,
	}
	if err != nil || len(o.File) == 0 {
		return q, err
	}
	q.Header = http.Header{"X-Bellhop-Dev": {"1"}}
	q.Body, q.ContentType, err = o.form(body)
	return q, err
}

// form returns a form with the request and the files.
func (o sayOptions) form(payload []byte) (form []byte, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.WriteField("payload_json", string(payload)); err != nil {
		return nil, "", err
	}
	for i, name := range o.File {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, "", err
		}
		part, err := w.CreateFormFile("files["+strconv.Itoa(i)+"]", filepath.Base(name))
		if err != nil {
			return nil, "", err
		}
		if _, err := part.Write(content); err != nil {
			return nil, "", err
		}
	}
	err = w.Close()
	return b.Bytes(), w.FormDataContentType(), err
}
