package interaction

import (
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
)

// MatchedComponent is the use of a component that fits the component. Check checks the ids among its values.
type MatchedComponent struct {
	References
	Use ComponentUse
	ID  int // of the component
}

// MatchComponent checks the use of a component against the components of the message. The error is a *jsonbody.Tree.
func MatchComponent(on message.Components, in Invoke) (MatchedComponent, error) {
	use := in.Component
	c, ok := on.Find(use.CustomID)
	if !ok || c.Type() != use.Type || jsonbody.IsTrue(c.Value, "disabled") {
		return MatchedComponent{}, Refuse(ComponentInvalid)
	}
	matched := MatchedComponent{References: References{code: ComponentInvalid}, Use: use, ID: c.Number("id", 0)}
	if use.Type == message.Button {
		if len(use.Values) > 0 {
			return MatchedComponent{}, Refuse(ComponentInvalid)
		}
		return matched, nil
	}
	if low, high := c.Values(); len(use.Values) < low || len(use.Values) > high {
		return MatchedComponent{}, Refuse(ComponentInvalid)
	}
	for i, value := range use.Values {
		if slices.Contains(use.Values[:i], value) || !matched.pick(c, value, in.Guild) {
			return MatchedComponent{}, Refuse(ComponentInvalid)
		}
	}
	return matched, nil
}

// pick records the reference of a selected value, and reports whether the component accepts the value.
func (r *References) pick(c message.Component, value string, guild snowflake.Guild) bool {
	kind := c.Type()
	if kind == message.StringSelect || kind == message.CheckboxGroup {
		return c.Offers(jsonbody.StringOf(value))
	}
	id, err := snowflake.Parse[uint64](value)
	if err != nil {
		return false
	}
	switch kind {
	case message.UserSelect:
		r.user(snowflake.User(id))
	case message.RoleSelect:
		r.role(snowflake.Role(id))
	case message.MentionableSelect:
		r.mentionable(id, guild != 0)
	case message.ChannelSelect:
		r.channel(snowflake.Channel(id), c.ChannelTypes())
	default:
		return false
	}
	return true
}
