// Package message knows what a message is: its text, embeds, components, files and poll, the rules that they keep, how
// they are kept in the store, and the message object as it travels. It performs no I/O and reads no clock: the people that
// a message calls and the message that it refers to are handed in.
//
//	c, err := message.Read(body, files) // every member, all faults at once
//	doc := c.Doc()                      // to be kept; ParseContent reads it again
//	c, err = message.ReadEdit(body, c, files)
//	body := message.Post{Content: c, …}.AppendJSON(nil)
//
// Components are those of messages and of modals: they share their kinds, limits and rules.
package message

import (
	"slices"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/payload"
)

// Flags is a set of properties of a message.
type Flags uint32

// The flags that matter here.
const (
	SuppressEmbeds        Flags = 1 << 2
	Ephemeral             Flags = 1 << 6
	Loading               Flags = 1 << 7
	SuppressNotifications Flags = 1 << 12
	IsVoiceMessage        Flags = 1 << 13
	IsComponentsV2        Flags = 1 << 15
	FromSocialLayer       Flags = 1 << 16 // a person wrote it in a lobby
)

// The flags that a request can set. Once a message is made of components alone it stays so.
const (
	settable = SuppressEmbeds | Ephemeral | SuppressNotifications | IsVoiceMessage | IsComponentsV2
	editable = SuppressEmbeds | IsComponentsV2
)

// Has reports whether f holds every flag of g.
func (f Flags) Has(g Flags) bool { return f&g == g }

// MaxContent is how many code points the text of a message may have.
const MaxContent = 2000

// MaxAttachments is how many files a message may have.
const MaxAttachments = 10

// Content is what a message says, in normal form.
type Content struct {
	Text        string
	TTS         bool
	Flags       Flags
	Embeds      jsonbody.Value // a list
	Components  Components
	Attachments []payload.Attachment
	Poll        jsonbody.Value // as it was asked for; see Post
	Mentions    AllowedMentions
}

// Read reads a new message. files came with the request. An error is a *problem.Tree or ErrEmpty.
func Read(body jsonbody.Value, files []File) (Content, error) {
	var t jsonbody.Tree
	return ReadAt(&t, &t, body, files)
}

// ReadAt is Read for a message that is a part of a request: what is wrong with it is noted at its place in the tree.
func ReadAt(tree, at *jsonbody.Tree, body jsonbody.Value, files []File) (Content, error) {
	return Content{}.amended(at, body, files, settable).settled(tree)
}

// ReadEdit returns old with the members of body in place of its own; null clears one. An answer that is still loading is
// filled, and that is the one edit that may bring a poll. An error is a *problem.Tree or ErrEmpty.
func ReadEdit(body jsonbody.Value, old Content, files []File) (Content, error) {
	var t jsonbody.Tree
	return ReadEditAt(&t, &t, body, old, files)
}

// ReadEditAt is to ReadEdit what ReadAt is to Read.
func ReadEditAt(tree, at *jsonbody.Tree, body jsonbody.Value, old Content, files []File) (Content, error) {
	return old.amended(at, body, files, editable).settled(tree)
}

// settled returns the content when nothing is wrong with it and it says something.
func (c Content) settled(t *jsonbody.Tree) (Content, error) {
	if err := t.Err(); err != nil {
		return Content{}, err
	}
	if c.empty() {
		return Content{}, ErrEmpty
	}
	return c, nil
}

// Fill returns c as what fills an answer that is loading: who sees it was decided before.
func (c Content) Fill(loading Content) Content {
	c.Flags = c.Flags&^Ephemeral | loading.Flags&Ephemeral
	return c
}

// amended returns c with the members of body in place of its own and notes what is wrong with them. flags are those that
// the request can set.
func (c Content) amended(t *jsonbody.Tree, body jsonbody.Value, files []File, flags Flags) Content {
	if body.IsSet() {
		var ok bool
		if body, ok = jsonbody.AsObject(t, body); !ok {
			return c
		}
	}
	edit := flags == editable
	if v := body.Get("content"); v.Kind() != jsonbody.Absent {
		c.Text = jsonbody.ReadText(t, body, "content", false, 0, MaxContent)
	}
	if v := body.Get("flags"); v.IsSet() {
		given, _ := jsonbody.AsInt(t.At("flags"), v, 0, command.MaxInteger)
		c.Flags = c.Flags&^(flags&^IsComponentsV2) | Flags(given)&flags
	}
	if v := body.Get("embeds"); v.Kind() != jsonbody.Absent {
		c.Embeds = readList(t.At("embeds"), v, readEmbeds)
	}
	if v := body.Get("tts"); v.IsSet() && !edit {
		c.TTS, _ = jsonbody.AsBool(t.At("tts"), v)
	}
	if v := body.Get("allowed_mentions"); v.IsSet() {
		c.Mentions = readMentions(t.At("allowed_mentions"), v)
	}
	c.readPoll(t, body, edit)
	c.readAttachments(t.At("attachments"), body.Get("attachments"), files)
	if v := body.Get("components"); v.Kind() != jsonbody.Absent {
		c.Components = Components{}
		if v.IsSet() {
			c.Components = readComponents(t.At("components"), v, c.Flags.Has(IsComponentsV2), c.hasFile)
		}
	}
	c.checkV2(t)
	c.Flags &^= Loading
	return c
}

// readList reads a list that null clears.
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
		t.At("poll").Add(PollNotEditable, "A poll can only be added to an answer that is loading")
		return
	}
	c.Poll = readPoll(t.At("poll"), v)
}

// checkV2 notes what a message that is made of components alone cannot have.
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
}

func (c *Content) empty() bool {
	return strings.TrimSpace(c.Text) == "" && len(c.Embeds.Items()) == 0 && c.Components.Empty() &&
		len(c.Attachments) == 0 && !c.Poll.IsSet()
}

func (c *Content) hasFile(name string) bool {
	return slices.ContainsFunc(c.Attachments, func(a payload.Attachment) bool { return a.Filename == name })
}

// readAttachments settles which files the message has: those of its own that the request lists, or all when it lists
// nothing, and those that came with the request.
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
	if len(c.Attachments) > MaxAttachments && !t.Failed() {
		t.Length(-1, MaxAttachments)
	}
}

// readAttachment reads one file that the request lists: by the id of one that the message has, or by the n of files[n].
func (c *Content) readAttachment(t *jsonbody.Tree, v jsonbody.Value, old []payload.Attachment, files []File, used map[int]bool) {
	filename := jsonbody.ReadText(t, v, "filename", false, 1, MaxFilename)
	title := jsonbody.ReadText(t, v, "title", false, 0, MaxFilename)
	description := jsonbody.ReadText(t, v, "description", false, 0, 1024)
	given := v.Get("id")
	if !given.IsSet() {
		t.At("id").Required()
		return
	}
	var a payload.Attachment
	n, ok := FileIndex(given)
	if ok {
		a, ok = FindFile(files, n, map[int]string{n: filename})
	}
	if ok && !used[n] {
		used[n] = true
	} else {
		i := slices.IndexFunc(old, func(a payload.Attachment) bool { return a.ID.String() == given.Text() })
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
	c.Attachments = append(c.Attachments, a)
}
