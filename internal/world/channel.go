package world

import (
	"cmp"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// The types of channels that a guild can have.
const (
	TextChannel         = 0
	VoiceChannel        = 2
	Category            = 4
	AnnouncementChannel = 5
	AnnouncementThread  = 10
	PublicThread        = 11
	PrivateThread       = 12
	StageChannel        = 13
	DirectoryChannel    = 14
	ForumChannel        = 15
	MediaChannel        = 16
)

var channelTypes = []int{
	TextChannel, VoiceChannel, Category, AnnouncementChannel, AnnouncementThread, PublicThread, PrivateThread,
	StageChannel, DirectoryChannel, ForumChannel, MediaChannel,
}

// Channel is a channel or a thread of a guild.
type Channel struct {
	ID         snowflake.Channel `json:"id"`
	Name       string            `json:"name"` // default: "channel-" and its id
	Type       int               `json:"type"`
	Topic      string            `json:"topic,omitzero"`
	Position   int               `json:"position,omitzero"`
	NSFW       bool              `json:"nsfw,omitzero"`
	Parent     snowflake.Channel `json:"parent,omitzero"` // the category of a channel, or the channel of a thread
	Archived   bool              `json:"archived,omitzero"`
	Overwrites []Overwrite       `json:"permission_overwrites,omitzero"`
	Webhooks   []Webhook         `json:"webhooks,omitzero"`
	Messages   []Message         `json:"messages,omitzero"` // ascending ids
	Threads    []Thread          `json:"threads,omitzero"`
}

// Overwrite changes the permissions of a role or a member in one channel.
type Overwrite struct {
	ID    snowflake.Target `json:"id"`
	Type  int              `json:"type"` // RoleOverwrite or MemberOverwrite
	Allow permission.Bits  `json:"allow"`
	Deny  permission.Bits  `json:"deny"`
}

// The types of overwrites.
const (
	RoleOverwrite   = 0
	MemberOverwrite = 1
)

// IsThread reports whether a channel type is a thread.
func IsThread(channelType int) bool {
	return channelType >= AnnouncementThread && channelType <= PrivateThread
}

// HoldsThreads reports whether channels of a type can have threads.
func HoldsThreads(channelType int) bool {
	return slices.Contains([]int{TextChannel, AnnouncementChannel, ForumChannel, MediaChannel}, channelType)
}

func (c *Channel) read(o *object) {
	c.ID = id[snowflake.Channel](o, "id")
	c.Name = o.text("name")
	c.Type = o.int("type", 0, MediaChannel)
	c.Topic = o.mayBeEmpty("topic")
	c.Position = o.int("position", 0, MaxPosition)
	c.NSFW = o.bool("nsfw")
	c.Parent = id[snowflake.Channel](o, "parent")
	c.Archived = o.bool("archived")
	c.Overwrites = list[Overwrite](o, "permission_overwrites", MaxOverwrites)
	c.Webhooks = list[Webhook](o, "webhooks", MaxWebhooks)
	c.Messages = list[Message](o, "messages", MaxMessages)
	c.Threads = list[Thread](o, "threads", MaxThreads)
}

// Complete returns a channel of the guild with default values for absent members, or a *jsonbody.Tree with its
// problems.
func (c Channel) Complete(guild snowflake.Guild) (Channel, error) { return completedPart(c, guild) }

func (c *Channel) complete(t *jsonbody.Tree) {
	c.Name = cmp.Or(c.Name, "channel-"+c.ID.String())
	required(t, "id", c.ID != 0)
	name(t, "name", c.Name, 1, 100)
	text(t, "topic", c.Topic, 0, 4096)
	within(t, "position", c.Position, 0, MaxPosition)
	completeAll(t.At("permission_overwrites"), &c.Overwrites, MaxOverwrites)
	if !slices.Contains(channelTypes, c.Type) {
		find(t, "type", func(at *jsonbody.Tree) { jsonbody.NotOneOfInts(at, channelTypes...) })
	}
	completeAll(t.At("webhooks"), &c.Webhooks, MaxWebhooks)
	completeAll(t.At("messages"), &c.Messages, MaxMessages)
	completeAll(t.At("threads"), &c.Threads, MaxThreads)
	c.checkType(t)
	c.checkContents(t)
}

// checkType reports members that the channel's type does not allow.
func (c *Channel) checkType(t *jsonbody.Tree) {
	thread := IsThread(c.Type)
	misplaced := func(key, text string) {
		find(t, key, func(at *jsonbody.Tree) { at.Add(Misplaced, text) })
	}
	switch {
	case thread && c.Parent == 0:
		required(t, "parent", false)
	case c.Type == Category && c.Parent != 0:
		misplaced("parent", "A category has no parent.")
	case c.Parent != 0 && c.Parent == c.ID:
		misplaced("parent", "A channel cannot be its own parent.")
	}
	if thread && len(c.Overwrites) > 0 {
		misplaced("permission_overwrites", "A thread has the overwrites of its parent.")
	}
	if !thread && c.Archived {
		misplaced("archived", "Only a thread can be archived.")
	}
	twice := seen[[2]uint64]{}
	for i, o := range c.Overwrites {
		twice.note([2]uint64{uint64(o.ID), uint64(o.Type)}, at(inOverwrites, i),
			func() *jsonbody.Tree { return t.At("permission_overwrites").Index(i).At("id") })
	}
}

func (c *Channel) completeInGuild(t *jsonbody.Tree, guild snowflake.Guild) {
	if c.ID != 0 && uint64(c.ID) == uint64(guild)-1 {
		find(t, "id", func(at *jsonbody.Tree) {
			at.Add(Misplaced, "This id is reserved: it stands for all channels of the guild.")
		})
	}
}

func (o *Overwrite) read(r *object) {
	o.ID = id[snowflake.Target](r, "id")
	o.Type = r.int("type", RoleOverwrite, MemberOverwrite)
	if b := r.bits("allow"); b != nil {
		o.Allow = *b
	}
	if b := r.bits("deny"); b != nil {
		o.Deny = *b
	}
}

func (o *Overwrite) complete(t *jsonbody.Tree) {
	required(t, "id", o.ID != 0)
	within(t, "type", o.Type, RoleOverwrite, MemberOverwrite)
	allowed(t, "allow", o.Allow)
	allowed(t, "deny", o.Deny)
}
