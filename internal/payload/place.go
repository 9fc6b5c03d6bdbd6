package payload

import (
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Guild is where an interaction happens, as payloads show it.
type Guild struct {
	ID     snowflake.Guild
	Locale locale.Code
}

// Channel is a channel as payloads show it.
type Channel struct {
	ID          snowflake.Channel
	Guild       snowflake.Guild // 0: between people
	Type        command.ChannelType
	Name        string
	Topic       string
	Position    int
	NSFW        bool
	Flags       int
	Parent      snowflake.Channel
	LastMessage snowflake.Message
	RateLimit   int             // seconds between two messages of a person
	Permissions permission.Bits // of the caller, here
	// AppPermissions are those of the app's bot, here. Only resolved channels show them.
	AppPermissions permission.Bits
	Recipients     []User  // of a channel between people
	Thread         *Thread // of a thread
}

// Thread is what only threads have.
type Thread struct {
	Archived    bool
	Locked      bool
	AutoArchive int // minutes
	ArchivedAt  time.Time
}

// Print writes the channel object after open. Resolved channels show what the app may do there.
func (c *Channel) Print(p *Printer, open string, resolved bool) {
	p.Raw(open)
	p.ID(`{"id":`, uint64(c.ID))
	if c.Guild == 0 && !resolved {
		c.printDirect(p)
		return
	}
	if c.Guild != 0 {
		p.ID(`,"guild_id":`, uint64(c.Guild))
	}
	p.Integer(`,"type":`, int64(c.Type))
	p.TextOrNull(`,"name":`, c.Name)
	p.Integer(`,"position":`, int64(c.Position))
	p.Integer(`,"flags":`, int64(c.Flags))
	p.Flag(`,"nsfw":`, c.NSFW)
	p.TextOrNull(`,"topic":`, c.Topic)
	p.IDOrNull(`,"parent_id":`, uint64(c.Parent))
	p.IDOrNull(`,"last_message_id":`, uint64(c.LastMessage))
	p.Raw(`,"last_pin_timestamp":null`)
	p.Integer(`,"rate_limit_per_user":`, int64(c.RateLimit))
	if c.Thread != nil {
		c.Thread.print(p)
	}
	p.Bits(`,"permissions":`, c.Permissions)
	if resolved {
		p.Bits(`,"app_permissions":`, c.AppPermissions)
	}
	p.Raw(`}`)
}

// printDirect writes the rest of a channel between people.
func (c *Channel) printDirect(p *Printer) {
	p.Integer(`,"type":`, int64(c.Type))
	if c.Type == command.GroupDM {
		p.TextOrNull(`,"name":`, c.Name)
	}
	p.Integer(`,"flags":`, int64(c.Flags))
	p.IDOrNull(`,"last_message_id":`, uint64(c.LastMessage))
	if len(c.Recipients) > 0 {
		p.Raw(`,"recipients":[`)
		for i := range c.Recipients {
			p.Comma(i > 0)
			c.Recipients[i].Print(p, "")
		}
		p.Raw(`]`)
	}
	p.Raw(`}`)
}

func (t *Thread) print(p *Printer) {
	p.Flag(`,"thread_metadata":{"archived":`, t.Archived)
	p.Integer(`,"auto_archive_duration":`, int64(t.AutoArchive))
	p.Time(`,"archive_timestamp":`, t.ArchivedAt)
	p.Flag(`,"locked":`, t.Locked)
	p.Raw(`}`)
}

// Role is a role of a guild as payloads show it.
type Role struct {
	ID          snowflake.Role
	Name        string
	Color       int
	Hoist       bool
	Position    int
	Permissions permission.Bits
	Managed     snowflake.Application // whose bot carries it; 0: a role that people made
	Mentionable bool
}

// Print writes the role object after open.
func (r *Role) Print(p *Printer, open string) {
	p.Raw(open)
	p.ID(`{"id":`, uint64(r.ID))
	p.Text(`,"name":`, r.Name)
	p.Integer(`,"color":`, int64(r.Color))
	p.Integer(`,"colors":{"primary_color":`, int64(r.Color))
	p.Flag(`,"secondary_color":null,"tertiary_color":null},"hoist":`, r.Hoist)
	p.Integer(`,"icon":null,"unicode_emoji":null,"position":`, int64(r.Position))
	p.Bits(`,"permissions":`, r.Permissions)
	p.Flag(`,"managed":`, r.Managed != 0)
	p.Flag(`,"mentionable":`, r.Mentionable)
	if r.Managed != 0 {
		p.ID(`,"tags":{"bot_id":`, uint64(r.Managed))
		p.Raw(`}`)
	}
	p.Raw(`,"flags":0}`)
}
