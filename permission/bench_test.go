package permission_test

import (
	"testing"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// manyEntries returns a question that takes the longest path: a member with 20 roles, a command and an app with 100
// entries each that match none of the roles, and 50 overwrites on the channel.
func manyEntries() permission.Question {
	var roles []permission.Role
	var memberRoles []snowflake.Role
	for i := range 20 {
		id := snowflake.Role(1000 + 10*i)
		roles = append(roles, permission.Role{ID: id, Permissions: permission.ManageMessages})
		memberRoles = append(memberRoles, id)
	}
	var entries []permission.Entry
	for i := range uint64(80) {
		entries = append(entries, allow(permission.ForRole, 1001+2*i))
	}
	for i := range uint64(10) {
		entries = append(entries, deny(permission.ForUser, 1000+i), deny(permission.ForChannel, 1000+i))
	}
	channel := permission.Channel{ID: general}
	for i := range 50 {
		channel.Overwrites = append(channel.Overwrites, permission.Overwrite{
			ID: snowflake.Target(1000 + 5*i), Allow: permission.AddReactions, Deny: permission.AttachFiles,
		})
	}
	m := permission.NewGuild(lab, owner, everyday, roles).Member(plain, memberRoles)
	return permission.Question{
		Asked:      1,
		Command:    permission.Command{Type: 1, Default: new(permission.ManageMessages)},
		Overwrites: permission.NewSet(entries), App: permission.NewSet(entries),
		Installed: permission.Installs{Guild: true}, Adult: true,
		Member: &m, Channel: channel, Permissions: m.In(channel),
	}
}

// TestDecideAllocatesNothing is not parallel: it counts the allocations of the process.
func TestDecideAllocatesNothing(t *testing.T) {
	q := manyEntries()
	if q.Overwrites.Len() != 100 || q.App.Len() != 100 {
		t.Fatalf("%d and %d entries, want 100 each", q.Overwrites.Len(), q.App.Len())
	}
	var d permission.Decision
	if n := testing.AllocsPerRun(100, func() { d = permission.Decide(q) }); n != 0 || d != byDefault {
		t.Errorf("Decide() = %s with %v allocations, want to be allowed with none", d.Explain(), n)
	}
	var b permission.Bits
	if n := testing.AllocsPerRun(100, func() { b = q.Member.In(q.Channel) }); n != 0 || !b.Has(permission.AddReactions) {
		t.Errorf("In() = %v with %v allocations, want reactions with none", b.Names(), n)
	}
}

func BenchmarkDecide(b *testing.B) {
	q := manyEntries()
	b.ReportAllocs()
	for b.Loop() {
		if !permission.Decide(q).Allowed {
			b.Fatal("denied")
		}
	}
}

func BenchmarkMemberIn(b *testing.B) {
	q := manyEntries()
	b.ReportAllocs()
	for b.Loop() {
		if q.Member.In(q.Channel) == 0 {
			b.Fatal("hidden")
		}
	}
}

func BenchmarkNewSet(b *testing.B) {
	entries := manyEntries().App.Entries()
	b.ReportAllocs()
	for b.Loop() {
		if permission.NewSet(entries).Len() != 100 {
			b.Fatal("lost entries")
		}
	}
}
