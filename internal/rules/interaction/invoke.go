package interaction

import (
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
)

// Invoke is the request of a client that uses a command, a component or a modal.
type Invoke struct {
	Type         Type
	Application  snowflake.Application
	Guild        snowflake.Guild // 0: outside of guilds
	Channel      snowflake.Channel
	Session      string            // gateway session that gets the outcome; empty: all of the user's
	Nonce        string            // repeated in the events about the outcome
	Message      snowflake.Message // of MessageComponent: the message with the component
	MessageFlags message.Flags
	Command      CommandUse   // of ApplicationCommand and Autocomplete
	Component    ComponentUse // of MessageComponent
	Modal        ModalUse     // of ModalSubmit
	// Filenames are the names that the request gives to its files, by the n of files[n].
	Filenames map[int]string
}

// CommandUse is the use of a command.
type CommandUse struct {
	ID            snowflake.Command
	Version       snowflake.Version
	Name          string
	Type          command.Type
	Options       jsonbody.Value // as sent
	TargetUser    snowflake.User
	TargetMessage snowflake.Message
}

// ComponentUse is the use of a component on a message.
type ComponentUse struct {
	Type     message.ComponentType
	CustomID string
	Values   []string
}

// ModalUse is the submission of a modal.
type ModalUse struct {
	Opened     snowflake.Interaction // the interaction that the modal responded to
	CustomID   string
	Components jsonbody.Value // as sent
}

// Limits of an invocation.
const (
	MaxFiles  = 25
	MaxValues = 25
	maxWord   = 100 // session and nonce
)

// ReadInvoke reads the body of an invocation. The error is a *jsonbody.Tree with all errors.
func ReadInvoke(body jsonbody.Value) (Invoke, error) {
	var t jsonbody.Tree
	body, ok := jsonbody.AsObject(&t, body)
	if !ok {
		return Invoke{}, t.Err()
	}
	in := Invoke{
		Type:        readInvokeType(t.At("type"), body.Get("type")),
		Application: jsonbody.ReadID[snowflake.Application](&t, body, "application_id", true),
		Guild:       jsonbody.ReadID[snowflake.Guild](&t, body, "guild_id", false),
		Channel:     jsonbody.ReadID[snowflake.Channel](&t, body, "channel_id", true),
		Session:     jsonbody.ReadText(&t, body, "session_id", false, 0, maxWord),
		Nonce:       readNonce(t.At("nonce"), body.Get("nonce")),
	}
	if in.Type == MessageComponent {
		in.Message = jsonbody.ReadID[snowflake.Message](&t, body, "message_id", true)
		in.MessageFlags = message.Flags(jsonbody.ReadInt(&t, body, "message_flags", 0, jsonbody.MaxInteger))
	}
	in.readData(t.At("data"), body.Get("data"))
	if err := t.Err(); err != nil {
		return Invoke{}, err
	}
	return in, nil
}

// readInvokeType returns 0 for an invalid type.
func readInvokeType(t *jsonbody.Tree, v jsonbody.Value) Type {
	if !v.IsSet() {
		t.Required()
		return 0
	}
	n, ok := jsonbody.AsWhole(t, v)
	switch {
	case !ok:
		return 0
	case n < int64(ApplicationCommand) || n > int64(ModalSubmit):
		jsonbody.NotOneOfInts(t, ApplicationCommand, MessageComponent, Autocomplete, ModalSubmit)
		return 0
	}
	return Type(n)
}

// readNonce accepts a string or an integer, and returns an integer as its digits.
func readNonce(t *jsonbody.Tree, v jsonbody.Value) string {
	switch {
	case !v.IsSet():
		return ""
	case jsonbody.IsInteger(v):
	default:
		if _, ok := jsonbody.AsString(t, v); !ok {
			return ""
		}
	}
	jsonbody.CheckLength(t, jsonbody.Len(v.Text()), 0, maxWord)
	return v.Text()
}

func (in *Invoke) readData(t *jsonbody.Tree, v jsonbody.Value) {
	if !v.IsSet() {
		t.Required()
		return
	}
	v, ok := jsonbody.AsObject(t, v)
	if !ok {
		return
	}
	switch in.Type {
	case ApplicationCommand, Autocomplete:
		in.Command.read(t, v)
		in.readFilenames(t, v)
	case MessageComponent:
		in.Component.read(t, v)
	case ModalSubmit:
		in.Modal.read(t, v)
		in.readFilenames(t, v)
	default: // readInvokeType has added an error
	}
}

