package devtools

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/snowflake"
)

// Attempt is somebody's use of a command, as a developer writes it.
type Attempt struct {
	As   string // a user's id or username
	In   string // a channel's id, or the names of a guild and a channel with a slash between
	Line string // the command as typed; empty: Use says it
	Use  Use
	// Autocomplete names the option for which suggestions are wanted; empty: the command itself is used.
	Autocomplete string
	Files        []dispatch.Upload
	Wait         Wait
}

// Use is a command and what is given to it.
type Use struct {
	Name        string       // with the names of a group and a subcommand behind it
	Type        command.Type // 0: as the name and the target suggest
	Application snowflake.Application
	Options     []Given
	Target      string // of a USER or MESSAGE command: an id or a mention
}

// Wait says what an attempt waits for.
type Wait string

// What can be waited for.
const (
	WaitAnswer Wait = "answer" // the first answer
	WaitFinal  Wait = "final"  // a deferred answer has been filled in
	WaitNone   Wait = "none"   // nothing
)

// AttemptError says what of an attempt cannot be understood.
type AttemptError struct{ Field, Text string }

// Error names the field and what is wrong with it.
func (e *AttemptError) Error() string { return e.Field + ": " + e.Text }

// Invoke lets somebody use a command and returns what came of it. An error is an *AttemptError, or what the service
// refuses the invocation with. Without waiting the outcome has no result.
func (d *Dev) Invoke(ctx context.Context, a Attempt) (dispatch.Outcome, error) {
	call, err := d.call(ctx, a)
	if err != nil {
		return dispatch.Outcome{}, err
	}
	call.Watch = dispatch.NewWatch()
	defer call.Watch.Close()
	if _, err := d.Interactions.Invoke(ctx, call); err != nil {
		return dispatch.Outcome{}, err
	}
	return d.wait(ctx, call.Watch, a.Wait)
}

// wait waits for what is wanted. When the service ends first it is dispatch.ErrClosed.
func (d *Dev) wait(ctx context.Context, w *dispatch.Watch, until Wait) (dispatch.Outcome, error) {
	if until == WaitNone {
		return w.Now(), nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer d.waits.enter(func() { cancel(dispatch.ErrClosed) })()
	wait := w.Answer
	if until == WaitFinal {
		wait = w.Final
	}
	out, err := wait(ctx)
	if err != nil {
		return out, context.Cause(ctx)
	}
	return out, nil
}

// waits are the requests that wait. There are as many as the service has requests under way.
type waits struct {
	mu     sync.Mutex
	of     map[int]func() // what ends each
	next   int
	closed bool
}

// enter takes in a wait that end ends, and returns what is called when it is over.
func (ws *waits) enter(end func()) (leave func()) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.closed {
		end()
		return func() {}
	}
	if ws.of == nil {
		ws.of = map[int]func(){}
	}
	ws.next++
	id := ws.next
	ws.of[id] = end
	return func() {
		ws.mu.Lock()
		defer ws.mu.Unlock()
		delete(ws.of, id)
	}
}

// close ends all waits, and those to come.
func (ws *waits) close() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.closed = true
	for _, end := range ws.of {
		end()
	}
}

// call turns an attempt into what a person's client would send.
func (d *Dev) call(ctx context.Context, a Attempt) (dispatch.Call, error) {
	user, channel, err := d.spot(ctx, a)
	if err != nil {
		return dispatch.Call{}, err
	}
	spot, err := d.Picker.Spot(ctx, user, channel)
	if err != nil {
		return dispatch.Call{}, err
	}
	use, path, err := a.read()
	if err != nil {
		return dispatch.Call{}, err
	}
	found, err := d.find(ctx, spot, use, path[0])
	if err != nil {
		return dispatch.Call{}, err
	}
	definition, err := command.ParseDoc(found.Command.Doc)
	if err != nil {
		return dispatch.Call{}, fmt.Errorf("command %v: %w", found.Command.ID, err)
	}
	options, err := Match(definition, path[1:], use.Options, a.Autocomplete)
	if err != nil {
		return dispatch.Call{}, understood("command", err)
	}
	if err := known(definition, options, a.Autocomplete); err != nil {
		return dispatch.Call{}, err
	}
	return dispatch.Call{User: user, Body: body(a, spot, found, use, options), Files: a.Files}, nil
}

// spot finds who and where.
func (d *Dev) spot(ctx context.Context, a Attempt) (snowflake.User, snowflake.Channel, error) {
	user, err := d.FindUser(ctx, a.As)
	if errors.Is(err, directory.ErrUnknownUser) {
		return 0, 0, d.unknownUser(ctx, a.As)
	}
	if err != nil {
		return 0, 0, err
	}
	channel, err := d.FindChannel(ctx, a.In)
	if errors.Is(err, directory.ErrUnknownChannel) {
		return 0, 0, d.unknownChannel(ctx, a.In)
	}
	return user.ID, channel, err
}

// read returns what is used and the names that lead to it.
func (a *Attempt) read() (Use, []string, error) {
	if a.Line == "" {
		path := []string{a.Use.Name}
		if a.Use.slash() {
			path = strings.Fields(strings.TrimPrefix(a.Use.Name, "/"))
		}
		if len(path) == 0 || path[0] == "" {
			return Use{}, nil, &AttemptError{"command", "no name"}
		}
		return a.Use, path, nil
	}
	l, err := ParseLine(a.Line)
	if err != nil {
		return Use{}, nil, understood("command", err)
	}
	use := Use{Application: a.Use.Application, Options: l.Given, Target: l.Target}
	if l.Slash {
		use.Type = command.ChatInput
	}
	return use, l.Path, nil
}

