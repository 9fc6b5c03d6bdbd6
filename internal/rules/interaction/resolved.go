package interaction

import (
	"slices"

	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Resolved holds the records that an invocation refers to. A user who is a member of the guild is in Users and in
// Members.
type Resolved struct {
	Users       []wire.User
	Members     []wire.Member
	Roles       []wire.Role
	Channels    []wire.PartialChannel
	Messages    []ResolvedMessage
	Attachments []wire.Attachment
}

// ResolvedMessage is a message that an invocation refers to.
type ResolvedMessage struct {
	ID   snowflake.Message
	JSON []byte // the message object
}

// print writes the maps that are not empty. It writes nothing if all are empty.
func (r *Resolved) print(p *wire.Printer) {
	start := len(p.Out)
	p.Raw(`,"resolved":{`)
	empty := len(p.Out)
	printMap(p, empty, `"users":{`, r.Users, func(u *wire.User) uint64 { return uint64(u.ID) },
		func(u *wire.User) { u.Print(p, "") })
	printMap(p, empty, `"members":{`, r.Members, func(m *wire.Member) uint64 { return uint64(m.User.ID) },
		func(m *wire.Member) { m.Print(p, "", wire.ResolvedMember) })
	printMap(p, empty, `"roles":{`, r.Roles, func(o *wire.Role) uint64 { return uint64(o.ID) },
		func(o *wire.Role) { o.Print(p) })
	printMap(p, empty, `"channels":{`, r.Channels, func(c *wire.PartialChannel) uint64 { return uint64(c.ID) },
		func(c *wire.PartialChannel) { c.Print(p, "", true) })
	printMap(p, empty, `"messages":{`, r.Messages, func(m *ResolvedMessage) uint64 { return uint64(m.ID) },
		func(m *ResolvedMessage) { p.Out = append(p.Out, m.JSON...) })
	printMap(p, empty, `"attachments":{`, r.Attachments, func(a *wire.Attachment) uint64 { return uint64(a.ID) },
		func(a *wire.Attachment) { a.Print(p) })
	if len(p.Out) == empty {
		p.Out = p.Out[:start]
		return
	}
	p.Raw(`}`)
}

// printMap writes a list as a map by id, in ascending order and without duplicates. JavaScript sorts keys below 2^32-1
// in the same way and keeps the order of larger keys. first is the position of the first map in the output.
func printMap[T any](p *wire.Printer, first int, open string, list []T, id func(*T) uint64, each func(*T)) {
	if len(list) == 0 {
		return
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	if len(list) > 1 {
		slices.SortStableFunc(order, func(a, b int) int {
			x, y := id(&list[a]), id(&list[b])
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
		order = slices.CompactFunc(order, func(a, b int) bool { return id(&list[a]) == id(&list[b]) })
	}
	p.Comma(len(p.Out) > first)
	p.Raw(open)
	for n, i := range order {
		p.Comma(n > 0)
		p.ID("", id(&list[i]))
		p.Raw(`:`)
		each(&list[i])
	}
	p.Raw(`}`)
}
