package message

import (
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// AllowedMentions says which mentions in the text of a message notify. The zero value is the default of responses and of
// webhooks: all users, no roles, not everyone.
type AllowedMentions struct {
	Given    bool
	Everyone bool
	AllUsers bool
	AllRoles bool
	Users    []snowflake.User
	Roles    []snowflake.Role
	// RepliedUser says that the author of the message that a reply names is mentioned.
	RepliedUser bool
}

// allMentions is the default of messages in channels.
var allMentions = AllowedMentions{Given: true, Everyone: true, AllUsers: true, AllRoles: true, RepliedUser: true}

const maxMentions = 100

var mentionsShape = shape{
	{"parse", false, list(0, 3, oneOf("users", "roles", "everyone"))},
	{"users", false, list(0, maxMentions, id)},
	{"roles", false, list(0, maxMentions, id)},
	{"replied_user", false, boolean},
}

func readMentions(t *jsonbody.Tree, v jsonbody.Value) AllowedMentions {
	v, ok := jsonbody.AsObject(t, v)
	if !ok {
		return AllowedMentions{}
	}
	v = jsonbody.ObjectOf(mentionsShape.read(t, v)...)
	m := AllowedMentions{Given: true, RepliedUser: jsonbody.IsTrue(v, "replied_user")}
	for _, word := range v.Get("parse").Items() {
		switch word.Text() {
		case "users":
			m.AllUsers = true
		case "roles":
			m.AllRoles = true
		case "everyone":
			m.Everyone = true
		}
	}
	m.Users, m.Roles = ids[snowflake.User](v.Get("users")), ids[snowflake.Role](v.Get("roles"))
	if m.AllUsers && len(m.Users) > 0 {
		addExclusive(t, "users")
	}
	if m.AllRoles && len(m.Roles) > 0 {
		addExclusive(t, "roles")
	}
	return m
}

func addExclusive(t *jsonbody.Tree, word string) {
	t.Add(MentionsExclusive, `parse:["`+word+`"] and `+word+": [ids...] are mutually exclusive.")
}

// ids returns the ids of a validated list.
func ids[T ~uint64](v jsonbody.Value) []T {
	var list []T
	for _, item := range v.Items() {
		if id, err := snowflake.Parse[T](item.Text()); err == nil {
			list = append(list, id)
		}
	}
	return list
}

// Mentioned holds the users and roles that a message notifies.
type Mentioned struct {
	Users    []snowflake.User // in the order of the text, without duplicates
	Roles    []snowflake.Role
	Everyone bool
}

// Mentioned returns the mentions in the text that AllowedMentions permits.
func (c Content) Mentioned() Mentioned {
	var m Mentioned
	allow := c.Mentions
	allow.AllUsers = allow.AllUsers || !allow.Given
	m.Everyone = allow.Everyone && (strings.Contains(c.Text, "@everyone") || strings.Contains(c.Text, "@here"))
	for rest := c.Text; ; {
		var ok bool
		if _, rest, ok = strings.Cut(rest, "<@"); !ok {
			return m
		}
		name, _, ok := strings.Cut(rest, ">")
		if !ok {
			return m
		}
		if digits, isRole := strings.CutPrefix(name, "&"); isRole {
			id, err := snowflake.Parse[snowflake.Role](digits)
			if err == nil && (allow.AllRoles || slices.Contains(allow.Roles, id)) && !slices.Contains(m.Roles, id) {
				m.Roles = append(m.Roles, id)
			}
			continue
		}
		id, err := snowflake.Parse[snowflake.User](strings.TrimPrefix(name, "!"))
		if err == nil && (allow.AllUsers || slices.Contains(allow.Users, id)) && !slices.Contains(m.Users, id) {
			m.Users = append(m.Users, id)
		}
	}
}

// Permitted returns the mentions that the author may make. mayEveryone says that the author has the permission to mention
// everyone, which also covers all roles. mentionable reports whether every member can mention a role.
func (m Mentioned) Permitted(mayEveryone bool, mentionable func(snowflake.Role) bool) Mentioned {
	m.Everyone = m.Everyone && mayEveryone
	if !mayEveryone {
		m.Roles = slices.DeleteFunc(slices.Clone(m.Roles), func(id snowflake.Role) bool { return !mentionable(id) })
	}
	return m
}

// WithReply returns the mentions of a reply. It adds the author of the message that the reply names unless the request
// excludes that author.
func (m Mentioned) WithReply(allowed AllowedMentions, author snowflake.User) Mentioned {
	if allowed.RepliedUser && !slices.Contains(m.Users, author) {
		m.Users = append(slices.Clip(m.Users), author)
	}
	return m
}
