package scenario

import (
	"context"
	"fmt"
	"net/http"
)

// member does the action of a person as a member of a guild. The subject of the answer is the member.
func (x *execution) member(ctx context.Context, s *Step) (answer, error) {
	for _, one := range x.clients {
		one.Mark()
	}
	body := object{"as": x.as}
	switch s.action() {
	case "join":
		body["guild"], body["join"] = s.Join, true
	case "leave":
		body["guild"], body["leave"] = s.Leave, true
	default:
		guild, err := x.guildOf(x.in)
		if err != nil {
			return answer{}, err
		}
		body["guild"] = guild
		if s.Nick != nil {
			body["nick"] = *s.Nick
		} else {
			body["presence"] = s.Presence
		}
	}
	got, err := x.send(ctx, "", http.MethodPost, x.service.url+"/_dev/members", body)
	if err != nil || got.refused != nil {
		return got, err
	}
	got.subject = got.body.Get("member")
	x.acted, x.removed = "", ""
	return got, nil
}

// guildOf returns the id of the guild of the world that has a channel.
func (x *execution) guildOf(channel string) (string, error) {
	for _, g := range x.service.world.Guilds {
		for _, c := range g.Channels {
			if c.ID.String() == channel {
				return g.ID.String(), nil
			}
		}
	}
	return "", fmt.Errorf("%s is not a channel of a guild of the world", x.where)
}
