package permission_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	p "github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	rankGuild snowflake.Guild = 1
	actorID   snowflake.User  = 21
	targetID  snowflake.User  = 22
)

// ladder is a guild with three roles at any positions. Its order is a list from the lowest to the highest role.
type ladder struct {
	roles []p.Role
	order []snowflake.Role
}

// ladders returns the guilds with all positions from 0 to 2.
func ladders() []ladder {
	var list []ladder
	for n := range 27 {
		roles := []p.Role{{ID: 11, Position: n % 3}, {ID: 12, Position: n / 3 % 3}, {ID: 13, Position: n / 9, Managed: true}}
		list = append(list, ladder{roles, order(roles)})
	}
	return list
}

// order sorts roles by position, and the higher id first among equals.
func order(roles []p.Role) []snowflake.Role {
	sorted := slices.Clone(roles)
	slices.SortFunc(sorted, func(a, b p.Role) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(b.ID, a.ID))
	})
	var ids []snowflake.Role
	for _, r := range sorted {
		ids = append(ids, r.ID)
	}
	return ids
}

// height returns the place of the highest of some roles: 0 for none, that is for the everyone role.
func (l ladder) height(roles ...snowflake.Role) int {
	best := 0
	for _, id := range roles {
		best = max(best, slices.Index(l.order, id)+1)
	}
	return best
}

