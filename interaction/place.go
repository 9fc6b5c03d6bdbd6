package interaction

import (
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/locale"
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

func (c *Channel) print(p *printer, open string, resolved bool) {
	p.raw(open)
	p.id(`{"id":`, uint64(c.ID))
	if c.Guild == 0 && !resolved {
		c.printDirect(p)
		return
	}
	if c.Guild != 0 {
		p.id(`,"guild_id":`, uint64(c.Guild))
	}
	p.integer(`,"type":`, int64(c.Type))
	p.textOrNull(`,"name":`, c.Name)
	p.integer(`,"position":`, int64(c.Position))
	p.integer(`,"flags":`, int64(c.Flags))
	p.flag(`,"nsfw":`, c.NSFW)
	p.textOrNull(`,"topic":`, c.Topic)
	p.idOrNull(`,"parent_id":`, uint64(c.Parent))
	p.idOrNull(`,"last_message_id":`, uint64(c.LastMessage))
	p.raw(`,"last_pin_timestamp":null`)
	p.integer(`,"rate_limit_per_user":`, int64(c.RateLimit))
	if c.Thread != nil {
		c.Thread.print(p)
	}
	p.bits(`,"permissions":`, c.Permissions)
	if resolved {
		p.bits(`,"app_permissions":`, c.AppPermissions)
	}
	p.raw(`}`)
}

// printDirect writes the rest of a channel between people.
func (c *Channel) printDirect(p *printer) {
	p.integer(`,"type":`, int64(c.Type))
	if c.Type == command.GroupDM {
		p.textOrNull(`,"name":`, c.Name)
	}
	p.integer(`,"flags":`, int64(c.Flags))
	p.idOrNull(`,"last_message_id":`, uint64(c.LastMessage))
	if len(c.Recipients) > 0 {
		p.raw(`,"recipients":[`)
		for i := range c.Recipients {
			p.comma(i > 0)
			c.Recipients[i].print(p, "")
		}
		p.raw(`]`)
	}
	p.raw(`}`)
}

func (t *Thread) print(p *printer) {
	p.flag(`,"thread_metadata":{"archived":`, t.Archived)
	p.integer(`,"auto_archive_duration":`, int64(t.AutoArchive))
	p.time(`,"archive_timestamp":`, t.ArchivedAt)
	p.flag(`,"locked":`, t.Locked)
	p.raw(`}`)
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

func (r *Role) print(p *printer, open string) {
	p.raw(open)
	p.id(`{"id":`, uint64(r.ID))
	p.text(`,"name":`, r.Name)
	p.integer(`,"color":`, int64(r.Color))
	p.integer(`,"colors":{"primary_color":`, int64(r.Color))
	p.flag(`,"secondary_color":null,"tertiary_color":null},"hoist":`, r.Hoist)
	p.integer(`,"icon":null,"unicode_emoji":null,"position":`, int64(r.Position))
	p.bits(`,"permissions":`, r.Permissions)
	p.flag(`,"managed":`, r.Managed != 0)
	p.flag(`,"mentionable":`, r.Mentionable)
	if r.Managed != 0 {
		p.id(`,"tags":{"bot_id":`, uint64(r.Managed))
		p.raw(`}`)
	}
	p.raw(`,"flags":0}`)
}
