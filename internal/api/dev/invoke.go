package dev

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Invocation is a command that a developer invokes as a user.
type Invocation struct {
	As   string // id or username of the user
	In   string // id of the channel, or the names of its guild and of the channel with a slash between
	Line string // the command as typed; empty: Use is the command
	Use  Use
	// Autocomplete is the option to get suggestions for; empty: the command itself is invoked.
	Autocomplete string
	// Interaction is the request of the user's client for the use of a component or the submission of a modal. If it is
	// set, there is no command.
	Interaction jsonbody.Value
	Locale      locale.Code // of the user's client; empty: from the user's settings
	Files       []attachments.Upload
	Wait        Wait
	// Timeout bounds the wait in real time; 0: only the time limits of interactions bound it.
	Timeout time.Duration
}

// Use is a command and its input.
type Use struct {
	Name        string       // may contain the names of a group and a subcommand after it
	Type        command.Type // 0: found out from the name and the target
	Application snowflake.Application
	Options     []GivenOption
	Target      string // id or mention, for USER and MESSAGE commands
}

// Wait says how long Invoke waits.
type Wait string

// How long Invoke waits.
const (
	WaitAnswer Wait = "answer" // until the first response
	WaitFinal  Wait = "final"  // until a deferred response is filled in
	WaitNone   Wait = "none"   // not at all
)

// InvocationError says which field of an invocation is wrong, and why.
type InvocationError struct{ Field, Text string }

// Error returns the field and the text.
func (e *InvocationError) Error() string { return e.Field + ": " + e.Text }

// errTimeout ends a wait at its timeout.
var errTimeout = errors.New("the wait is over")

// wait waits for the outcome. After the timeout it returns what is known. It returns dispatch.ErrClosed if the service
// stops first.
func (a *API) wait(ctx context.Context, w *dispatch.Watch, inv Invocation) (dispatch.Outcome, error) {
	if inv.Wait == WaitNone {
		return sent(w.Now()), nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer a.waits.add(func() { cancel(dispatch.ErrClosed) })()
	if inv.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, inv.Timeout, errTimeout)
		defer stop()
	}
	wait := w.Answer
	if inv.Wait == WaitFinal {
		wait = w.Final
	}
	out, err := wait(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		return w.Now(), nil
	}
	if err != nil {
		return out, context.Cause(ctx)
	}
	return out, nil
}

// sent returns an outcome without the answer of the app, which may have come already. If the service did not ask the app,
// the outcome is complete.
func sent(o dispatch.Outcome) dispatch.Outcome {
	if o.Interaction == nil {
		return o
	}
	return dispatch.Outcome{Interaction: o.Interaction, Checked: o.Checked}
}

// waits are the requests that wait for an app. The gate for concurrent requests bounds them.
type waits struct {
	mu     sync.Mutex
	cancel map[int]func()
	next   int
	closed bool
}

// add adds a wait that cancel ends. The caller calls remove when the wait is over.
func (ws *waits) add(cancel func()) (remove func()) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.closed {
		cancel()
		return func() {}
	}
	if ws.cancel == nil {
		ws.cancel = map[int]func(){}
	}
	ws.next++
	id := ws.next
	ws.cancel[id] = cancel
	return func() {
		ws.mu.Lock()
		defer ws.mu.Unlock()
		delete(ws.cancel, id)
	}
}

// close ends all waits, also those that are added later.
func (ws *waits) close() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.closed = true
	for _, cancel := range ws.cancel {
		cancel()
	}
}

