package scenario

import (
	"context"
	"errors"
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
		if err := x.setMember(s, body); err != nil {
			return answer{}, err
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

// setMember adds the nickname, the presence, the voice channel or the scheduled event of a step to the body of a request.
func (x *execution) setMember(s *Step, body object) error {
	channel := x.in
	if s.Voice != nil && *s.Voice != "" {
		if channel = x.channelID(*s.Voice); channel == "" {
			return errors.New(unknown("channel", *s.Voice, x.namesOf("channel")))
		}
	}
	guild, err := x.guildOf(channel)
	if err != nil {
		return err
	}
	body["guild"] = guild
	switch {
	case s.Interest != "":
		body["interested"] = s.Interest
	case s.Disinterest != "":
		body["uninterested"] = s.Disinterest
	case s.Nick != nil:
		body["nick"] = *s.Nick
	case s.Voice == nil:
		body["presence"] = s.Presence
	case *s.Voice == "":
		body["voice"] = nil
	default:
		body["voice"] = channel
	}
	return nil
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
