package interaction

import (
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/snowflake"
)

// Press is the use of a component that is there to be used, but for what its values speak of: see Check.
type Press struct {
	References
	Use ComponentUse
}

// MatchComponent checks the use of a component against the components of the message that it names. An error is a
// *problem.Tree.
func MatchComponent(on Components, in Invoke) (Press, error) {
	use := in.Component
	c, ok := on.find(use.CustomID)
	if !ok || typeOf(c) != use.Type || isTrue(c, "disabled") {
		return Press{}, Refuse(ComponentInvalid)
	}
	press := Press{References: References{code: ComponentInvalid}, Use: use}
	if use.Type == Button {
		if len(use.Values) > 0 {
			return Press{}, Refuse(ComponentInvalid)
		}
		return press, nil
	}
	if low, high := valueCount(use.Type, c); len(use.Values) < low || len(use.Values) > high {
		return Press{}, Refuse(ComponentInvalid)
	}
	for i, value := range use.Values {
		if slices.Contains(use.Values[:i], value) || !press.pick(use.Type, c, value, in.Guild) {
			return Press{}, Refuse(ComponentInvalid)
		}
	}
	return press, nil
}

// hasOption reports whether a value is one of a component's options.
func hasOption(c, v form.Value) bool {
	return v.Kind() == form.String && slices.ContainsFunc(c.Get("options").Items(), func(o form.Value) bool {
		return o.Get("value").Text() == v.Text()
	})
}

// pick notes a value that was chosen and reports whether the component offers it.
func (r *References) pick(kindOf ComponentType, c form.Value, value string, guild snowflake.Guild) bool {
	if kindOf == StringSelect || kindOf == CheckboxGroup {
		return hasOption(c, form.StringOf(value))
	}
	id, err := snowflake.Parse[uint64](value)
	if err != nil {
		return false
	}
	switch kindOf {
	case UserSelect:
		r.user(snowflake.User(id))
	case RoleSelect:
		r.role(snowflake.Role(id))
	case MentionableSelect:
		r.mentionable(id, guild != 0)
	case ChannelSelect:
		var types []command.ChannelType
		for _, t := range c.Get("channel_types").Items() {
			types = append(types, command.ChannelType(asInt(t)))
		}
		r.channel(snowflake.Channel(id), types)
	default:
		return false
	}
	return true
}