// call returns the request that the client of the user would send.
func (a *API) call(ctx context.Context, inv Invocation) (dispatch.InvokeRequest, error) {
	user, channel, err := a.findPlace(ctx, inv.As, inv.In)
	if err != nil {
		return dispatch.InvokeRequest{}, err
	}
	invoker, err := a.Picker.Invoker(ctx, user.ID, channel)
	if err != nil {
		return dispatch.InvokeRequest{}, err
	}
	request := dispatch.InvokeRequest{User: user.ID, Locale: inv.Locale, Files: inv.Files}
	if inv.Interaction.IsSet() {
		request.Body = jsonbody.ObjectOf(place(invoker)...).With(inv.Interaction)
		return request, nil
	}
	use, path, err := inv.read()
	if err != nil {
		return dispatch.InvokeRequest{}, err
	}
	found, err := a.findCommand(ctx, invoker, use, path[0])
	if err != nil {
		return dispatch.InvokeRequest{}, err
	}
	definition, err := found.Command.Definition()
	if err != nil {
		return dispatch.InvokeRequest{}, fmt.Errorf("command %v: %w", found.Command.ID, err)
	}
	names := func(o *command.Option, name string) (string, error) {
		return a.idOf(ctx, invoker.Where.Guild, o.Type, name)
	}
	options, err := Match(definition, path[1:], use.Options, inv.Autocomplete, names)
	if err != nil {
		return dispatch.InvokeRequest{}, inField("command", err)
	}
	if err := checkFocus(definition, options, inv.Autocomplete); err != nil {
		return dispatch.InvokeRequest{}, err
	}
	request.Body = body(inv, invoker, found, use, options)
	return request, nil
}

// findPlace returns the user and the channel with the given names. Without a name it chooses one. The error for an unknown
// name is an *InvocationError.
func (a *API) findPlace(ctx context.Context, as, in string) (*store.User, snowflake.Channel, error) {
	find := manage.Finder{Directory: a.Directory}
	if as == "" {
		id, _, err := find.Default(ctx, 0)
		if err != nil {
			return nil, 0, &InvocationError{"as", "no user sees a channel that takes commands"}
		}
		as = id.String()
	}
	user, err := find.User(ctx, as)
	if errors.Is(err, directory.ErrUnknownUser) {
		return nil, 0, a.unknownUser(ctx, as)
	}
	if err != nil {
		return nil, 0, err
	}
	if in == "" {
		_, channel, err := find.Default(ctx, user.ID)
		if errors.Is(err, directory.ErrUnknownChannel) {
			return nil, 0, &InvocationError{"in", "the user sees no channel that takes commands"}
		}
		return user, channel, err
	}
	channel, err := find.Channel(ctx, in)
	if errors.Is(err, directory.ErrUnknownChannel) {
		return nil, 0, a.unknownChannel(ctx, in)
	}
	return user, channel, err
}

// read returns the command, and its name with those of the group and the subcommand.
func (inv *Invocation) read() (Use, []string, error) {
	if inv.Line == "" {
		path := []string{inv.Use.Name}
		if inv.Use.slash() {
			path = strings.Fields(strings.TrimPrefix(inv.Use.Name, "/"))
		}
		if len(path) == 0 || path[0] == "" {
			return Use{}, nil, &InvocationError{"command", "no name"}
		}
		return inv.Use, path, nil
	}
	l, err := ParseLine(inv.Line)
	if err != nil {
		return Use{}, nil, inField("command", err)
	}
	use := Use{Application: inv.Use.Application, Options: l.Options, Target: l.Target}
	if l.Slash {
		use.Type = command.ChatInput
	}
	return use, l.Path, nil
}

// slash reports whether the command is a CHAT_INPUT command.
func (u *Use) slash() bool {
	return u.Type == command.ChatInput || u.Type == 0 && (u.Target == "" || strings.HasPrefix(u.Name, "/"))
}

// findCommand returns the command with a name. If there is none, the error suggests a similar name.
func (a *API) findCommand(ctx context.Context, invoker *permissions.Invoker, use Use, name string) (permissions.Explanation, error) {
	wanted := permissions.Query{Type: use.Type, Name: name, Application: use.Application}
	if use.Type == 0 && use.slash() {
		wanted.Type = command.ChatInput
	}
	found, err := a.Picker.Find(ctx, invoker, wanted)
	if errors.Is(err, registry.ErrUnknownCommand) && use.Type == 0 && use.Target == "" {
		wanted.Type = 0 // an Entry Point command, or a USER or MESSAGE command without its target
		found, err = a.Picker.Find(ctx, invoker, wanted)
	}
	if !errors.Is(err, registry.ErrUnknownCommand) {
		return found, err
	}
	names, err := a.Picker.Names(ctx, invoker)
	if err != nil {
		return found, err
	}
	if wanted.Type == command.ChatInput || use.slash() {
		name = "/" + name
	}
	return found, &InvocationError{"command", fmt.Sprintf("no command is called %q here%s", name, suggestion(name, names))}
}

