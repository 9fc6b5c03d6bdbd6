package message

import (
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
)

// layout reads the components of one message or modal. It assigns ids and checks the rules about all components
// together.
type layout struct {
	modal     bool
	filenames func(name string) bool // reports whether the message has a file of that name
	ids       map[int64]bool         // ids of the request; false once a component has taken the id
	next      int64
	customIDs map[string]bool
	count     int
	displayed int // code points of all text displays
}

// readComponents reads the components of a message.
func readComponents(t *jsonbody.Tree, v jsonbody.Value, v2 bool, filenames func(string) bool) Components {
	l := layout{filenames: filenames}
	most, top := maxRows, legacyTop
	if v2 {
		most, top = -1, messageTop
	}
	c := l.read(t, v, 0, most, top)
	if l.displayed > maxDisplayed {
		t.Add(TextTooLarge, "Components displayable text size exceeds maximum size of 4000")
	}
	return c
}

// ReadModalComponents reads the components of a modal and adds errors to t.
func ReadModalComponents(t *jsonbody.Tree, v jsonbody.Value) Components {
	l := layout{modal: true}
	return l.read(t, v, 1, maxModalComponents, modalTop)
}

// read reads the top-level list. If high < 0, only the total number of components is limited.
func (l *layout) read(t *jsonbody.Tree, v jsonbody.Value, low, high int, top []ComponentType) Components {
	l.ids, l.customIDs, l.next = map[int64]bool{}, map[string]bool{}, 1
	l.collect(v, 0)
	list := l.items(t, v, low, high, top)
	if l.count > MaxComponents {
		t.Add(TooManyComponents, "Total number of components exceeds maximum of 40")
	}
	return Components{list: list}
}

// collect records the ids that the request sets, so that they are not assigned to other components.
func (l *layout) collect(v jsonbody.Value, depth int) {
	const deepest = 4 // a button in a row in a container of the list
	if depth > deepest {
		return
	}
	for _, item := range v.Items() {
		l.collectOne(item, depth)
	}
}

func (l *layout) collectOne(item jsonbody.Value, depth int) {
	var ignored jsonbody.Tree
	if n, ok := jsonbody.AsInt(&ignored, item.Get("id"), 1, maxComponentID); ok {
		l.ids[n] = true
	}
	l.collect(item.Get("components"), depth+1)
	for _, key := range [...]string{"accessory", "component"} {
		if v := item.Get(key); v.Kind() == jsonbody.Object {
			l.collectOne(v, depth+1)
		}
	}
}

// items reads a list of components. It stops after the maximum number.
func (l *layout) items(t *jsonbody.Tree, v jsonbody.Value, low, high int, types []ComponentType) jsonbody.Value {
	items, ok := jsonbody.AsList(t, v)
	if !ok {
		return jsonbody.Value{}
	}
	jsonbody.CheckLength(t, len(items), low, high)
	if high < 0 {
		high = MaxComponents + 1
	}
	items = items[:min(len(items), high)]
	clean := make([]jsonbody.Value, 0, len(items))
	for i, item := range items {
		if c, ok := l.component(t.Index(i), item, types); ok {
			clean = append(clean, c)
		}
	}
	return jsonbody.ListOf(clean...)
}

// component reads one component and its children.
func (l *layout) component(t *jsonbody.Tree, v jsonbody.Value, types []ComponentType) (jsonbody.Value, bool) {
	v, ok := jsonbody.AsItem(t, v)
	if !ok {
		return v, false
	}
	kindOf := readTag(t, v, types)
	if kindOf == 0 {
		return v, false
	}
	l.count++
	members := []jsonbody.Member{
		{Name: "type", Value: integer(int64(kindOf))},
		{Name: "id", Value: integer(l.number(t.At("id"), v.Get("id")))},
	}
	k := kinds[kindOf]
	members = append(members, k.fields.read(t, v)...)
	if !l.modal {
		members = addMissing(members, k.fill)
	}
	if k.children != nil {
		members = append(members, l.readChildren(t, v, k.children))
	}
	if k.child != nil {
		members = l.readChild(t, v, k.child, members)
	}
	c := Component{jsonbody.ObjectOf(members...)}
	l.check(t, c)
	return c.Value, true
}

