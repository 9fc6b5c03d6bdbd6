package main

import (
	"context"
	"fmt"
	"net/http"
)

const (
	guildPath   = "/api/v10/guilds/1400000000000000001"
	channelPath = "/api/v10/channels/1500000000000000001"
	carol       = "1200000000000000002"

	// dot is an image of one pixel.
	dot = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

// created has the fields of the responses to requests that create something.
type created struct {
	ID    string `json:"id"`
	Token string `json:"token"` // of a webhook
	Code  string `json:"code"`  // of an invite
}

// request is a request of the bot.
type request struct{ method, path, body string }

// create sends a POST request of the bot and returns what it creates.
func (r *soakRun) create(ctx context.Context, path, body string) (made created, err error) {
	err = r.call(ctx, http.MethodPost, path, "Bot "+botToken, body, &made)
	return made, err
}

// send sends requests of the bot one after another, up to the first error.
func (r *soakRun) send(ctx context.Context, requests ...request) error {
	for _, q := range requests {
		if err := r.call(ctx, q.method, q.path, "Bot "+botToken, q.body, nil); err != nil {
			return err
		}
	}
	return nil
}

// useMessages writes a message and works with it: an edit, a reaction, a thread with an answer, the history. Then it deletes all.
func (r *soakRun) useMessages(ctx context.Context, n int) error {
	message, err := r.create(ctx, channelPath+"/messages", fmt.Sprintf(`{"content":"message %d"}`, n))
	if err != nil {
		return err
	}
	path, thread := channelPath+"/messages/"+message.ID, "/api/v10/channels/"+message.ID
	return r.send(ctx,
		request{http.MethodPatch, path, fmt.Sprintf(`{"content":"edition %d"}`, n)},
		request{http.MethodPut, path + "/reactions/%F0%9F%91%8D/@me", ""},
		request{http.MethodPost, path + "/threads", `{"name":"Talk"}`},
		request{http.MethodPost, thread + "/messages", `{"content":"in the thread"}`},
		request{http.MethodGet, channelPath + "/messages?limit=50", ""},
		request{http.MethodDelete, thread, ""},
		request{http.MethodDelete, path, ""},
	)
}

// useWebhook creates a webhook, writes and deletes a message with it, and deletes it.
func (r *soakRun) useWebhook(ctx context.Context, n int) error {
	hook, err := r.create(ctx, channelPath+"/webhooks", `{"name":"News"}`)
	if err != nil {
		return err
	}
	path := "/api/v10/webhooks/" + hook.ID + "/" + hook.Token
	message, err := r.create(ctx, path+"?wait=true", fmt.Sprintf(`{"content":"news %d"}`, n))
	if err != nil {
		return err
	}
	return r.send(ctx, request{http.MethodDelete, path + "/messages/" + message.ID, ""}, request{http.MethodDelete, path, ""})
}

// changeGuild creates a role, a channel and an emoji, changes them and deletes them.
func (r *soakRun) changeGuild(ctx context.Context, n int) error {
	const ada = guildPath + "/members/1100000000000000001"
	role, err := r.create(ctx, guildPath+"/roles", `{"name":"cook"}`)
	if err != nil {
		return err
	}
	channel, err := r.create(ctx, guildPath+"/channels", `{"name":"kitchen"}`)
	if err != nil {
		return err
	}
	emoji, err := r.create(ctx, guildPath+"/emojis", `{"name":"dot","image":"`+dot+`"}`)
	if err != nil {
		return err
	}
	return r.send(ctx,
		request{http.MethodPut, ada + "/roles/" + role.ID, ""},
		request{http.MethodPatch, guildPath + "/roles/" + role.ID, fmt.Sprintf(`{"name":"cook %d"}`, n)},
		request{http.MethodPatch, "/api/v10/channels/" + channel.ID, fmt.Sprintf(`{"topic":"meal %d"}`, n)},
		request{http.MethodPost, "/api/v10/channels/" + channel.ID + "/messages", `{"content":"dinner"}`},
		request{http.MethodDelete, guildPath + "/roles/" + role.ID, ""},
		request{http.MethodDelete, "/api/v10/channels/" + channel.ID, ""},
		request{http.MethodDelete, guildPath + "/emojis/" + emoji.ID, ""},
	)
}

// joinAndBan lets a user join by an invite and write a message. The bot gives the user a name, and bans the user with the message.
func (r *soakRun) joinAndBan(ctx context.Context, n int) error {
	invite, err := r.create(ctx, channelPath+"/invites", `{"unique":true}`)
	if err != nil {
		return err
	}
	if err := r.call(ctx, http.MethodPost, "/api/v10/invites/"+invite.Code, carolToken, `{}`, nil); err != nil {
		return err
	}
	if err := r.call(ctx, http.MethodPost, channelPath+"/messages", carolToken, fmt.Sprintf(`{"content":"spam %d"}`, n), nil); err != nil {
		return err
	}
	return r.send(ctx,
		request{http.MethodPatch, guildPath + "/members/" + carol, fmt.Sprintf(`{"nick":"carol %d"}`, n)},
		request{http.MethodPut, guildPath + "/bans/" + carol, `{"delete_message_seconds":3600}`},
		request{http.MethodDelete, guildPath + "/bans/" + carol, ""},
		request{http.MethodDelete, "/api/v10/invites/" + invite.Code, ""},
	)
}
