package guild

import (
	"slices"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of roles.
const (
	MaxRoles     = 250 // with the everyone role
	maxColor     = 0xffffff
	maxRoleEmoji = 100
)

// DefaultRoleName is the name of a role that is created without one.
const DefaultRoleName = "new role"

// holographic are the only colors of a role with three colors.
var holographic = Colors{Primary: 11127295, Secondary: new(16759788), Tertiary: new(16761760)}

// ColorsInvalid is the code of three colors that are not the holographic ones.
const ColorsInvalid jsonbody.Code = "ROLE_COLORS_INVALID"

// Colors are the colors of a role.
type Colors struct {
	Primary             int
	Secondary, Tertiary *int // nil: none
}

// Role holds the members of a role that requests set.
type Role struct {
	Name         string
	Permissions  permission.Bits
	Colors       Colors
	Hoist        bool
	Mentionable  bool
	Icon         string // the hash of the image; empty: none
	UnicodeEmoji string
	Position     int // set by moves; 0: not shown in the audit log
}

// RolePatch holds the members of a role that a request contains; the others keep their values. Null sets the default.
type RolePatch struct {
	Name         optional.Value[string]
	Permissions  optional.Value[permission.Bits]
	Colors       optional.Value[Colors]
	Hoist        optional.Value[bool]
	Mentionable  optional.Value[bool]
	Icon         optional.Value[imagedata.Image]
	UnicodeEmoji optional.Value[string]
}

// ReadRole reads a request to create or edit a role in a guild with features. The error is a *jsonbody.Tree or an
// *apierror.Error.
func ReadRole(body jsonbody.Value, features []string) (RolePatch, error) {
	var t jsonbody.Tree
	if body.Kind() == jsonbody.Absent {
		body = jsonbody.ObjectOf()
	}
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return RolePatch{}, t.Err()
	}
	var unusable error
	p := RolePatch{
		Name:         jsonbody.ReadOptional(&t, body, "name", trimmed(1, maxName)),
		Permissions:  jsonbody.ReadOptional(&t, body, "permissions", channel.ReadBits),
		Colors:       readColors(&t, body),
		Hoist:        jsonbody.ReadOptional(&t, body, "hoist", jsonbody.Boolean),
		Mentionable:  jsonbody.ReadOptional(&t, body, "mentionable", jsonbody.Boolean),
		Icon:         imagedata.ReadMember(&t, body, "icon", imagedata.MaxRoleIcon, &unusable),
		UnicodeEmoji: jsonbody.ReadOptional(&t, body, "unicode_emoji", jsonbody.Text(0, maxRoleEmoji)),
	}
	if err := t.Err(); err != nil {
		return RolePatch{}, err
	}
	if unusable == nil {
		unusable = p.checkFeatures(features)
	}
	return p, unusable
}

// checkFeatures checks that the guild has the features for icons and for several colors.
func (p *RolePatch) checkFeatures(features []string) error {
	_, icon := p.Icon.Get()
	emoji, _ := p.UnicodeEmoji.Get()
	if (icon || emoji != "") && !slices.Contains(features, RoleIcons) {
		return apierror.NeedsBoosts
	}
	c, _ := p.Colors.Get()
	if (c.Secondary != nil || c.Tertiary != nil) && !slices.Contains(features, EnhancedRoleColors) {
		return apierror.NeedsBoosts
	}
	return nil
}

// readColors reads the colors. The older member color sets the primary color if colors is absent.
func readColors(t *jsonbody.Tree, body jsonbody.Value) optional.Value[Colors] {
	color := jsonbody.Int(0, maxColor)
	single := jsonbody.ReadOptional(t, body, "color", color)
	if body.Get("colors").Kind() != jsonbody.Absent {
		return jsonbody.ReadOptional(t, body, "colors", readColorObject)
	}
	if n, ok := single.Get(); ok {
		return optional.Of(Colors{Primary: n})
	}
	if single.IsNull() {
		return optional.Null[Colors]()
	}
	return optional.Value[Colors]{}
}

func readColorObject(t *jsonbody.Tree, v jsonbody.Value) Colors {
	v, ok := jsonbody.AsObject(t, v)
	if !ok {
		return Colors{}
	}
	color := jsonbody.Int(0, maxColor)
	pointer := func(key string) *int {
		if n, ok := jsonbody.ReadGiven(t, v, key, color).Get(); ok {
			return &n
		}
		return nil
	}
	c := Colors{Primary: jsonbody.ReadGiven(t, v, "primary_color", color).Or(0), Secondary: pointer("secondary_color"), Tertiary: pointer("tertiary_color")}
	if c.Tertiary != nil && !t.Failed() && !c.equal(holographic) {
		t.Add(ColorsInvalid, "Three colors must be 11127295, 16759788 and 16761760")
	}
	return c
}

// equal reports whether two sets of colors are the same.
func (c Colors) equal(o Colors) bool {
	same := func(a, b *int) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	return c.Primary == o.Primary && same(c.Secondary, o.Secondary) && same(c.Tertiary, o.Tertiary)
}

// Apply returns r with the members of p in place of its own. everyone are the permissions of the everyone role, which a
// new role has by default. Setting one of icon and unicode emoji clears the other.
func (p RolePatch) Apply(r Role, everyone permission.Bits) Role {
	r.Name = p.Name.Or(r.Name)
	if p.Name.IsNull() || r.Name == "" {
		r.Name = DefaultRoleName
	}
	r.Permissions = p.Permissions.Or(r.Permissions)
	if p.Permissions.IsNull() {
		r.Permissions = everyone
	}
	r.Colors = p.Colors.Or(r.Colors)
	r.Hoist = p.Hoist.Or(r.Hoist)
	r.Mentionable = p.Mentionable.Or(r.Mentionable)
	if emoji := p.UnicodeEmoji; !emoji.IsZero() {
		r.UnicodeEmoji = emoji.Or("")
		if r.UnicodeEmoji != "" {
			r.Icon = ""
		}
	}
	if icon, ok := p.Icon.Get(); ok {
		r.Icon, r.UnicodeEmoji = icon.Hash, ""
	} else if p.Icon.IsNull() {
		r.Icon = ""
	}
	return r
}

// Create returns the role that a request creates.
func (p RolePatch) Create(everyone permission.Bits) Role {
	if p.Permissions.IsZero() {
		p.Permissions = optional.Null[permission.Bits]()
	}
	return p.Apply(Role{}, everyone)
}

// Everyone returns the part of p that takes effect on the everyone role.
func (p RolePatch) Everyone() RolePatch {
	return RolePatch{Permissions: p.Permissions, Mentionable: p.Mentionable}
}

// ReadRolePositions reads a request to move roles. An entry without a position has no effect.
func ReadRolePositions(body jsonbody.Value) ([]permission.Move, error) {
	var t jsonbody.Tree
	items, _ := jsonbody.AsItems(&t, body, MaxRoles)
	var moves []permission.Move
	for i, item := range items {
		item, ok := jsonbody.AsItem(t.Index(i), item)
		if !ok {
			continue
		}
		id := jsonbody.ReadID[snowflake.Role](t.Index(i), item, "id", true)
		if n, ok := jsonbody.ReadGiven(t.Index(i), item, "position", jsonbody.Int(0, 1<<31-1)).Get(); ok {
			moves = append(moves, permission.Move{Role: id, Position: n})
		}
	}
	return moves, t.Err()
}
