package load

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/internal/world"
)

// maxPeople bounds the members of a guild who use commands if none are named.
const maxPeople = 10_000

// place sets the channel and the people of a step as ids, so that the service need not search for names. The arguments in
// and as replace those of the load file; what neither names comes from the world.
func (step *Step) place(w world.World, in string, as []string) error {
	if in != "" {
		step.In = in
	}
	if len(as) > 0 {
		step.As = as
	}
	guild, channel, err := findChannel(w, step.In)
	if err != nil {
		return err
	}
	step.In = channel.ID.String()
	if len(step.As) == 0 {
		step.As = peopleOf(w, guild)
		if len(step.As) == 0 {
			return fmt.Errorf("no user of the world is a member of %s", guild.Name)
		}
		return nil
	}
	people := make([]string, len(step.As))
	for i, name := range step.As {
		user := slices.IndexFunc(w.Users, func(u world.User) bool { return u.Username == name || u.ID.String() == name })
		if user < 0 {
			return fmt.Errorf("no user is called %q", name)
		}
		people[i] = w.Users[user].ID.String()
	}
	step.As = people
	return nil
}

// findChannel returns the channel with an id or a name as in GUILD/CHANNEL. An empty name means the first text channel.
func findChannel(w world.World, name string) (world.Guild, world.Channel, error) {
	for _, g := range w.Guilds {
		for _, c := range g.Channels {
			if name == "" && c.Type == world.TextChannel || name != "" && (name == c.ID.String() || name == g.Name+"/"+c.Name) {
				return g, c, nil
			}
		}
	}
	if name == "" {
		return world.Guild{}, world.Channel{}, errors.New("the world has no text channel: use --in")
	}
	return world.Guild{}, world.Channel{}, fmt.Errorf("no channel is called %q", name)
}

// peopleOf returns the ids of the users who are members of a guild.
func peopleOf(w world.World, g world.Guild) []string {
	users := map[string]bool{}
	for _, u := range w.Users {
		users[u.ID.String()] = true
	}
	var people []string
	for _, m := range g.Members {
		if id := m.User.String(); users[id] && len(people) < maxPeople {
			people = append(people, id)
		}
	}
	return people
}
