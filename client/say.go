package client

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/http"
	"strconv"

	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// PersonAction is an action of a person in a channel: a new message, or with Message and one of React, Unreact, Edit, Delete and
// Vote a change of one, or Typing.
type PersonAction struct {
	As      string            `json:"as"` // a user's id or username
	In      string            `json:"in"` // a channel's id, or the names of guild and channel with a slash between
	Content string            `json:"content,omitzero"`
	ReplyTo snowflake.Message `json:"reply_to,omitzero"` // the message that the new message replies to
	Files   []UploadedFile    `json:"-"`                 // of the new message
	Message snowflake.Message `json:"message,omitzero"`  // the message to act on
	React   string            `json:"react,omitzero"`    // an emoji, or name:id of a custom one
	Unreact string            `json:"unreact,omitzero"`
	Edit    string            `json:"edit,omitzero"` // the new text
	Delete  bool              `json:"delete,omitzero"`
	Vote    []int             `json:"vote,omitzero"` // answers from 1; an empty list takes the vote back
	Typing  bool              `json:"typing,omitzero"`
	// Wait is the time in which messages of apps to the channel are collected, such as "2s"; empty: none.
	Wait string `json:"wait,omitzero"`
}

// UploadedFile is a file of a new message.
type UploadedFile struct {
	Name    string
	Content []byte
}

// Said is the result of a PersonAction.
type Said struct {
	Message *Message  `json:"message"` // nil after a deletion and for Typing
	Answers []Message `json:"answers"` // what apps sent to the channel during the wait, oldest first
}

// Say acts as a person. An action that the service refuses is an *Error.
func (d Dev) Say(ctx context.Context, a PersonAction) (Said, error) {
	var said Said
	if len(a.Files) == 0 {
		err := d.c.write(ctx, http.MethodPost, d.path("say"), a, &said)
		return said, err
	}
	form, contentType, err := a.form()
	if err != nil {
		return said, err
	}
	header := http.Header{"Content-Type": {contentType}, "X-Bellhop-Dev": {"1"}}
	_, err = d.c.call(ctx, Request{Method: http.MethodPost, Path: d.path("say"), Header: header, Body: form}, &said)
	return said, err
}

// form returns the action and its files as a form.
func (a PersonAction) form() (form *bytes.Reader, contentType string, err error) {
	payload, err := json.Marshal(a)
	if err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.WriteField("payload_json", string(payload)); err != nil {
		return nil, "", err
	}
	for i, f := range a.Files {
		part, err := w.CreateFormFile("files["+strconv.Itoa(i)+"]", f.Name)
		if err != nil {
			return nil, "", err
		}
		if _, err := part.Write(f.Content); err != nil {
			return nil, "", err
		}
	}
	err = w.Close()
	return bytes.NewReader(b.Bytes()), w.FormDataContentType(), err
}

// Messages returns the newest messages of a channel, at most 100, the newest first.
func (c *Client) Messages(ctx context.Context, channel snowflake.Channel) ([]Message, error) {
	var list []Message
	err := c.get(ctx, "/channels/"+channel.String()+"/messages?limit=100", &list)
	return list, err
}

// Reactions returns the emojis of the reactions to the message: the characters, or the names of custom ones.
func (m Message) Reactions() []string {
	var rest struct {
		Reactions []struct {
			Emoji struct {
				Name string `json:"name"`
			} `json:"emoji"`
		} `json:"reactions"`
	}
	_ = json.Unmarshal(m.Rest, &rest) // a message without reactions has none
	var list []string
	for _, r := range rest.Reactions {
		list = append(list, r.Emoji.Name)
	}
	return list
}

// Edited reports whether the message was edited.
func (m Message) Edited() bool {
	var rest struct {
		At *string `json:"edited_timestamp"`
	}
	return json.Unmarshal(m.Rest, &rest) == nil && rest.At != nil
}