func readTag(t *jsonbody.Tree, v jsonbody.Value, types []ComponentType) ComponentType {
	v = v.Get("type")
	if !v.IsSet() {
		t.Add(jsonbody.TagFieldMissing, `Field "type" is required to determine the model type.`)
		return 0
	}
	n, ok := jsonbody.AsWhole(t.At("type"), v)
	if !ok {
		return 0
	}
	if n < 0 || n > int64(Checkbox) || !slices.Contains(types, ComponentType(n)) {
		jsonbody.WrongTag(t, types...)
		return 0
	}
	return ComponentType(n)
}

// number returns the id of a component: its own, or the next free id. 0 means that it has none.
func (l *layout) number(t *jsonbody.Tree, v jsonbody.Value) int64 {
	if v.IsSet() {
		n, ok := jsonbody.AsInt(t, v, 0, maxComponentID)
		switch {
		case !ok:
			return 0
		case n != 0 && !l.ids[n]: // an earlier component has taken it
			t.Add(IDDuplicated, "Component id was already specified")
			return n
		case n != 0:
			l.ids[n] = false // taken from now on
			return n
		}
	}
	for {
		n := l.next
		l.next++
		if _, taken := l.ids[n]; !taken {
			return n
		}
	}
}

func (l *layout) readChildren(t *jsonbody.Tree, v jsonbody.Value, s *slot) jsonbody.Member {
	member, types := jsonbody.Member{Name: s.key}, s.types
	high := s.high
	if l.modal && s.inModal != nil {
		types, high = s.inModal, 1
	}
	at, given := t.At(s.key), v.Get(s.key)
	if !given.IsSet() {
		at.Required()
		return member
	}
	member.Value = l.items(at, given, s.low, high, types)
	return member
}

func (l *layout) readChild(t *jsonbody.Tree, v jsonbody.Value, s *slot, members []jsonbody.Member) []jsonbody.Member {
	given := v.Get(s.key)
	if !given.IsSet() {
		t.At(s.key).Required()
		return members
	}
	if c, ok := l.component(t.At(s.key), given, s.types); ok {
		members = append(members, jsonbody.Member{Name: s.key, Value: c})
	}
	return members
}

// check applies the rules about several members of a component.
func (l *layout) check(t *jsonbody.Tree, c Component) {
	if name := c.Get("custom_id"); name.Kind() == jsonbody.String {
		if l.customIDs[name.Text()] {
			t.At("custom_id").Add(CustomIDDuplicated, "Component custom id cannot be duplicated")
		}
		l.customIDs[name.Text()] = true
	}
	if l.modal && jsonbody.IsTrue(c.Value, "disabled") {
		t.At("disabled").Add(DisabledInModal, "Components of a modal cannot be disabled")
	}
	switch c.Type() {
	case ActionRow:
		l.checkRow(t.At("components"), c)
	case Button:
		checkButton(t, c)
	case TextInput:
		checkOrder(t, c, "min_length", "max_length", MaxTextInput)
	case TextDisplay:
		l.displayed += jsonbody.Len(c.Get("content").Text())
	case StringSelect, UserSelect, RoleSelect, MentionableSelect, ChannelSelect, FileUpload, RadioGroup, CheckboxGroup:
		checkSelect(t, c, l.modal)
	case FileComponent:
		l.checkFile(t.At("file"), c.Get("file"))
	case Thumbnail:
		l.checkFile(t.At("media"), c.Get("media"))
	case MediaGallery:
		for i, item := range c.Get("items").Items() {
			l.checkFile(t.At("items").Index(i).At("media"), item.Get("media"))
		}
	default: // no such rules
	}
}

// checkFile checks that an attachment:// URL names a file of the message.
func (l *layout) checkFile(t *jsonbody.Tree, v jsonbody.Value) {
	url := v.Get("url")
	name, ok := strings.CutPrefix(url.Text(), wire.AttachmentScheme)
	if ok && (l.filenames == nil || !l.filenames(name)) {
		t.At("url").Add(MediaNotFound, `The referenced attachment ("`+url.String()+`") was not found`)
	}
}
