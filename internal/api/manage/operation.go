package manage

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// OperationQuery are the query parameters of ExplainOperation.
var OperationQuery = []api.Parameter{
	{Name: "operation", Kind: "string", Doc: "One of kick, ban, nick, timeout, mute, deafen, move, disconnect, flags, prune; or, for a role: give-role, edit-role, delete-role."},
	{Name: "as", Kind: "string", Doc: "Id or username of the user, or id or name of the bot."},
	{Name: "in", Kind: "string", Doc: "Id or name of the guild."},
	{Name: "on", Kind: "string", Doc: "Id or name of the user or bot that the operation is on."},
	{Name: "role", Kind: "string", Doc: "Id or name of the role that the operation is on."},
}

// onMembers are the operations on a member, and onRoles those on a role.
var (
	onMembers = map[string]permission.Operation{
		"kick": permission.OpKickMember, "ban": permission.OpBanMember, "nick": permission.OpEditNick, "timeout": permission.OpTimeOutMember,
		"mute": permission.OpMuteMember, "deafen": permission.OpDeafenMember, "move": permission.OpMoveMember,
		"disconnect": permission.OpDisconnectMember, "flags": permission.OpEditMemberFlags, "prune": permission.OpPrune,
	}
	onRoles = map[string]permission.Operation{
		"give-role": permission.OpEditMemberRoles, "edit-role": permission.OpEditRole, "delete-role": permission.OpDeleteRole,
	}
)

// operationExplanation says whether a member may perform an operation, and why.
type operationExplanation struct {
	Allowed     bool     `json:"allowed"`
	Reason      string   `json:"reason"`
	Explanation string   `json:"explanation"`
	Operation   string   `json:"operation"`
	Missing     []string `json:"missing"`
	Code        int      `json:"code,omitzero"` // of the error of the API
	// Role and Against are the roles that were compared; nil: none were.
	Role    *rankedRole `json:"role"`
	Against *rankedRole `json:"against"`
}

// rankedRole is a role in the order of its guild.
type rankedRole struct {
	ID       snowflake.Role `json:"id"`
	Name     string         `json:"name"`
	Position int            `json:"position"`
}

// ExplainOperation answers whether a member of a guild may perform an operation on another member, or on a role, and which roles
// decided it.
func ExplainOperation(c *api.Call, d *directory.Directory) error {
	q := c.Query()
	name, role := q.Values.Get("operation"), q.Values.Get("role")
	op, onMember := onMembers[name]
	if !onMember {
		op = onRoles[name]
	}
	for key, wanted := range map[string]bool{"operation": true, "as": true, "in": true, "on": onMember, "role": op != 0 && !onMember} {
		if wanted && q.Values.Get(key) == "" {
			q.At(key).Required()
		}
	}
	if name != "" && op == 0 {
		q.At("operation").NotOneOf(slices.Concat(slices.Sorted(maps.Keys(onMembers)), slices.Sorted(maps.Keys(onRoles)))...)
	}
	if err := q.Err(); err != nil {
		return err
	}
	f := &Finder{d}
	id, err := f.Guild(c.Context(), q.Values.Get("in"))
	if err != nil {
		return err
	}
	v, err := f.member(c, id, q.Values.Get("as"))
	if err != nil {
		return err
	}
	r := ranking{state: v.Guild, op: op, by: v.name}
	if !onMember {
		return r.answerRole(c, v.Member, role)
	}
	target, err := f.member(c, id, q.Values.Get("on"))
	if err != nil {
		return err
	}
	r.on = " of " + target.name
	return c.Value(http.StatusOK, r.explain(v.Member.MayActOn(op, target.Member)))
}

// namedMember is a member of a guild with a name.
type namedMember struct {
	directory.GuildView

	name string
}

// member returns the member of a guild with an id, a username, or the name of a bot.
func (f *Finder) member(c *api.Call, guild snowflake.Guild, text string) (namedMember, error) {
	user, err := f.Account(c.Context(), text)
	if err != nil {
		return namedMember{}, err
	}
	if _, err := f.Directory.Guilds.Member(c.Context(), guild, user.ID); err != nil {
		return namedMember{}, err
	}
	v, err := f.Directory.Guilds.View(c.Context(), guild, directory.Viewer{User: user.ID, Bot: user.Bot})
	return namedMember{v, user.Username}, err
}

// ranking explains an outcome with the names of the members and roles.
type ranking struct {
	state  *directory.GuildState
	op     permission.Operation
	by, on string
}

// answerRole answers whether a member may perform an operation on a role.
func (r *ranking) answerRole(c *api.Call, by permission.Member, text string) error {
	i := slices.IndexFunc(r.state.Roles, func(o store.Role) bool { return o.ID.String() == text || o.Name == text })
	if i < 0 {
		return directory.ErrUnknownRole
	}
	role := directory.RankedRole(r.state.Roles[i])
	var out permission.Outcome
	switch r.op {
	case permission.OpEditRole:
		out = by.MayEditRole(role, 0)
	case permission.OpDeleteRole:
		out = by.MayDeleteRole(role)
	default:
		out = by.MayAssign(role)
	}
	return c.Value(http.StatusOK, r.explain(out))
}

// explain returns the explanation of an outcome.
func (r *ranking) explain(out permission.Outcome) operationExplanation {
	x := operationExplanation{
		Allowed: out.Allowed, Reason: out.Reason, Operation: r.op.String(), Missing: out.Missing.Names(), Code: out.Code,
		Explanation: out.ExplainRanks(r.name, r.by, r.on),
	}
	if out.IsRanked() {
		x.Role, x.Against = r.role(out.Role), r.role(out.Against)
	}
	return x
}

// role returns a role of the guild. 0 is the everyone role.
func (r *ranking) role(id snowflake.Role) *rankedRole {
	id = cmp.Or(id, snowflake.Role(r.state.ID))
	i := slices.IndexFunc(r.state.Roles, func(o store.Role) bool { return o.ID == id })
	if i < 0 {
		return &rankedRole{ID: id}
	}
	return &rankedRole{id, r.state.Roles[i].Name, r.state.Roles[i].Position}
}

// name returns the name and the position of a role.
func (r *ranking) name(id snowflake.Role) string {
	role := r.role(id)
	return "role " + role.Name + " (position " + strconv.Itoa(role.Position) + ")"
}