// slash reports whether a CHAT_INPUT command is meant.
func (u *Use) slash() bool {
	return u.Type == command.ChatInput || u.Type == 0 && (u.Target == "" || strings.HasPrefix(u.Name, "/"))
}

// find returns the command that is meant.
func (d *Dev) find(ctx context.Context, spot *permissions.Spot, use Use, name string) (permissions.Explained, error) {
	wanted := permissions.Named{Type: use.Type, Name: name, Application: use.Application}
	if use.Type == 0 && use.slash() {
		wanted.Type = command.ChatInput
	}
	found, err := d.Picker.Find(ctx, spot, wanted)
	if errors.Is(err, registry.ErrUnknownCommand) && use.Type == 0 && use.Target == "" {
		wanted.Type = 0 // an entry point, or one that lacks its target
		found, err = d.Picker.Find(ctx, spot, wanted)
	}
	if !errors.Is(err, registry.ErrUnknownCommand) {
		return found, err
	}
	names, err := d.Picker.Names(ctx, spot)
	if err != nil {
		return found, err
	}
	if wanted.Type == command.ChatInput || use.slash() {
		name = "/" + name
	}
	return found, &AttemptError{"command", fmt.Sprintf("no command is called %q here%s", name, meant(name, names))}
}

// understood gives an error about a text the name of the field that the text stood in.
func understood(field string, err error) error {
	if e, ok := errors.AsType[*LineError](err); ok {
		return &AttemptError{field, e.Text}
	}
	return err
}

// known reports whether the option for which suggestions are wanted is one.
func known(d command.Definition, options jsonbody.Value, focus string) error {
	if focus == "" {
		return nil
	}
	declared := d.Options
	for list := options.Items(); len(list) == 1 && list[0].Get("options").IsSet(); list = list[0].Get("options").Items() {
		o := named(declared, list[0].Get("name").Text())
		if o == nil || !o.Type.Nests() {
			break
		}
		declared = o.Options
	}
	if named(declared, focus) == nil {
		return &AttemptError{"autocomplete", fmt.Sprintf("there is no option %q%s", focus, meant(focus, names(declared, false)))}
	}
	return nil
}

// body returns what a person's client sends.
func body(a Attempt, spot *permissions.Spot, found permissions.Explained, use Use, options jsonbody.Value) jsonbody.Value {
	c := found.Command
	data := []jsonbody.Member{
		text("id", c.ID.String()), text("version", c.Version.String()), text("name", c.Name),
		{Name: "type", Value: literal(strconv.Itoa(int(c.Type)))},
	}
	if c.Type == command.ChatInput {
		data = append(data, jsonbody.Member{Name: "options", Value: options})
	}
	if id, ok := mention(use.Target, "@!", "@", "#", ""); ok {
		data = append(data, text("target_id", id))
	} else if use.Target != "" {
		data = append(data, text("target_id", use.Target)) // for the service to refuse
	}
	var files []jsonbody.Value
	for _, f := range a.Files {
		files = append(files, jsonbody.ObjectOf(text("id", strconv.Itoa(f.Index)), text("filename", f.Name)))
	}
	if len(files) > 0 {
		data = append(data, jsonbody.Member{Name: "attachments", Value: jsonbody.ListOf(files...)})
	}
	kind := interaction.ApplicationCommand
	if a.Autocomplete != "" {
		kind = interaction.Autocomplete
	}
	members := []jsonbody.Member{
		{Name: "type", Value: literal(strconv.Itoa(int(kind)))},
		text("application_id", found.Application.ID.String()), text("channel_id", spot.Channel.String()),
		{Name: "data", Value: jsonbody.ObjectOf(data...)},
	}
	if guild := spot.Where.Guild; guild != 0 {
		members = append(members, text("guild_id", guild.String()))
	}
	return jsonbody.ObjectOf(members...)
}

func text(name, value string) jsonbody.Member {
	return jsonbody.Member{Name: name, Value: jsonbody.StringOf(value)}
}

// maxNames is how many names are looked at for the one that was meant.
const maxNames = 1000

func (d *Desk) unknownUser(ctx context.Context, written string) error {
	page, err := d.Directory.Users(ctx, 0, maxNames)
	if err != nil {
		return err
	}
	var names []string
	for _, u := range page {
		names = append(names, u.Username)
	}
	return &AttemptError{"as", fmt.Sprintf("nobody is called %q%s", written, meant(written, names))}
}

func (d *Desk) unknownChannel(ctx context.Context, written string) error {
	page, err := d.Directory.Guilds(ctx, 0, maxNames)
	if err != nil {
		return err
	}
	var names []string
	for _, g := range page {
		channels, err := d.Directory.Channels(ctx, g.ID)
		if err != nil {
			return err
		}
		for _, c := range channels {
			if len(names) < maxNames {
				names = append(names, g.Name+"/"+c.Name)
			}
		}
	}
	return &AttemptError{"in", fmt.Sprintf("no channel is called %q%s", written, meant(written, names))}
}
