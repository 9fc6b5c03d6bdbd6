package permission

import (
	"slices"

	"github.com/bellhop/bellhop/snowflake"
)

// Channel is what permissions need to know of a channel.
type Channel struct {
	ID       snowflake.Channel
	Parent   snowflake.Channel // of a thread: the channel it belongs to
	Thread   bool
	Archived bool // of a thread
	NSFW     bool // age-restricted; of a thread: what its parent is
	// Overwrites are the channel's; of a thread: its parent's. Their order does not matter.
	Overwrites []Overwrite
}

// Overwrite changes what a role, or a single member, may do in a channel. The guild's id stands for everyone.
type Overwrite struct {
	ID          snowflake.Target
	Member      bool // a member, not a role
	Allow, Deny Bits
}

// spoken are the rights that do not count without the right to send.
const spoken = MentionEveryone | SendTTSMessages | AttachFiles | EmbedLinks

// send returns the right to send messages in the channel.
func (c *Channel) send() Bits {
	if c.Thread {
		return SendMessagesInThreads
	}
	return SendMessages
}

// place returns the id under which entries speak of the channel.
func (c *Channel) place() snowflake.Target {
	if c.Thread {
		return snowflake.Target(c.Parent)
	}
	return snowflake.Target(c.ID)
}

// In returns what the member may do in a channel of the guild.
func (m Member) In(c Channel) Bits {
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
	if !have.Has(c.send()) {
		have &^= spoken
	}
	return have
}

// overwritten returns the member's base after the overwrites for everyone, for the roles together and for the member.
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
	return own.change(roles.change(everyone.change(m.base)))
}

func (o *Overwrite) join(other Overwrite) {
	o.Allow |= other.Allow
	o.Deny |= other.Deny
}

// change returns what is left of b, and what comes to it.
func (o *Overwrite) change(b Bits) Bits { return b&^o.Deny | o.Allow&^Administrator }
