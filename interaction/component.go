package interaction

import (
	"slices"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/problem"
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

// asInteractive returns the kind of component that people use on messages.
func asInteractive(t *problem.Tree, n int64) ComponentType {
	if n < 0 || n > int64(Checkbox) || !slices.Contains(interactive, ComponentType(n)) {
		problem.NotOneOfInts(t, interactive...)
		return 0
	}
	return ComponentType(n)
}

// Components are those of a message or a modal, in normal form: each has an id. The zero value has none.
type Components struct{ list form.Value }

// ParseComponents returns what AppendJSON wrote. It does not judge.
func ParseComponents(v form.Value) Components { return Components{list: v} }

// Empty reports whether there are none.
func (c Components) Empty() bool { return len(c.list.Items()) == 0 }

// AppendJSON appends the list of components.
func (c Components) AppendJSON(dst []byte) []byte {
	p := printer{b: dst}
	c.print(&p)
	return p.b
}

func (c Components) print(p *printer) {
	if c.Empty() {
		p.raw(`[]`)
		return
	}
	p.value(c.list)
}

// find returns the component with a custom id.
func (c Components) find(customID string) (form.Value, bool) {
	for _, v := range c.list.Items() {
		if found, ok := findIn(v, customID); ok {
			return found, true
		}
	}
	return form.Value{}, false
}

func findIn(v form.Value, customID string) (form.Value, bool) {
	if name := v.Get("custom_id"); name.Kind() == form.String && name.Text() == customID {
		return v, true
	}
	for _, inner := range v.Get("components").Items() {
		if found, ok := findIn(inner, customID); ok {
			return found, true
		}
	}
	for _, key := range [...]string{"accessory", "component"} {
		if inner := v.Get(key); inner.IsSet() {
			if found, ok := findIn(inner, customID); ok {
				return found, true
			}
		}
	}
	return form.Value{}, false
}

// typeOf returns the kind of a component in normal form.
func typeOf(v form.Value) ComponentType { return ComponentType(numeric(v, "type", 0)) }

// numeric returns a whole number of a component in normal form.
func numeric(v form.Value, key string, otherwise int) int {
	if v = v.Get(key); v.IsSet() {
		return asInt(v)
	}
	return otherwise
}

// asInt returns a number in normal form, 0 when it is none.
func asInt(v form.Value) int {
	var ignored problem.Tree
	n, _ := form.AsWhole(&ignored, v)
	return int(n)
}

// isRequired reports whether a component of a modal must be filled in; it must unless it says otherwise.
func isRequired(v form.Value) bool { return !v.Get("required").IsSet() || isTrue(v, "required") }
