package interaction

import (
	"slices"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/snowflake"
)

// Press is the use of a component that is there to be used, but for what its values speak of: see Check.
type Press struct {
	References
	Use ComponentUse
}

// MatchComponent checks the use of a component against the components of the message that it names. An error is a
// *problem.Tree.
func MatchComponent(on message.Components, in Invoke) (Press, error) {
	use := in.Component
	c, ok := on.Find(use.CustomID)
	if !ok || c.Type() != use.Type || jsonbody.IsTrue(c.Value, "disabled") {
		return Press{}, Refuse(ComponentInvalid)
	}
	press := Press{References: References{code: ComponentInvalid}, Use: use}
	if use.Type == message.Button {
		if len(use.Values) > 0 {
			return Press{}, Refuse(ComponentInvalid)
		}
		return press, nil
	}
	if low, high := c.Values(); len(use.Values) < low || len(use.Values) > high {
		return Press{}, Refuse(ComponentInvalid)
	}
	for i, value := range use.Values {
		if slices.Contains(use.Values[:i], value) || !press.pick(c, value, in.Guild) {
			return Press{}, Refuse(ComponentInvalid)
		}
	}
	return press, nil
}

// pick notes a value that was chosen and reports whether the component offers it.
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
