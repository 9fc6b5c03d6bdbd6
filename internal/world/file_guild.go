package world

import (
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json/jsontext"
)

const membersOfGuild = "guilds.members" // the key of the index of the first member in Part.first

func (r *fileReader) guilds() error {
	at := r.tree.At("guilds")
	for i, text := range items(r.file.lists["guilds"]) {
		if i == MaxGuilds {
			length(at, 0, MaxGuilds)
			break
		}
		lists := map[string]jsontext.Value{}
		v, err := jsonbody.Parse(withoutLists(text, lists, "members"))
		if err != nil {
			at.Index(i).Add(BadSyntax, "Has too many values without its members, or is nested too deeply.")
			continue
		}
		g := readRecord[Guild](at.Index(i), v)
		if g.Owner == 0 {
			g.Owner = r.owner
		}
		g.complete(at.Index(i))
		r.unique.guild(&r.tree, i, g)
		if err := r.guild(i, g, lists["members"]); err != nil {
			return err
		}
	}
	return r.flush()
}

// guild adds a guild with its members. A guild with many members begins a part and fills more than one.
func (r *fileReader) guild(i int, g Guild, members jsontext.Value) error {
	t := r.tree.At("guilds").Index(i)
	seen, channels, emojis, events := r.unique.members(), g.Channels, g.Emojis, g.ScheduledEvents
	large := len(members) > maxWhole
	if large {
		g.Channels, g.Emojis, g.ScheduledEvents = nil, nil, nil
		if err := r.flush(); err != nil {
			return err
		}
	}
	err := readItems(members, t.At("members"), MaxMembers, func(*Member) {}, func(j int, m Member) error {
		m.completeInGuild(t.At("members").Index(j), g.ID)
		seen.note(uint64(m.User), at(inMembers, j), func() *jsonbody.Tree { return t.At("members").Index(j).At("user") })
		g.Members = append(g.Members, m)
		if !large || len(g.Members) < partSize {
			return nil
		}
		err := r.guildPart(i, j+1-len(g.Members), g)
		g.Members, g.Roles, g.Installs = nil, nil, nil
		r.part.first = map[string]int{membersOfGuild: j + 1}
		return err
	})
	if err != nil {
		return err
	}
	g.Channels, g.Emojis, g.ScheduledEvents = channels, emojis, events
	r.part.Guilds = append(r.part.Guilds, g)
	r.part.size += len(g.Members) + len(g.Roles) + len(g.Channels) + len(g.Installs)
	if err := r.add("guilds", i); err != nil || !large {
		return err
	}
	return r.flush() // the index of the first member is valid for this guild alone
}

// guildPart passes on a part that has a guild with some of its members.
func (r *fileReader) guildPart(i, firstMember int, g Guild) error {
	return r.yield(Part{
		World: World{Guilds: []Guild{g}}, size: len(g.Members) + len(g.Roles) + len(g.Installs),
		first:       map[string]int{"guilds": i, membersOfGuild: firstMember},
		independent: firstMember > partSize, // the second part depends on the roles of the first
	})
}

// branch returns the branch of a file for a path in the part.
func (p Part) branch(t *jsonbody.Tree, path string) *jsonbody.Tree {
	if path == "" {
		return t
	}
	keys := strings.Split(path, ".")
	for i, key := range keys {
		n, err := strconv.Atoi(key)
		if err != nil {
			t = t.At(key)
			continue
		}
		switch {
		case i == 1:
			n += p.first[keys[0]]
		case i == 3 && keys[0] == "guilds" && keys[2] == "members":
			n += p.first[membersOfGuild]
		}
		t = t.Index(n)
	}
	return t
}