func subset(mask int) []snowflake.Role {
	var ids []snowflake.Role
	for i, id := range []snowflake.Role{11, 12, 13} {
		if mask&(1<<i) > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// TestRankModel compares all decisions about rank with the order of the ladder: for all positions, all roles of both
// members, all owners, with and without the permission and with and without administrator.
func TestRankModel(t *testing.T) {
	t.Parallel()
	for _, l := range ladders() {
		for mask := range 64 {
			mine, theirs := subset(mask&7), subset(mask>>3)
			for _, owner := range []snowflake.User{9, actorID, targetID} {
				for _, base := range []p.Bits{0, p.All &^ p.Administrator, p.Administrator} {
					guild := p.NewGuild(rankGuild, owner, base, l.roles)
					actor, target := guild.Member(actorID, mine), guild.Member(targetID, theirs)
					w := rankWorld{l, guild, actor, target, mine, theirs, owner, base}
					w.checkMembers(t)
					w.checkRoles(t)
				}
			}
		}
	}
}

type rankWorld struct {
	ladder

	guild         *p.Guild
	actor, target p.Member
	mine, theirs  []snowflake.Role
	owner         snowflake.User
	base          p.Bits
}

func (w *rankWorld) want(t *testing.T, what string, got p.Outcome, want bool) {
	t.Helper()
	if got.Allowed != want || got.Allowed != (got.Code == 0) {
		t.Fatalf("%s in %+v with roles %v, target with %v, owner %v, permissions %v: %+v, want %v",
			what, w.roles, w.mine, w.theirs, w.owner, w.base.Names(), got, want)
	}
}

func (w *rankWorld) checkMembers(t *testing.T) {
	t.Helper()
	permitted := w.owner == actorID || w.base != 0
	above := w.owner == actorID || w.height(w.mine...) > w.height(w.theirs...)
	reach := permitted && above && w.owner != targetID
	w.want(t, "Outranks", w.actor.Outranks(w.target), above && w.owner != targetID)
	for _, op := range []p.Operation{p.OpKickMember, p.OpBanMember, p.OpBulkBan, p.OpPrune, p.OpEditNick} {
		w.want(t, op.String(), w.actor.MayActOn(op, w.target), reach)
	}
	w.want(t, "time out", w.actor.MayActOn(p.OpTimeOutMember, w.target), reach && !w.base.Has(p.Administrator))
	for _, op := range []p.Operation{p.OpMuteMember, p.OpDeafenMember, p.OpMoveMember, p.OpDisconnectMember} {
		w.want(t, op.String(), w.actor.MayActOn(op, w.target), permitted)
	}
	w.want(t, "own nickname", w.actor.MayActOn(p.OpEditNick, w.actor), permitted)
	w.want(t, "kick oneself", w.actor.MayActOn(p.OpKickMember, w.actor), false)
}

func (w *rankWorld) checkRoles(t *testing.T) {
	t.Helper()
	permitted := w.owner == actorID || w.base != 0
	everyone := p.Role{ID: snowflake.Role(rankGuild)}
	for _, r := range append([]p.Role{everyone}, w.roles...) {
		above := w.owner == actorID || w.height(w.mine...) > w.height(r.ID)
		w.want(t, "OutranksRole", w.actor.OutranksRole(r), above)
		w.want(t, "assign", w.actor.MayAssign(r), permitted && above && !r.Managed)
		w.want(t, "edit", w.actor.MayEditRole(r, 0), permitted && above)
		w.want(t, "edit with a permission", w.actor.MayEditRole(r, p.BanMembers), permitted && above)
		w.want(t, "edit into an administrator", w.actor.MayEditRole(r, p.Administrator), permitted && above && w.actor.Administrator())
		w.want(t, "delete", w.actor.MayDeleteRole(r), permitted && above && !r.Managed && r.ID != everyone.ID)
		for position := range 4 {
			w.checkMove(t, r, position, permitted && (above || r.Position == position))
		}
	}
	w.want(t, "create", w.actor.MayCreateRole(p.BanMembers), permitted)
	w.want(t, "create an administrator", w.actor.MayCreateRole(p.Administrator), w.actor.Administrator())
}

// checkMove checks the move of one role. before says whether the member may move the role at all.
func (w *rankWorld) checkMove(t *testing.T, r p.Role, position int, before bool) {
	t.Helper()
	moved := slices.Clone(w.roles)
	known := false
	for i := range moved {
		if moved[i].ID == r.ID {
			moved[i].Position, known = position, true
		}
	}
	got := w.actor.MayMoveRoles(w.guild, []p.Move{{Role: r.ID, Position: position}})
	if !known { // the everyone role never moves
		w.want(t, "move everyone", got, w.owner == actorID || w.base != 0)
		return
	}
	top := snowflake.Role(0)
	if h := w.height(w.mine...); h > 0 {
		top = w.order[h-1]
	}
	after := order(moved)
	below := slices.Index(after, r.ID) < slices.Index(after, top) || w.owner == actorID || r.Position == position
	w.want(t, "move", got, before && below)
}

func TestReorder(t *testing.T) {
	t.Parallel()
	guild := p.NewGuild(1, 2, 0, []p.Role{{ID: 11, Position: 1}, {ID: 12, Position: 1}, {ID: 13, Position: 5}})
	for _, tt := range []struct {
		name, rule string
		give       []p.Move
		want       []snowflake.Role
	}{
		{"gaps and duplicates disappear", "6 reorder", nil, []snowflake.Role{12, 11, 13}},
		{"to the bottom", "6 reorder", []p.Move{{13, 0}}, []snowflake.Role{13, 12, 11}},
		{"the lower id comes out higher", "1 rank", []p.Move{{12, 5}}, []snowflake.Role{11, 13, 12}},
		{"the last move counts", "6 reorder", []p.Move{{12, 9}, {12, 1}}, []snowflake.Role{12, 11, 13}},
		{"everyone and unknown roles", "6 reorder", []p.Move{{1, 9}, {77, 1}}, []snowflake.Role{12, 11, 13}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []snowflake.Role
			for i, r := range guild.Reorder(tt.give) {
				got = append(got, r.ID)
				if r.Position != i+1 {
					t.Errorf("role %v has position %d, want %d", r.ID, r.Position, i+1)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: Reorder() = %v, want %v", tt.rule, got, tt.want)
			}
		})
	}
}

func TestMayOverwrite(t *testing.T) {
	t.Parallel()
	guild := p.NewGuild(1, 2, p.ViewChannel|p.ManageRoles|p.SendMessages, []p.Role{{ID: 11, Permissions: p.Administrator}})
	member := guild.Member(3, nil)
	plain := p.Channel{}
	given := p.Channel{Overwrites: []p.Overwrite{{ID: 3, Member: true, Allow: p.ManageRoles}}}
	other := p.Channel{Overwrites: []p.Overwrite{{ID: 4, Member: true, Allow: p.ManageRoles}}}
	for _, tt := range []struct {
		name, rule  string
		member      p.Member
		channel     p.Channel
		allow, deny p.Bits
		missing     p.Bits // 0: allowed
	}{
		{"own permissions", "12.1 overwrites", member, plain, p.ViewChannel, p.SendMessages, 0},
		{"a permission that the member lacks", "12.1 overwrites", member, plain, p.BanMembers, 0, p.BanMembers},
		{"deny counts too", "12.1 overwrites", member, plain, 0, p.BanMembers, p.BanMembers},
		{"with an overwrite for manage roles", "12.1 overwrites", member, given, p.BanMembers, 0, 0},
		{"overwrite of another member", "12.1 overwrites", member, other, p.BanMembers, 0, p.BanMembers},
		{"manage roles", "guilds 3", member, given, p.ManageRoles, 0, p.ManageRoles},
		{"manage roles by an administrator", "guilds 3", guild.Member(3, []snowflake.Role{11}), plain, p.ManageRoles, 0, 0},
		{"unknown bits", "guilds 6 permissions", member, plain, 1 << 60, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := tt.member.MayOverwrite(tt.channel, tt.allow, tt.deny)
			if got.Allowed != (tt.missing == 0) || got.Missing != tt.missing {
				t.Errorf("%s: MayOverwrite() = %+v, want %v missing", tt.rule, got, tt.missing.Names())
			}
		})
	}
}

func TestRankReasons(t *testing.T) {
	t.Parallel()
	guild := p.NewGuild(1, 2, p.ManageRoles|p.KickMembers|p.ModerateMembers, []p.Role{
		{ID: 11, Position: 3}, {ID: 12, Position: 2, Permissions: p.Administrator}, {ID: 13, Position: 1, Managed: true},
	})
	high, admin, bot := guild.Member(3, []snowflake.Role{11}), guild.Member(4, []snowflake.Role{12}), guild.Member(5, []snowflake.Role{13})
	for text, got := range map[string]p.Outcome{
		"allowed: the role 11 is above the role 13":                         high.MayActOn(p.OpKickMember, bot),
		"denied: the role 12 is not above the role 11":                      admin.MayActOn(p.OpKickMember, high),
		"denied: the target owns the guild":                                 high.MayActOn(p.OpKickMember, guild.Member(2, nil)),
		"denied: the target is an administrator":                            high.MayActOn(p.OpTimeOutMember, admin),
		"denied: the role 13 belongs to an integration":                     high.MayAssign(p.Role{ID: 13, Position: 1, Managed: true}),
		"denied: the everyone role cannot be changed in this way":           high.MayDeleteRole(p.Role{ID: 1}),
		"denied: the member lacks BAN_MEMBERS and cannot give it to others": high.MayEditRole(p.Role{ID: 12, Position: 2}, p.BanMembers),
		"denied: the everyone role is not above the everyone role":          guild.Member(6, nil).MayEditRole(p.Role{ID: 1}, 0),
		"denied: the role 13 is not above the role 13":                      bot.MayEditRole(p.Role{ID: 13, Position: 1, Managed: true}, 0),
		"allowed: the member owns the guild":                                guild.Member(2, nil).MayActOn(p.OpKickMember, high),
		"denied: nothing was decided":                                       {},
		"allowed: the member is an administrator":                           admin.MayCreateRole(p.All),
		"denied: the member lacks MANAGE_NICKNAMES":                         high.MayActOn(p.OpEditNick, bot),
		"denied: the member lacks CHANGE_NICKNAME":                          high.MayActOn(p.OpEditNick, high),
	} {
		if got.Explain() != text {
			t.Errorf("Explain() = %q, want %q", got.Explain(), text)
		}
	}
	named := func(id snowflake.Role) string { return "role " + id.String() }
	for text, got := range map[string]p.Outcome{
		"allowed: role 11 of ada is above role 13 of bob":    high.MayActOn(p.OpKickMember, bot),
		"denied: role 11 of bob is not below role 12 of ada": admin.MayActOn(p.OpKickMember, high),
		"denied: role 11 of bob is not below role 11 of ada": high.MayActOn(p.OpKickMember, high),
		"denied: the target owns the guild":                  high.MayActOn(p.OpKickMember, guild.Member(2, nil)),
	} {
		if s := got.ExplainRanks(named, "ada", " of bob"); s != text || got.IsRanked() != strings.Contains(text, " role ") {
			t.Errorf("ExplainRanks() = %q, want %q; IsRanked() = %v", s, text, got.IsRanked())
		}
	}
	if got := high.Highest(); got != 11 {
		t.Errorf("Highest() = %v, want 11", got)
	}
}

// TestEditTie checks that the rank decides about entries for roles at the same position too.
func TestEditTie(t *testing.T) {
	t.Parallel()
	guild := p.NewGuild(1, 2, p.ManageGuild|p.ManageRoles|p.UseApplicationCommands, []p.Role{{ID: 11, Position: 1}, {ID: 12, Position: 1}})
	for _, tt := range []struct {
		own, other snowflake.Role
		want       bool
	}{{11, 12, true}, {12, 11, false}, {11, 11, false}} {
		editor := guild.Member(3, []snowflake.Role{tt.own})
		next := p.NewSet([]p.Entry{{ID: snowflake.Target(tt.other), Type: p.ForRole}})
		if got := (p.Edit{Guild: guild, Editor: &editor, Next: next}).Decide(); got.Allowed != tt.want {
			t.Errorf("role %v edits an entry for role %v: %+v, want %v", tt.own, tt.other, got, tt.want)
		}
	}
}
