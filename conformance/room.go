package conformance

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/permission"
)

// managing are the permissions of a bot that can run the checks of guilds, channels, threads and webhooks.
const managing = permission.ManageChannels | permission.ManageMessages | permission.PinMessages | permission.ManageThreads |
	permission.ManageWebhooks | permission.ManageRoles | permission.ManageGuild | permission.CreateInstantInvite | permission.CreatePublicThreads |
	permission.CreatePrivateThreads | permission.SendMessages | permission.SendMessagesInThreads | permission.SendPolls |
	permission.ReadMessageHistory | permission.ViewChannel | permission.AddReactions | permission.BanMembers | permission.KickMembers |
	permission.ModerateMembers | permission.ManageNicknames | permission.ChangeNickname | permission.CreateGuildExpressions |
	permission.ManageGuildExpressions | permission.ViewAuditLog | permission.CreateEvents | permission.MoveMembers | permission.MuteMembers |
	permission.Connect

// managesGuild reports whether the bot has all permissions of managing in the guild.
func (s *session) managesGuild(ctx context.Context) bool {
	if s.Guild == 0 {
		return false
	}
	var guilds []struct {
		ID          string          `json:"id"`
		Permissions permission.Bits `json:"permissions"`
	}
	if s.get(ctx, "/users/@me/guilds", url.Values{}, &guilds) != nil {
		return false
	}
	for _, g := range guilds {
		if g.ID == s.Guild.String() {
			return g.Permissions.Has(permission.Administrator) || g.Permissions.Has(managing)
		}
	}
	return false
}

// channel creates a channel of the guild and returns its path and the response. The cleanup of the run deletes it.
func (p *probe) channel(kind int, more obj) (path string, made obj) {
	body := obj{"name": p.name("room"), "type": kind}
	maps.Copy(body, more)
	r := p.send(http.MethodPost, "/guilds/"+p.Guild.String()+"/channels", body)
	made = p.object(p.wantStatus(r, "the bot can manage channels", http.StatusCreated))
	p.snowflake(made, "id")
	path = "/channels/" + text(made["id"])
	p.channels[path] = true
	return path, made
}

// room returns the path of a channel of a kind that many checks share. It creates the channel when a check needs it first.
func (p *probe) room(kind int) string {
	if p.rooms[kind] == "" {
		p.rooms[kind], _ = p.channel(kind, nil)
	}
	return p.rooms[kind]
}

// write creates a message in a channel and returns its path and the response. The message is deleted with the channel.
func (p *probe) write(channel string, body obj) (path string, made obj) {
	r := p.send(http.MethodPost, channel+"/messages", body)
	made = p.object(p.wantStatus(r, "the message is valid", http.StatusOK))
	p.snowflake(made, "id")
	return channel + "/messages/" + text(made["id"]), made
}

// read reads an object that exists.
func (p *probe) read(path string) obj {
	return p.object(p.wantStatus(p.send(http.MethodGet, path, nil), "it exists", http.StatusOK))
}

// readList reads a list that the bot may read.
func (p *probe) readList(path string) []obj {
	return p.objects(p.wantStatus(p.send(http.MethodGet, path, nil), "the bot may read it", http.StatusOK))
}

// edit changes an object.
func (p *probe) edit(path string, body obj) obj {
	return p.object(p.wantStatus(p.send(http.MethodPatch, path, body), "the change is valid", http.StatusOK))
}

// say lets a person do something with a message, through the dev controls.
func (p *probe) say(body obj) reply {
	body["as"] = p.user(0)
	return p.send(http.MethodPost, p.bot.Root()+"/_dev/say", body)
}

// until repeats a question until it gets an answer. It ends the check after ten seconds.
func (p *probe) until(what string, ask func() bool) {
	const step, most = 50 * time.Millisecond, 200
	for range most {
		if ask() {
			return
		}
		p.pause(step)
	}
	p.fail("%s did not happen within %s", what, step*most)
}

// anonymous returns a client without a token, for the routes of webhooks.
func (p *probe) anonymous() *client.Client { return p.client("") }

// item returns a member of an object that is an object itself.
func item(o obj, name string) obj {
	found, _ := o[name].(map[string]any)
	return found
}

// items returns a member of an object that is a list of objects.
func items(o obj, name string) []obj {
	list, _ := o[name].([]any)
	found := make([]obj, 0, len(list))
	for _, v := range list {
		if o, ok := v.(map[string]any); ok {
			found = append(found, o)
		}
	}
	return found
}

// hasID reports whether a list has an object with the id.
func hasID(list []obj, id any) bool {
	for _, o := range list {
		if o["id"] == id {
			return true
		}
	}
	return false
}
