// Package message defines the content of a message: text, embeds, components, files and poll. It validates requests,
// converts content to and from its stored form, and writes the message object of the API. It performs no I/O and reads
// no clock: callers pass in the mentioned users and the referenced message.
//
// Responses to interactions, messages in channels, posts in forums and messages of webhooks have the same content and
// the same rules. A form says what each of these requests can set.
//
//	c, err := message.Read(body, files) // reports all errors at once
//	doc := c.Doc()                      // the stored form; ParseContent reads it
//	c, err = message.ReadEdit(body, c, files)
//	body := (&message.Post{Content: c, …}).AppendJSON(nil)
//
// Modals use the same components as messages.
package message

import (
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Flags are the flags of a message.
type Flags uint32

// The flags that Bellhop uses.
const (
	Crossposted           Flags = 1 << 0 // published to the followers of the channel
	IsCrosspost           Flags = 1 << 1 // came from a channel that this channel follows
	SuppressEmbeds        Flags = 1 << 2
	HasThread             Flags = 1 << 5
	Ephemeral             Flags = 1 << 6
	Loading               Flags = 1 << 7
	SuppressNotifications Flags = 1 << 12
	IsVoiceMessage        Flags = 1 << 13
	HasSnapshot           Flags = 1 << 14 // a forwarded message
	IsComponentsV2        Flags = 1 << 15
	FromSocialLayer       Flags = 1 << 16 // a user wrote it in a lobby
)

// Has reports whether f has every flag of g.
func (f Flags) Has(g Flags) bool { return f&g == g }

// MaxContent is the maximum length of the text of a message in code points.
const MaxContent = 2000

// longContent is the limit that the error about a text above it names. Texts between MaxContent and it are refused too.
const longContent = 4000

// MaxAttachments is the maximum number of files of a message.
const MaxAttachments = 10

// Limits of the files of voice messages.
const (
	maxDuration = 1200 // seconds
	maxWaveform = 400  // characters
)

// spoilerPrefix begins the names of files that are spoilers.
const spoilerPrefix = "SPOILER_"

// Content is the validated content of a message.
type Content struct {
	Text        string
	TTS         bool
	Flags       Flags
	Embeds      jsonbody.Value // a list
	Components  Components
	Attachments []wire.Attachment
	Poll        jsonbody.Value // as requested; Post shows it in another form
	Stickers    []snowflake.Sticker
	Theme       jsonbody.Value // shared_client_theme
	Mentions    AllowedMentions
}

// Read reads a new message. files are the uploaded files of the request. The error is a *jsonbody.Tree or ErrEmpty.
func Read(body jsonbody.Value, files []File) (Content, error) {
	var t jsonbody.Tree
	return ReadAt(&t, &t, body, files)
}

// ReadAt is Read for a message that is a part of a request. It adds errors to at, which is a node of tree.
func ReadAt(tree, at *jsonbody.Tree, body jsonbody.Value, files []File) (Content, error) {
	return Content{}.amended(at, body, files, &response).checked(tree)
}

// ReadEdit returns old with the members of body in place of its own; null clears a member. An edit can add a poll only
// to a message that is loading. The error is a *jsonbody.Tree or ErrEmpty.
func ReadEdit(body jsonbody.Value, old Content, files []File) (Content, error) {
	var t jsonbody.Tree
	return ReadEditAt(&t, &t, body, old, files)
}

// ReadEditAt is ReadEdit for a message that is a part of a request; see ReadAt.
func ReadEditAt(tree, at *jsonbody.Tree, body jsonbody.Value, old Content, files []File) (Content, error) {
	return old.amended(at, body, files, &responseEdit).checked(tree)
}

// checked returns the content, or the errors of t, or ErrEmpty.
func (c Content) checked(t *jsonbody.Tree) (Content, error) {
	if err := t.Err(); err != nil {
		return Content{}, err
	}
	if c.empty() {
		return Content{}, ErrEmpty
	}
	return c, nil
}

// Fill returns c as the content of a deferred response. The response stays ephemeral or public as it was deferred.
func (c Content) Fill(loading Content) Content {
	c.Flags = c.Flags&^Ephemeral | loading.Flags&Ephemeral
	return c
}

// amended returns c with the members of body in place of its own, and adds errors to t. The form says which members the
// request can have.
func (c Content) amended(t *jsonbody.Tree, body jsonbody.Value, files []File, f *form) Content {
	if body.IsSet() {
		var ok bool
		if body, ok = jsonbody.AsObject(t, body); !ok {
			return c
		}
	}
	if v := body.Get("content"); v.Kind() != jsonbody.Absent {
		limit := MaxContent
		if f.long && v.Kind() == jsonbody.String && jsonbody.Len(v.Text()) > longContent {
			limit = longContent
		}
		c.Text = jsonbody.ReadText(t, body, "content", false, 0, limit)
		if f.trim {
			c.Text = strings.TrimSpace(c.Text)
		}
	}
	if v := body.Get("flags"); v.IsSet() {
		given, _ := jsonbody.AsInt(t.At("flags"), v, 0, jsonbody.MaxInteger)
		c.Flags = c.Flags&^(f.flags&^IsComponentsV2) | Flags(given)&f.flags
	}
	if v := body.Get("embeds"); v.Kind() != jsonbody.Absent {
		c.Embeds = readList(t.At("embeds"), v, readEmbeds)
	}
	if v := body.Get("tts"); v.IsSet() && f.tts {
		c.TTS, _ = jsonbody.AsBool(t.At("tts"), v)
	}
	c.Mentions = f.mentions
	if v := body.Get("allowed_mentions"); v.IsSet() {
		c.Mentions = readMentions(t.At("allowed_mentions"), v)
	}
	c.readPoll(t, body, f.edit)
	c.readAttachments(t.At("attachments"), body.Get("attachments"), files)
	if v := body.Get("components"); v.Kind() != jsonbody.Absent {
		c.Components = Components{}
		if v.IsSet() {
			c.Components = readComponents(t.At("components"), v, c.Flags.Has(IsComponentsV2), c.hasFile)
		}
	}
	c.readExtras(t, body, f)
	c.checkV2(t)
	c.Flags &^= Loading
	return c
}

// readList reads a list; null gives the zero value.
func readList(t *jsonbody.Tree, v jsonbody.Value, read rule) jsonbody.Value {
	if !v.IsSet() {
		return jsonbody.Value{}
	}
	return read(t, v)
}

func (c *Content) readPoll(t *jsonbody.Tree, body jsonbody.Value, edit bool) {
	v := body.Get("poll")
	if !v.IsSet() {
		return
	}
	if edit && !c.Flags.Has(Loading) {
		t.At("poll").Add(PollNotEditable, "A poll can only be added to a deferred response")
		return
	}
	c.Poll = readPoll(t.At("poll"), v)
}

// checkV2 checks that a message with IS_COMPONENTS_V2 has no text, embeds or poll.
func (c *Content) checkV2(t *jsonbody.Tree) {
	if !c.Flags.Has(IsComponentsV2) {
		return
	}
	refuse := func(key string, has bool) {
		if has {
			t.At(key).Add(LegacyWithV2, "The '"+key+"' field cannot be used when using MessageFlags.IS_COMPONENTS_V2")
		}
	}
	refuse("content", c.Text != "")
	refuse("embeds", len(c.Embeds.Items()) > 0)
	refuse("poll", c.Poll.IsSet())
	refuse("sticker_ids", len(c.Stickers) > 0)
}

func (c *Content) empty() bool {
	return strings.TrimSpace(c.Text) == "" && len(c.Embeds.Items()) == 0 && c.Components.Empty() &&
		len(c.Attachments) == 0 && !c.Poll.IsSet() && len(c.Stickers) == 0 && !c.Theme.IsSet()
}

func (c *Content) hasFile(name string) bool {
	return slices.ContainsFunc(c.Attachments, func(a wire.Attachment) bool { return a.Filename == name })
}

// readAttachments sets the files of the message: its old files that the request lists (all if the request has no list),
// and the uploaded files.
func (c *Content) readAttachments(t *jsonbody.Tree, v jsonbody.Value, files []File) {
	old := c.Attachments
	if v.Kind() != jsonbody.Absent {
		c.Attachments = nil
	} else {
		c.Attachments = slices.Clone(old)
	}
	used := map[int]bool{}
	if v.IsSet() {
		items, _ := jsonbody.AsItems(t, v, MaxAttachments)
		for i, item := range items {
			if item, ok := jsonbody.AsItem(t.Index(i), item); ok {
				c.readAttachment(t.Index(i), item, old, files, used)
			}
		}
	}
	for _, f := range files {
		if !used[f.Index] {
			c.Attachments = append(c.Attachments, f.Attachment)
		}
	}
	for i := range c.Attachments {
		a := &c.Attachments[i]
		a.Spoiler = a.Spoiler || strings.HasPrefix(a.Filename, spoilerPrefix)
	}
	if len(c.Attachments) > MaxAttachments && !t.Failed() {
		t.Length(-1, MaxAttachments)
	}
}

// readAttachment reads one entry of the list. Its id is that of an old file, or the n of files[n].
func (c *Content) readAttachment(t *jsonbody.Tree, v jsonbody.Value, old []wire.Attachment, files []File, used map[int]bool) {
	filename := jsonbody.ReadText(t, v, "filename", false, 1, MaxFilename)
	title := jsonbody.ReadText(t, v, "title", false, 0, MaxFilename)
	description := jsonbody.ReadText(t, v, "description", false, 0, 1024)
	given := v.Get("id")
	if !given.IsSet() {
		t.At("id").Required()
		return
	}
	var a wire.Attachment
	n, ok := FileIndex(given)
	if ok {
		a, ok = FindFile(files, n, map[int]string{n: filename})
	}
	if ok && !used[n] {
		used[n] = true
	} else {
		i := slices.IndexFunc(old, func(a wire.Attachment) bool { return a.ID.String() == given.Text() })
		if i < 0 || ok {
			t.Add(AttachmentNotFound, "Attachment data not found")
			return
		}
		a = old[i]
	}
	if title != "" {
		a.Title = title
	}
	if v.Get("description").Kind() != jsonbody.Absent {
		a.Description = description
	}
	if spoiler := v.Get("is_spoiler"); spoiler.IsSet() {
		a.Spoiler, _ = jsonbody.AsBool(t.At("is_spoiler"), spoiler)
	}
	if seconds := v.Get("duration_secs"); seconds.IsSet() {
		a.Duration, _ = jsonbody.AsFloat(t.At("duration_secs"), seconds, 0, maxDuration)
	}
	if waveform := jsonbody.ReadText(t, v, "waveform", false, 0, maxWaveform); waveform != "" {
		a.Waveform = waveform
	}
	c.Attachments = append(c.Attachments, a)
}