func (u *CommandUse) read(t *jsonbody.Tree, v jsonbody.Value) {
	u.ID = jsonbody.ReadID[snowflake.Command](t, v, "id", true)
	u.Version = jsonbody.ReadID[snowflake.Version](t, v, "version", true)
	u.Name = jsonbody.ReadText(t, v, "name", true, 0, -1)
	u.Type = readCommandType(t.At("type"), v.Get("type"))
	switch u.Type {
	case command.ChatInput:
		if list := v.Get("options"); list.IsSet() {
			if _, ok := jsonbody.AsList(t.At("options"), list); ok {
				u.Options = list
			}
		}
	case command.User:
		u.TargetUser = jsonbody.ReadID[snowflake.User](t, v, "target_id", true)
	case command.Message:
		u.TargetMessage = jsonbody.ReadID[snowflake.Message](t, v, "target_id", true)
	case command.PrimaryEntryPoint:
	}
}

func readCommandType(t *jsonbody.Tree, v jsonbody.Value) command.Type {
	if !v.IsSet() {
		return command.ChatInput
	}
	n, ok := jsonbody.AsWhole(t, v)
	switch {
	case !ok:
		return 0
	case n < int64(command.ChatInput) || n > int64(command.PrimaryEntryPoint):
		jsonbody.NotOneOfInts(t, command.ChatInput, command.User, command.Message, command.PrimaryEntryPoint)
		return 0
	}
	return command.Type(n)
}

func (u *ComponentUse) read(t *jsonbody.Tree, v jsonbody.Value) {
	key := "component_type"
	if !v.Get(key).IsSet() && v.Get("type").IsSet() {
		key = "type"
	}
	if !v.Get(key).IsSet() {
		t.At(key).Required()
	} else if n, ok := jsonbody.AsWhole(t.At(key), v.Get(key)); ok {
		u.Type = message.AsInteractive(t.At(key), n)
	}
	u.CustomID = jsonbody.ReadText(t, v, "custom_id", true, 1, message.MaxCustomID)
	list := v.Get("values")
	if !list.IsSet() {
		return
	}
	at := t.At("values")
	items, _ := jsonbody.AsList(at, list)
	if len(items) > MaxValues {
		at.Length(-1, MaxValues)
		items = items[:MaxValues]
	}
	for i, item := range items {
		s, _ := jsonbody.AsString(at.Index(i), item)
		u.Values = append(u.Values, s)
	}
}

func (u *ModalUse) read(t *jsonbody.Tree, v jsonbody.Value) {
	u.Opened = jsonbody.ReadID[snowflake.Interaction](t, v, "id", true)
	u.CustomID = jsonbody.ReadText(t, v, "custom_id", true, 1, message.MaxCustomID)
	at, list := t.At("components"), v.Get("components")
	if !list.IsSet() {
		at.Required()
		return
	}
	if _, ok := jsonbody.AsList(at, list); ok {
		u.Components = list
	}
}

// readFilenames reads the names that the request gives to its files.
func (in *Invoke) readFilenames(t *jsonbody.Tree, v jsonbody.Value) {
	list := v.Get("attachments")
	if !list.IsSet() {
		return
	}
	at := t.At("attachments")
	items, _ := jsonbody.AsItems(at, list, MaxFiles)
	for i, item := range items {
		item, ok := jsonbody.AsItem(at.Index(i), item)
		if !ok {
			continue
		}
		name := jsonbody.ReadText(at.Index(i), item, "filename", true, 1, message.MaxFilename)
		id := item.Get("id")
		if !id.IsSet() {
			at.Index(i).At("id").Required()
			continue
		}
		if n, ok := jsonbody.AsInt(at.Index(i).At("id"), id, 0, jsonbody.MaxInteger); ok {
			if in.Filenames == nil {
				in.Filenames = make(map[int]string, len(items))
			}
			in.Filenames[int(n)] = name
		}
	}
}

// CheckCommand checks that the invocation names the registered command c: the same id, name, type and version, in a
// scope that includes the guild of the invocation.
func (in Invoke) CheckCommand(c command.Command) error {
	u := &in.Command
	switch {
	case c.ID != u.ID || c.Name != u.Name || c.Type != u.Type || c.Scope.Application != in.Application,
		!c.Scope.Global() && c.Scope.Guild != in.Guild:
		return Refuse(CommandInvalid)
	case c.Version != u.Version:
		return Refuse(CommandOutdated)
	}
	return nil
}
