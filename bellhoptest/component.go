package bellhoptest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// object is a JSON object.
type object = map[string]any

// component is a component of a message or a form.
type component struct {
	Type        int    `json:"type"`
	CustomID    string `json:"custom_id"`
	Label       string `json:"label"`
	Placeholder string `json:"placeholder"`
	Emoji       struct {
		Name string `json:"name"`
	} `json:"emoji"`
	Options []struct {
		Label string `json:"label"`
		Value string `json:"value"`
	} `json:"options"`
	Components []component `json:"components"`
	Accessory  *component  `json:"accessory"`
	Component  *component  `json:"component"`
}

const buttonType = 2

// menuTypes are the types of select menus: of texts, users, roles, mentionables and channels.
var menuTypes = []int{3, 5, 6, 7, 8}

// Press presses a button of an answer as a user, and returns what the app answered. button is the label, the custom id or the
// emoji of the button.
func (s *Server) Press(t testing.TB, as string, on client.Outcome, button string) client.Outcome {
	t.Helper()
	return s.useComponent(t, as, on, fmt.Sprintf("button %q", button), nil, func(c component) bool {
		return c.Type == buttonType && slices.Contains([]string{c.Label, c.CustomID, c.Emoji.Name}, button)
	})
}

// Select selects values in a menu of an answer as a user, and returns what the app answered. menu is the placeholder or the
// custom id of the menu. Values are labels or values of options; in menus of users, roles and channels they are ids.
func (s *Server) Select(t testing.TB, as string, on client.Outcome, menu string, values ...string) client.Outcome {
	t.Helper()
	return s.useComponent(t, as, on, fmt.Sprintf("select menu %q", menu), values, func(c component) bool {
		return slices.Contains(menuTypes, c.Type) && slices.Contains([]string{c.Placeholder, c.CustomID}, menu)
	})
}

// Submit submits the form that an answer opened as a user, and returns what the app answered. The keys of fields are labels or
// custom ids. Each value is a text, or a []string for a select menu.
func (s *Server) Submit(t testing.TB, as string, on client.Outcome, fields map[string]any) client.Outcome {
	t.Helper()
	var form struct {
		Title      string      `json:"title"`
		CustomID   string      `json:"custom_id"`
		Components []component `json:"components"`
	}
	if len(on.Modal) == 0 || on.Modal.Kind() == 'n' || on.Interaction == nil {
		t.Fatal("bellhoptest: the answer opened no form")
	}
	if err := json.Unmarshal(on.Modal, &form); err != nil {
		t.Fatalf("bellhoptest: the form: %v", err)
	}
	filled := []object{}
	for name, value := range fields {
		c, ok := findComponent(form.Components, func(c component) bool { return c.CustomID == name || c.Label == name })
		if !ok {
			t.Fatalf("bellhoptest: the form %q has no field %q", form.Title, name)
		}
		if c.Component != nil {
			c = *c.Component
		}
		field := object{"type": c.Type, "custom_id": c.CustomID, "value": value}
		if list, ok := value.([]string); ok {
			field = object{"type": c.Type, "custom_id": c.CustomID, "values": c.values(list)}
		}
		filled = append(filled, field)
	}
	return s.Use(t, client.Invocation{As: as, In: on.Interaction.Channel.String(), Interaction: object{
		"type": client.ModalSubmit, "application_id": on.Interaction.Application,
		"data": object{"id": on.Interaction.ID, "custom_id": form.CustomID, "components": filled},
	}})
}

// useComponent uses the first component of an answer that matches. A button has no values.
func (s *Server) useComponent(t testing.TB, as string, on client.Outcome, what string, values []string, match func(component) bool) client.Outcome {
	t.Helper()
	for _, m := range on.Messages {
		var message struct {
			Application snowflake.Application `json:"application_id"`
			Components  []component           `json:"components"`
		}
		if err := json.Unmarshal(m.Rest, &message); err != nil {
			t.Fatalf("bellhoptest: message %v: %v", m.ID, err)
		}
		c, ok := findComponent(message.Components, match)
		if !ok {
			continue
		}
		data := object{"component_type": c.Type, "custom_id": c.CustomID}
		if c.Type != buttonType {
			data["values"] = c.values(values)
		}
		return s.Use(t, client.Invocation{As: as, In: m.Channel.String(), Interaction: object{
			"type": client.MessageComponent, "application_id": message.Application, "message_id": m.ID, "data": data,
		}})
	}
	t.Fatalf("bellhoptest: the messages of the answer have no %s", what)
	return client.Outcome{}
}

// findComponent returns the first component that matches, at any depth.
func findComponent(list []component, match func(component) bool) (component, bool) {
	for _, c := range list {
		if match(c) {
			return c, true
		}
		inner := slices.Clone(c.Components)
		for _, one := range []*component{c.Accessory, c.Component} {
			if one != nil {
				inner = append(inner, *one)
			}
		}
		if found, ok := findComponent(inner, match); ok {
			return found, true
		}
	}
	return component{}, false
}

// values returns the values of options by their labels. Other names are values or ids already.
func (c component) values(names []string) []string {
	values := append([]string{}, names...)
	for i, name := range names {
		for _, option := range c.Options {
			if option.Label == name {
				values[i] = option.Value
			}
		}
	}
	return values
}
