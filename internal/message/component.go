package message

import (
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/payload"
)

// ComponentType is the kind of a component.
type ComponentType uint8

// The kinds of components.
const (
	ActionRow         ComponentType = 1
	Button            ComponentType = 2
	StringSelect      ComponentType = 3
	TextInput         ComponentType = 4
	UserSelect        ComponentType = 5
	RoleSelect        ComponentType = 6
	MentionableSelect ComponentType = 7
	ChannelSelect     ComponentType = 8
	Section           ComponentType = 9
	TextDisplay       ComponentType = 10
	Thumbnail         ComponentType = 11
	MediaGallery      ComponentType = 12
	FileComponent     ComponentType = 13
	Separator         ComponentType = 14
	Container         ComponentType = 17
	Label             ComponentType = 18
	FileUpload        ComponentType = 19
	RadioGroup        ComponentType = 21
	CheckboxGroup     ComponentType = 22
	Checkbox          ComponentType = 23
)

// linkButton is the first style of buttons that cause no interaction; premiumButton the other.
const linkButton, premiumButton = 5, 6

// Where components may stand.
var (
	interactive   = []ComponentType{Button, StringSelect, UserSelect, RoleSelect, MentionableSelect, ChannelSelect}
	legacyTop     = []ComponentType{ActionRow}
	messageTop    = []ComponentType{ActionRow, Section, TextDisplay, MediaGallery, FileComponent, Separator, Container}
	modalTop      = []ComponentType{ActionRow, TextDisplay, Label}
	inContainer   = messageTop[:len(messageTop)-1]
	inSection     = []ComponentType{TextDisplay}
	besideSection = []ComponentType{Button, Thumbnail}
	inModalRow    = []ComponentType{TextInput}
	inLabel       = []ComponentType{
		StringSelect, TextInput, UserSelect, RoleSelect, MentionableSelect, ChannelSelect, FileUpload, RadioGroup,
		CheckboxGroup, Checkbox,
	}
)

// AsInteractive returns the kind of component that people use on messages.
func AsInteractive(t *jsonbody.Tree, n int64) ComponentType {
	if n < 0 || n > int64(Checkbox) || !slices.Contains(interactive, ComponentType(n)) {
		jsonbody.NotOneOfInts(t, interactive...)
		return 0
	}
	return ComponentType(n)
}

// Components are those of a message or a modal, in normal form: each has an id. The zero value has none.
type Components struct{ list jsonbody.Value }

// ParseComponents returns what AppendJSON wrote. It does not judge.
func ParseComponents(v jsonbody.Value) Components { return Components{list: v} }

// Empty reports whether there are none.
func (c Components) Empty() bool { return len(c.list.Items()) == 0 }

// AppendJSON appends the list of components.
func (c Components) AppendJSON(dst []byte) []byte {
	p := payload.Printer{Out: dst}
	c.print(&p)
	return p.Out
}

func (c Components) print(p *payload.Printer) {
	if c.Empty() {
		p.Raw(`[]`)
		return
	}
	p.Value(c.list)
}

// Items returns the components at the top, each the value of a Component.
func (c Components) Items() []jsonbody.Value { return c.list.Items() }

// Find returns the component with a custom id.
func (c Components) Find(customID string) (Component, bool) {
	for _, v := range c.list.Items() {
		if found, ok := (Component{v}).find(customID); ok {
			return found, true
		}
	}
	return Component{}, false
}

// Component is one component in normal form.
type Component struct{ jsonbody.Value }

func (c Component) find(customID string) (Component, bool) {
	if name := c.Get("custom_id"); name.Kind() == jsonbody.String && name.Text() == customID {
		return c, true
	}
	for _, inner := range c.Get("components").Items() {
		if found, ok := (Component{inner}).find(customID); ok {
			return found, true
		}
	}
	for _, key := range [...]string{"accessory", "component"} {
		if inner := c.Get(key); inner.IsSet() {
			if found, ok := (Component{inner}).find(customID); ok {
				return found, true
			}
		}
	}
	return Component{}, false
}

// Type returns the kind of the component.
func (c Component) Type() ComponentType { return ComponentType(c.Number("type", 0)) }

// Number returns a whole number of the component, otherwise when it has none and 0 when it is something else.
func (c Component) Number(key string, otherwise int) int {
	if v := c.Get(key); v.IsSet() {
		return asInt(v)
	}
	return otherwise
}

// asInt returns a number in normal form, 0 when it is none.
func asInt(v jsonbody.Value) int {
	var ignored jsonbody.Tree
	n, _ := jsonbody.AsWhole(&ignored, v)
	return int(n)
}

// Required reports whether a component of a modal must be filled in; it must unless it says otherwise.
func (c Component) Required() bool {
	return !c.Get("required").IsSet() || jsonbody.IsTrue(c.Value, "required")
}

// Values returns how many values the component takes.
func (c Component) Values() (low, high int) {
	high = 1
	if c.Type() == CheckboxGroup {
		high = len(c.Get("options").Items())
	}
	return c.Number("min_values", 1), c.Number("max_values", high)
}

// Offers reports whether a value is one of the component's options.
func (c Component) Offers(v jsonbody.Value) bool {
	return v.Kind() == jsonbody.String && slices.ContainsFunc(c.Get("options").Items(), func(o jsonbody.Value) bool {
		return o.Get("value").Text() == v.Text()
	})
}

// ChannelTypes returns the kinds of channels that a select of channels takes; none: any.
func (c Component) ChannelTypes() []command.ChannelType {
	var types []command.ChannelType
	for _, v := range c.Get("channel_types").Items() {
		types = append(types, command.ChannelType(asInt(v)))
	}
	return types
}
