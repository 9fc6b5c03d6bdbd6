package permission

import (
	"slices"

	"github.com/bellhop/bellhop/snowflake"
)

// Channel holds the parts of a channel that permissions depend on.
type Channel struct {
	ID       snowflake.Channel
	Parent   snowflake.Channel // the channel of a thread
	Thread   bool
	Archived bool // for threads
	NSFW     bool // age-restricted; for threads: whether the parent is
	// Private means that only members of the thread, and those who can manage threads, see it.
	Private bool
	Voice   bool // a voice or stage channel
	// Overwrites are the overwrites of the channel; for threads: of the parent. Their order does not matter.
	Overwrites []Overwrite
}

// Overwrite changes the permissions of a role or of a single member in a channel. The id of the guild stands for
// everyone.
type Overwrite struct {
	ID          snowflake.Target
	Member      bool // a member, not a role
	Allow, Deny Bits
}

// InDirectMessages are the permissions of a participant in a direct message or a group.
const InDirectMessages = AddReactions | ViewChannel | SendMessages | SendTTSMessages | EmbedLinks | AttachFiles |
	ReadMessageHistory | MentionEveryone | UseExternalEmojis | UseApplicationCommands | UseExternalStickers | SendVoiceMessages |
	SendPolls | UseExternalApps | PinMessages | BypassSlowmode

// needSend are the permissions that have no effect without the permission to send.
const needSend = MentionEveryone | SendTTSMessages | AttachFiles | EmbedLinks

// send returns the permission to send messages in the channel.
func (c *Channel) send() Bits {
	if c.Thread {
		return SendMessagesInThreads
	}
	return SendMessages
}

// entryID returns the id that entries use for the channel.
func (c *Channel) entryID() snowflake.Target {
	if c.Thread {
		return snowflake.Target(c.Parent)
	}
	return snowflake.Target(c.ID)
}

// In returns the permissions of the member in a channel of the guild, or in a thread that the member has not joined.
func (m Member) In(c Channel) Bits { return m.InThread(c, false) }

// InThread is In for a member who has joined the thread or not. It makes a difference only for private threads.
func (m Member) InThread(c Channel, joined bool) Bits {
	have := m.in(c)
	if c.Private && !joined && !have.Has(ManageThreads) {
		return 0
	}
	return have
}

// in returns the permissions of the member in a channel or in a thread that the member has joined.
func (m Member) in(c Channel) Bits {
	if m.Administrator() {
		return All
	}
	have := m.overwritten(c.Overwrites)
	if m.TimedOut {
		have &= whileTimedOut
	}
	if !have.Has(ViewChannel) {
		return 0
	}
	if c.Voice && !have.Has(Connect) {
		return ViewChannel
	}
	if !have.Has(c.send()) {
		have &^= needSend
	}
	return have
}

// overwritten applies to the base permissions of the member the overwrites for everyone, then those for the roles
// together, then those for the member.
func (m Member) overwritten(list []Overwrite) Bits {
	var everyone, roles, own Overwrite
	for _, o := range list {
		switch {
		case o.Member:
			if o.ID == snowflake.Target(m.User) {
				own.join(o)
			}
		case o.ID == Everyone(m.guild):
			everyone.join(o)
		default:
			if _, carried := slices.BinarySearch(m.roles, snowflake.Role(o.ID)); carried {
				roles.join(o)
			}
		}
	}
	return own.apply(roles.apply(everyone.apply(m.base)))
}

func (o *Overwrite) join(other Overwrite) {
	o.Allow |= other.Allow
	o.Deny |= other.Deny
}

// apply returns b without the denied and with the allowed permissions.
func (o *Overwrite) apply(b Bits) Bits { return b&^o.Deny | o.Allow&^Administrator }
