package bellhoptest

import (
	"fmt"
	"testing"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/rules/component"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Press presses a button of an answer as a user, and returns what the app answered. button is the label, the custom id or the
// emoji of the button.
func (s *Server) Press(t testing.TB, as string, on client.Outcome, button string) client.Outcome {
	t.Helper()
	return s.useComponent(t, as, on, fmt.Sprintf("button %q", button), nil, component.Button(button))
}

// Select selects values in a menu of an answer as a user, and returns what the app answered. menu is the placeholder or the
// custom id of the menu. Values are labels or values of options; in menus of users, roles and channels they are ids.
func (s *Server) Select(t testing.TB, as string, on client.Outcome, menu string, values ...string) client.Outcome {
	t.Helper()
	return s.useComponent(t, as, on, fmt.Sprintf("select menu %q", menu), values, component.Menu(menu))
}

// Submit submits the form that an answer opened as a user, and returns what the app answered. The keys of fields are labels or
// custom ids. Each value is a text, or a []string for a select menu.
func (s *Server) Submit(t testing.TB, as string, on client.Outcome, fields map[string]any) client.Outcome {
	t.Helper()
	if len(on.Modal) == 0 || on.Modal.Kind() == 'n' || on.Interaction == nil {
		t.Fatal("bellhoptest: the answer opened no form")
	}
	modal, err := jsonbody.Parse(on.Modal)
	if err != nil {
		t.Fatalf("bellhoptest: the form: %v", err)
	}
	form := component.Form{Modal: modal, Interaction: on.Interaction.ID.String(), Application: on.Interaction.Application.String()}
	submitted, err := form.Submit(fields, nil)
	if err != nil {
		t.Fatalf("bellhoptest: %v", err)
	}
	return s.Use(t, client.Invocation{As: as, In: on.Interaction.Channel.String(), Interaction: submitted})
}

// useComponent uses the first component of an answer that matches. A button has no values.
func (s *Server) useComponent(t testing.TB, as string, on client.Outcome, what string, values []string, match component.Match) client.Outcome {
	t.Helper()
	for _, m := range on.Messages {
		rest, err := jsonbody.Parse(m.Rest)
		if err != nil {
			t.Fatalf("bellhoptest: message %v: %v", m.ID, err)
		}
		if c, ok := component.Find(rest.Get("components"), match); ok {
			use := component.Use(rest.Get("application_id").Text(), m.ID.String(), c, values, nil)
			return s.Use(t, client.Invocation{As: as, In: m.Channel.String(), Interaction: use})
		}
	}
	t.Fatalf("bellhoptest: the messages of the answer have no %s", what)
	return client.Outcome{}
}
