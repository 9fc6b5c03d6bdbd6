package message

import (
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
)

// ComponentType is the type of a component.
type ComponentType uint8

// The types of components.
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

// PremiumButton is the style of a button that offers a SKU. Like a link, it creates no interaction.
const PremiumButton = 6

const linkButton = 5

// The types that are allowed at each position.
var (
	interactive      = []ComponentType{Button, StringSelect, UserSelect, RoleSelect, MentionableSelect, ChannelSelect}
	legacyTop        = []ComponentType{ActionRow}
	messageTop       = []ComponentType{ActionRow, Section, TextDisplay, MediaGallery, FileComponent, Separator, Container}
	modalTop         = []ComponentType{ActionRow, TextDisplay, Label}
	inContainer      = messageTop[:len(messageTop)-1]
	inSection        = []ComponentType{TextDisplay}
	sectionAccessory = []ComponentType{Button, Thumbnail}
	inModalRow       = []ComponentType{TextInput}
	inLabel          = []ComponentType{
		StringSelect, TextInput, UserSelect, RoleSelect, MentionableSelect, ChannelSelect, FileUpload, RadioGroup,
		CheckboxGroup, Checkbox,
	}
)

// AsInteractive returns the type of a component that users can use on a message. It adds an error to t for other types.
func AsInteractive(t *jsonbody.Tree, n int64) ComponentType {
	if n < 0 || n > int64(Checkbox) || !slices.Contains(interactive, ComponentType(n)) {
		jsonbody.NotOneOfInts(t, interactive...)
		return 0
	}
	return ComponentType(n)
}

// Components are the components of a message or a modal, in normal form: each has an id. The zero value is empty.
type Components struct{ list jsonbody.Value }

// ParseComponents returns the components that AppendJSON wrote. It does not validate them.
func ParseComponents(v jsonbody.Value) Components { return Components{list: v} }

// Empty reports whether there are no components.
func (c Components) Empty() bool { return len(c.list.Items()) == 0 }

// AppendJSON appends the list of components.
func (c Components) AppendJSON(dst []byte) []byte {
	p := wire.Printer{Out: dst}
	c.print(&p)
	return p.Out
}

func (c Components) print(p *wire.Printer) {
	if c.Empty() {
		p.Raw(`[]`)
		return
	}
	p.Value(c.list)
}

// printShown writes the list as a message shows it. media is the id before those of media that are no attachments.
func (c Components) printShown(p *wire.Printer, media uint64) {
	shown := componentPrinter{Printer: p, next: media}
	shown.list(c.list.Items())
}

// Items returns the top-level components, each as the value of a Component.
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

// Type returns the type of the component.
func (c Component) Type() ComponentType { return ComponentType(c.Number("type", 0)) }

// Number returns an integer member of the component: otherwise if it is absent, and 0 if it is not an integer.
func (c Component) Number(key string, otherwise int) int {
	if v := c.Get(key); v.IsSet() {
		return asInt(v)
	}
	return otherwise
}

// asInt returns the integer of a value, or 0 if it is not an integer.
func asInt(v jsonbody.Value) int {
	var ignored jsonbody.Tree
	n, _ := jsonbody.AsWhole(&ignored, v)
	return int(n)
}

// Required reports whether a component of a modal must be filled in. That is the default.
func (c Component) Required() bool {
	return !c.Get("required").IsSet() || jsonbody.IsTrue(c.Value, "required")
}

// Values returns the minimum and maximum number of values that the component takes.
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

// ChannelTypes returns the types of channels that a channel select accepts. An empty list accepts all.
func (c Component) ChannelTypes() []command.ChannelType {
	var types []command.ChannelType
	for _, v := range c.Get("channel_types").Items() {
		types = append(types, command.ChannelType(asInt(v)))
	}
	return types
}
