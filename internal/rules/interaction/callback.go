package interaction

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
)

// CallbackType is the type of an app's response.
type CallbackType uint8

// The types of responses.
const (
	Pong                   CallbackType = 1
	ChannelMessage         CallbackType = 4
	DeferredChannelMessage CallbackType = 5
	DeferredUpdateMessage  CallbackType = 6
	UpdateMessage          CallbackType = 7
	AutocompleteResult     CallbackType = 8
	OpenModal              CallbackType = 9
	PremiumRequired        CallbackType = 10 // deprecated
	LaunchActivity         CallbackType = 12
)

// Origin describes the interaction that a callback responds to, and the files of the callback.
type Origin struct {
	Type Type
	// FromComponent says that the interaction is the submission of a modal that a component opened.
	FromComponent bool
	// Focus is the type of the focused option of an autocomplete interaction.
	Focus command.OptionType
	// Message is the current content of the message with the component, which UpdateMessage edits.
	Message message.Content
	// NoLaunch is the reason why an Activity cannot be launched; 0: it can.
	NoLaunch Reason
	// Sold are SKUs that the app sells. Only an app with SKUs can answer that premium is required.
	Sold  []snowflake.SKU
	Files []message.File
}

// Callback is an app's response to an interaction.
type Callback struct {
	Type CallbackType
	// Message is the content of the new, the updated or the loading message.
	Message message.Content
	Choices []command.Choice // of AutocompleteResult
	Modal   Modal            // of OpenModal
}

// LaunchError refuses to launch an Activity. The app gets the wrapped error, the invoking user gets the reason.
type LaunchError struct {
	Reason  Reason
	problem error
}

// Error returns the text of the wrapped error.
func (e *LaunchError) Error() string { return e.problem.Error() }

// Unwrap returns the *jsonbody.Tree.
func (e *LaunchError) Unwrap() error { return e.problem }

// answers returns the types of responses that the interaction accepts.
func (o *Origin) answers() []CallbackType {
	var list []CallbackType
	switch o.Type {
	case Ping:
		return []CallbackType{Pong}
	case Autocomplete:
		return []CallbackType{AutocompleteResult}
	case ApplicationCommand:
		list = []CallbackType{ChannelMessage, DeferredChannelMessage, OpenModal}
	case MessageComponent:
		list = []CallbackType{ChannelMessage, DeferredChannelMessage, DeferredUpdateMessage, UpdateMessage, OpenModal}
	case ModalSubmit:
		list = []CallbackType{ChannelMessage, DeferredChannelMessage}
		if o.FromComponent {
			list = append(list, DeferredUpdateMessage, UpdateMessage)
		}
	}
	if len(o.Sold) > 0 {
		list = append(list, PremiumRequired)
	}
	if o.NoLaunch == 0 {
		list = append(list, LaunchActivity)
	}
	return list
}

// maxButtons is the number of buttons in a row.
const maxButtons = 5

// upgrade returns the message that the user gets when premium is required: an ephemeral one with a button for each SKU.
func (o *Origin) upgrade() jsonbody.Value {
	var buttons []jsonbody.Value
	for _, id := range o.Sold[:min(len(o.Sold), maxButtons)] {
		buttons = append(buttons, jsonbody.ObjectOf(
			jsonbody.Member{Name: "type", Value: jsonbody.IntOf(int(message.Button))}, jsonbody.Member{Name: "style", Value: jsonbody.IntOf(message.PremiumButton)},
			jsonbody.Member{Name: "sku_id", Value: jsonbody.StringOf(id.String())},
		))
	}
	row := jsonbody.ObjectOf(
		jsonbody.Member{Name: "type", Value: jsonbody.IntOf(int(message.ActionRow))}, jsonbody.Member{Name: "components", Value: jsonbody.ListOf(buttons...)},
	)
	return jsonbody.ObjectOf(
		jsonbody.Member{Name: "content", Value: jsonbody.StringOf("This needs a premium offer of the app.")},
		jsonbody.Member{Name: "flags", Value: jsonbody.IntOf(int(message.Ephemeral))},
		jsonbody.Member{Name: "components", Value: jsonbody.ListOf(row)},
	)
}

// ReadCallback reads an app's response. The error is a *jsonbody.Tree, a *LaunchError that wraps one, or
// message.ErrEmpty.
func ReadCallback(body jsonbody.Value, o Origin) (Callback, error) {
	var t jsonbody.Tree
	body, ok := jsonbody.AsObject(&t, body)
	if !ok {
		return Callback{}, t.Err()
	}
	c := Callback{Type: o.readType(t.At("type"), body.Get("type"))}
	if err := t.Err(); err != nil {
		if c.Type == LaunchActivity {
			err = &LaunchError{Reason: o.NoLaunch, problem: err}
		}
		return Callback{}, err
	}
	at, data := t.At("data"), body.Get("data")
	switch c.Type {
	case ChannelMessage:
		content, err := message.ReadAt(&t, at, data, o.Files)
		c.Message = content
		return c, err
	case PremiumRequired:
		content, err := message.Read(o.upgrade(), nil)
		c.Message = content
		return c, err
	case UpdateMessage:
		content, err := message.ReadEditAt(&t, at, data, o.Message, o.Files)
		c.Message = content
		return c, err
	case DeferredChannelMessage:
		c.Message.Flags = message.Loading | readDeferred(at, data)
	case AutocompleteResult:
		c.Choices = readChoices(at, data, o.Focus)
	case OpenModal:
		c.Modal = readModal(at, data)
	case Pong, DeferredUpdateMessage, LaunchActivity: // no data
	}
	if err := t.Err(); err != nil {
		return Callback{}, err
	}
	return c, nil
}

func (o *Origin) readType(t *jsonbody.Tree, v jsonbody.Value) CallbackType {
	if !v.IsSet() {
		t.Required()
		return 0
	}
	n, ok := jsonbody.AsWhole(t, v)
	if !ok {
		return 0
	}
	answers := o.answers()
	if n >= 0 && n <= int64(LaunchActivity) && slices.Contains(answers, CallbackType(n)) {
		return CallbackType(n)
	}
	words := make([]string, len(answers))
	for i, a := range answers {
		words[i] = strconv.Itoa(int(a))
	}
	t.Add(jsonbody.Choices, "Value must be one of {"+strings.Join(words, ", ")+"}.")
	launchable := o.Type != Ping && o.Type != Autocomplete
	if n == int64(LaunchActivity) && launchable {
		return LaunchActivity // ReadCallback makes a LaunchError of it
	}
	return 0
}

// readDeferred reads the data of a deferred response. Its only member is the ephemeral flag.
func readDeferred(t *jsonbody.Tree, v jsonbody.Value) message.Flags {
	if !v.IsSet() {
		return 0
	}
	v, ok := jsonbody.AsObject(t, v)
	if !ok || !v.Get("flags").IsSet() {
		return 0
	}
	n, ok := jsonbody.AsWhole(t.At("flags"), v.Get("flags"))
	if ok && n != 0 && n != int64(message.Ephemeral) {
		jsonbody.NotOneOfInts(t.At("flags"), 0, int(message.Ephemeral))
	}
	return message.Flags(n) & message.Ephemeral
}
