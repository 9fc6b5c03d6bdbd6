package interaction

import (
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/locale"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Interaction is what an app receives.
type Interaction struct {
	ID          snowflake.Interaction
	Application snowflake.Application
	Type        Type
	Token       string
	Guild       *Guild   // nil: outside of guilds
	Channel     *Channel // nil: Ping
	Member      *Member  // in guilds, else
	User        *User    // the person
	// Message holds the component that was used, or that opened the modal, as Post.AppendJSON writes it.
	Message             []byte
	AppPermissions      permission.Bits
	Locale              locale.Code
	Context             command.Context
	Owners              Owners
	AttachmentSizeLimit int64 // 0: AttachmentSizeLimit
	Data                Data  // nil: Ping
}

// Owners says by whose install an interaction exists.
type Owners struct {
	// ByGuild says that the app is installed in the guild, or is the other side of a DM: then Guild is 0.
	ByGuild bool
	Guild   snowflake.Guild
	User    snowflake.User // who installed the app to their account; 0: nobody
}

// UserOnly reports whether the app is there for a person alone.
func (o Owners) UserOnly() bool { return !o.ByGuild && o.User != 0 }

func (o Owners) print(p *printer, open string) {
	p.raw(open)
	p.raw(`{`)
	if o.ByGuild {
		p.id(`"0":`, uint64(o.Guild))
	}
	if o.User != 0 {
		p.comma(o.ByGuild)
		p.id(`"1":`, uint64(o.User))
	}
	p.raw(`}`)
}

// AppendJSON appends the interaction object.
func (i Interaction) AppendJSON(dst []byte) []byte {
	p := printer{b: dst}
	p.id(`{"id":`, uint64(i.ID))
	p.id(`,"application_id":`, uint64(i.Application))
	p.integer(`,"type":`, int64(i.Type))
	p.text(`,"version":1,"token":`, i.Token)
	if i.Guild != nil {
		p.id(`,"guild_id":`, uint64(i.Guild.ID))
		p.text(`,"guild_locale":`, string(i.Guild.Locale))
		p.id(`,"guild":{"id":`, uint64(i.Guild.ID))
		p.text(`,"locale":`, string(i.Guild.Locale))
		p.raw(`,"features":[]}`)
	}
	if i.Channel != nil {
		p.id(`,"channel_id":`, uint64(i.Channel.ID))
		i.Channel.print(&p, `,"channel":`, false)
	}
	if i.Member != nil {
		i.Member.print(&p, `,"member":`, false)
	} else if i.User != nil {
		i.User.print(&p, `,"user":`)
	}
	if len(i.Message) > 0 {
		p.raw(`,"message":`)
		p.b = append(p.b, i.Message...)
	}
	p.bits(`,"app_permissions":`, i.AppPermissions)
	if i.Type != Ping {
		p.text(`,"locale":`, string(i.Locale))
		p.integer(`,"context":`, int64(i.Context))
	}
	limit := i.AttachmentSizeLimit
	if limit == 0 {
		limit = AttachmentSizeLimit
	}
	p.integer(`,"entitlements":[],"attachment_size_limit":`, limit)
	i.Owners.print(&p, `,"authorizing_integration_owners":`)
	if i.Data != nil {
		p.raw(`,"data":{`)
		i.Data.print(&p)
		p.raw(`}`)
	}
	p.raw(`}`)
	return p.b
}

// Data is what an interaction is about: [CommandData], [ComponentData] or [ModalData].
type Data interface {
	print(p *printer) // the members, without the braces
}

// CommandData is about the use of a command, or about an option that is being typed.
type CommandData struct {
	Command       command.Command
	Options       []Option
	TargetUser    snowflake.User
	TargetMessage snowflake.Message
	Resolved      Resolved
}

func (d CommandData) print(p *printer) {
	p.id(`"id":`, uint64(d.Command.ID))
	p.text(`,"name":`, d.Command.Name)
	p.integer(`,"type":`, int64(d.Command.Type))
	p.id(`,"version":`, uint64(d.Command.Version))
	if !d.Command.Scope.Global() {
		p.id(`,"guild_id":`, uint64(d.Command.Scope.Guild))
	}
	printOptions(p, d.Options)
	switch {
	case d.TargetUser != 0:
		p.id(`,"target_id":`, uint64(d.TargetUser))
	case d.TargetMessage != 0:
		p.id(`,"target_id":`, uint64(d.TargetMessage))
	}
	d.Resolved.print(p)
}

func printOptions(p *printer, options []Option) {
	if len(options) == 0 {
		return
	}
	p.raw(`,"options":[`)
	for i := range options {
		o := &options[i]
		p.comma(i > 0)
		p.integer(`{"type":`, int64(o.Type))
		p.text(`,"name":`, o.Name)
		if o.Value.IsSet() {
			p.raw(`,"value":`)
			p.value(o.Value)
		}
		if o.Focused {
			p.raw(`,"focused":true`)
		}
		printOptions(p, o.Options)
		p.raw(`}`)
	}
	p.raw(`]`)
}

// ComponentData is about the use of a component.
type ComponentData struct {
	Use      ComponentUse
	Resolved Resolved
}

func (d ComponentData) print(p *printer) {
	p.text(`"custom_id":`, d.Use.CustomID)
	p.integer(`,"component_type":`, int64(d.Use.Type))
	if d.Use.Type != Button {
		p.raw(`,"values":[`)
		for i, v := range d.Use.Values {
			p.comma(i > 0)
			p.quote(v)
		}
		p.raw(`]`)
	}
	d.Resolved.print(p)
}

// ModalData is about the answer to a modal.
type ModalData struct {
	CustomID   string
	Components form.Value // of a Submission
	Resolved   Resolved
}

func (d ModalData) print(p *printer) {
	p.text(`"custom_id":`, d.CustomID)
	p.raw(`,"components":`)
	p.value(d.Components)
	d.Resolved.print(p)
}
