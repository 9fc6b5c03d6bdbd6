package mcp

import (
	"slices"
	"sync"

	"github.com/bellhop/bellhop/internal/rules/component"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Bounds of what is shown and kept.
const (
	maxContent = 2000 // bytes of a text
	maxInList  = 300  // bytes of a text in a list of messages
	maxSeen    = 100  // messages
	maxForms   = 100
)

// shownMessage is the short form of a message.
type shownMessage struct {
	ID         string           `json:"id"`
	Author     string           `json:"author"`
	Content    string           `json:"content,omitempty"`
	Ephemeral  bool             `json:"ephemeral,omitempty"`
	Embeds     []string         `json:"embeds,omitempty" jsonschema:"titles and descriptions"`
	Components []shownComponent `json:"components,omitempty"`
	Reactions  []string         `json:"reactions,omitempty"`
	Files      []string         `json:"files,omitempty"`
}

// shownComponent is the short form of a component that a person can use, or of a text.
type shownComponent struct {
	Kind     string   `json:"kind" jsonschema:"button, menu, field or text"`
	CustomID string   `json:"custom_id,omitempty"`
	Label    string   `json:"label,omitempty"`
	Disabled bool     `json:"disabled,omitempty"`
	Options  []string `json:"options,omitempty"`
}

// shownForm is the short form of a form.
type shownForm struct {
	Title    string           `json:"title"`
	CustomID string           `json:"custom_id"`
	Fields   []shownComponent `json:"fields"`
}

// ephemeralFlag marks messages that only one person sees.
const ephemeralFlag = 1 << 6

// shownOf returns the short form of a message. Each text has at most n bytes.
func shownOf(m jsonbody.Value, n int) shownMessage {
	flags, _ := jsonbody.AsInt(&jsonbody.Tree{}, m.Get("flags"), 0, 1<<40) // 0 without flags
	s := shownMessage{
		ID: m.Get("id").Text(), Author: m.Get("author").Get("username").Text(), Content: cut(m.Get("content").Text(), n),
		Ephemeral: flags&ephemeralFlag != 0, Components: componentsOf(m.Get("components"), n),
	}
	for _, e := range m.Get("embeds").Items() {
		s.Embeds = append(s.Embeds, cut(e.Get("title").Text()+": "+e.Get("description").Text(), n))
	}
	for _, r := range m.Get("reactions").Items() {
		s.Reactions = append(s.Reactions, r.Get("emoji").Get("name").Text())
	}
	for _, f := range m.Get("attachments").Items() {
		s.Files = append(s.Files, f.Get("filename").Text())
	}
	return s
}

// componentsOf returns the components that have a custom id, a URL or a text. Each text has at most n bytes.
func componentsOf(list jsonbody.Value, n int) []shownComponent {
	var all []shownComponent
	label := "" // of the field that contains the next component
	for c := range component.All(list) {
		s := shownComponent{CustomID: c.Get("custom_id").Text(), Label: c.Get("label").Text(), Disabled: jsonbody.IsTrue(c, "disabled")}
		switch {
		case component.IsButton(c):
			s.Kind = "button"
			if s.Label == "" {
				s.Label = c.Get("emoji").Get("name").Text()
			}
		case component.IsMenu(c):
			s.Kind = "menu"
			if s.Label == "" {
				s.Label = c.Get("placeholder").Text()
			}
			for _, o := range c.Get("options").Items() {
				s.Options = append(s.Options, o.Get("label").Text()+"="+o.Get("value").Text())
			}
		case s.CustomID != "":
			s.Kind = "field"
		case c.Get("content").IsSet():
			s.Kind, s.Label = "text", cut(c.Get("content").Text(), n)
		default:
			label = s.Label
			continue
		}
		if s.Label == "" {
			s.Label = label
		}
		label = ""
		all = append(all, s)
	}
	return all
}

func formOf(modal jsonbody.Value) *shownForm {
	return &shownForm{modal.Get("title").Text(), modal.Get("custom_id").Text(), componentsOf(modal.Get("components"), maxContent)}
}

// memory keeps what people have seen in answers: the last messages, which may be ephemeral, and the forms that are open.
type memory struct {
	mu    sync.Mutex
	last  []seenMessage // oldest first
	forms map[string]component.Form
}

type seenMessage struct {
	as      string
	message jsonbody.Value
}

// answered keeps the messages and the form of an outcome.
func (m *memory) answered(as string, outcome jsonbody.Value) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, message := range outcome.Get("messages").Items() {
		id := message.Get("id").Text()
		m.last = slices.DeleteFunc(m.last, func(s seenMessage) bool { return s.message.Get("id").Text() == id })
		m.last = append(m.last, seenMessage{as, message})
	}
	m.last = m.last[max(0, len(m.last)-maxSeen):]
	if form, ok := component.FormOf(outcome); ok {
		if m.forms == nil || len(m.forms) >= maxForms {
			m.forms = map[string]component.Form{}
		}
		m.forms[as] = form
	}
}

// messages returns the messages that a person has seen in a channel, the newest first.
func (m *memory) messages(as, channel string) []jsonbody.Value {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []jsonbody.Value
	for _, s := range slices.Backward(m.last) {
		if s.as == as && s.message.Get("channel_id").Text() == channel {
			list = append(list, s.message)
		}
	}
	return list
}

// takeForm returns the form that is open for a person, and closes it.
func (m *memory) takeForm(as string) (component.Form, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	form, ok := m.forms[as]
	delete(m.forms, as)
	return form, ok
}

func (m *memory) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last, m.forms = nil, nil
}