// inField adds the name of the field to a *LineError.
func inField(field string, err error) error {
	if e, ok := errors.AsType[*LineError](err); ok {
		return &InvocationError{field, e.Text}
	}
	return err
}

// checkFocus checks that the option to get suggestions for exists.
func checkFocus(d command.Definition, options jsonbody.Value, focus string) error {
	if focus == "" {
		return nil
	}
	declared := d.Options
	for list := options.Items(); len(list) == 1 && list[0].Get("options").IsSet(); list = list[0].Get("options").Items() {
		o := findOption(declared, list[0].Get("name").Text())
		if o == nil || !o.Type.Nests() {
			break
		}
		declared = o.Options
	}
	if findOption(declared, focus) == nil {
		return &InvocationError{"autocomplete", fmt.Sprintf("there is no option %q%s", focus, suggestion(focus, optionNames(declared, false)))}
	}
	return nil
}

// body returns the request body that the client of the user would send.
func body(inv Invocation, invoker *permissions.Invoker, found permissions.Explanation, use Use, options jsonbody.Value) jsonbody.Value {
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
		data = append(data, text("target_id", use.Target)) // the service refuses it
	}
	var files []jsonbody.Value
	for _, f := range inv.Files {
		files = append(files, jsonbody.ObjectOf(text("id", strconv.Itoa(f.Index)), text("filename", f.Name)))
	}
	if len(files) > 0 {
		data = append(data, jsonbody.Member{Name: "attachments", Value: jsonbody.ListOf(files...)})
	}
	kind := interaction.ApplicationCommand
	if inv.Autocomplete != "" {
		kind = interaction.Autocomplete
	}
	members := []jsonbody.Member{
		{Name: "type", Value: literal(strconv.Itoa(int(kind)))},
		text("application_id", found.Application.ID.String()),
		{Name: "data", Value: jsonbody.ObjectOf(data...)},
	}
	return jsonbody.ObjectOf(append(members, place(invoker)...)...)
}

// place returns the members that say where an invocation takes place.
func place(invoker *permissions.Invoker) []jsonbody.Member {
	members := []jsonbody.Member{text("channel_id", invoker.Channel.String())}
	if guild := invoker.Where.Guild; guild != 0 {
		members = append(members, text("guild_id", guild.String()))
	}
	return members
}

func text(name, value string) jsonbody.Member {
	return jsonbody.Member{Name: name, Value: jsonbody.StringOf(value)}
}

// maxNames bounds the names that are searched for a similar one.
const maxNames = 1000

// unknownUser returns an error that suggests a similar username.
func (a *API) unknownUser(ctx context.Context, name string) error {
	page, err := a.Directory.Users.List(ctx, 0, maxNames)
	if err != nil {
		return err
	}
	var names []string
	for _, u := range page {
		names = append(names, u.Username)
	}
	return &InvocationError{"as", fmt.Sprintf("no user is called %q%s", name, suggestion(name, names))}
}

// unknownChannel returns an error that suggests a similar channel name.
func (a *API) unknownChannel(ctx context.Context, name string) error {
	page, err := a.Directory.Guilds.List(ctx, 0, maxNames)
	if err != nil {
		return err
	}
	var names []string
	for _, g := range page {
		channels, err := a.Directory.Guilds.Channels(ctx, g.ID)
		if err != nil {
			return err
		}
		for _, c := range channels {
			if len(names) < maxNames {
				names = append(names, g.Name+"/"+c.Name)
			}
		}
	}
	return &InvocationError{"in", fmt.Sprintf("no channel is called %q%s", name, suggestion(name, names))}
}
