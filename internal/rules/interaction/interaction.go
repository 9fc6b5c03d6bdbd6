package interaction

import (
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Interaction is the interaction object that an app receives.
type Interaction struct {
	ID          snowflake.Interaction
	Application snowflake.Application
	Type        Type
	Token       string
	Guild       *wire.PartialGuild   // nil: outside of guilds
	Channel     *wire.PartialChannel // nil: Ping
	Member      *wire.Member         // in guilds
	User        *wire.User           // outside of guilds
	// Message is the JSON of the message with the component that was used or that opened the modal.
	Message             []byte
	AppPermissions      permission.Bits
	Locale              locale.Code
	Context             command.Context
	Owners              Owners
	Entitlements        []wire.Entitlement // of the user and of the guild
	AttachmentSizeLimit int64              // 0: message.AttachmentSizeLimit
	Data                Data               // nil: Ping
}

// Owners says which installs of the app authorize an interaction.
type Owners struct {
	// ByGuild says that the app is installed in the guild, or that the channel is a DM with the app, in which case
	// Guild is 0.
	ByGuild bool
	Guild   snowflake.Guild
	User    snowflake.User // has installed the app; 0: there is no user install
}

// UserOnly reports whether only a user install authorizes the interaction.
func (o Owners) UserOnly() bool { return !o.ByGuild && o.User != 0 }

func (o Owners) print(p *wire.Printer, open string) {
	p.Raw(open)
	p.Raw(`{`)
	if o.ByGuild {
		p.ID(`"0":`, uint64(o.Guild))
	}
	if o.User != 0 {
		p.Comma(o.ByGuild)
		p.ID(`"1":`, uint64(o.User))
	}
	p.Raw(`}`)
}

// AppendJSON appends the interaction object.
func (i Interaction) AppendJSON(dst []byte) []byte {
	p := wire.Printer{Out: dst}
	p.ID(`{"id":`, uint64(i.ID))
	p.ID(`,"application_id":`, uint64(i.Application))
	p.Integer(`,"type":`, int64(i.Type))
	p.Text(`,"version":1,"token":`, i.Token)
	if i.Guild != nil {
		p.ID(`,"guild_id":`, uint64(i.Guild.ID))
		p.Text(`,"guild_locale":`, i.Guild.Locale)
		i.Guild.Print(&p, `,"guild":`)
	}
	if i.Channel != nil {
		p.ID(`,"channel_id":`, uint64(i.Channel.ID))
		i.Channel.Print(&p, `,"channel":`, false)
	}
	if i.Member != nil {
		i.Member.Print(&p, `,"member":`, wire.InvokingMember)
	} else if i.User != nil {
		i.User.Print(&p, `,"user":`)
	}
	if len(i.Message) > 0 {
		p.Raw(`,"message":`)
		p.Out = append(p.Out, i.Message...)
	}
	p.ID(`,"app_permissions":`, uint64(i.AppPermissions))
	if i.Type != Ping {
		p.Text(`,"locale":`, i.Locale)
		p.Integer(`,"context":`, int64(i.Context))
	}
	limit := i.AttachmentSizeLimit
	if limit == 0 {
		limit = message.AttachmentSizeLimit
	}
	i.printEntitlements(&p)
	p.Integer(`,"attachment_size_limit":`, limit)
	i.Owners.print(&p, `,"authorizing_integration_owners":`)
	if i.Data != nil {
		p.Raw(`,"data":{`)
		i.Data.print(&p)
		p.Raw(`}`)
	}
	p.Raw(`}`)
	return p.Out
}

func (i Interaction) printEntitlements(p *wire.Printer) {
	p.Raw(`,"entitlements":[`)
	for n, e := range i.Entitlements {
		p.Comma(n > 0)
		e.Print(p)
	}
	p.Raw(`]`)
}

// Data is the data of an interaction: [CommandData], [ComponentData] or [ModalData].
type Data interface {
	print(p *wire.Printer) // writes the members, without the braces
}

// CommandData is the data of a command or autocomplete interaction.
type CommandData struct {
	Command       command.Command
	Options       []Option
	TargetUser    snowflake.User
	TargetMessage snowflake.Message
	Resolved      Resolved
}

func (d CommandData) print(p *wire.Printer) {
	p.ID(`"id":`, uint64(d.Command.ID))
	p.Text(`,"name":`, d.Command.Name)
	p.Integer(`,"type":`, int64(d.Command.Type))
	p.ID(`,"version":`, uint64(d.Command.Version))
	if !d.Command.Scope.Global() {
		p.ID(`,"guild_id":`, uint64(d.Command.Scope.Guild))
	}
	printOptions(p, d.Options)
	switch {
	case d.TargetUser != 0:
		p.ID(`,"target_id":`, uint64(d.TargetUser))
	case d.TargetMessage != 0:
		p.ID(`,"target_id":`, uint64(d.TargetMessage))
	}
	d.Resolved.print(p)
}

func printOptions(p *wire.Printer, options []Option) {
	if len(options) == 0 {
		return
	}
	p.Raw(`,"options":[`)
	for i := range options {
		o := &options[i]
		p.Comma(i > 0)
		p.Integer(`{"type":`, int64(o.Type))
		p.Text(`,"name":`, o.Name)
		if o.Value.IsSet() {
			p.Raw(`,"value":`)
			p.Value(o.Value)
		}
		if o.Focused {
			p.Raw(`,"focused":true`)
		}
		printOptions(p, o.Options)
		p.Raw(`}`)
	}
	p.Raw(`]`)
}

// ComponentData is the data of a component interaction.
type ComponentData struct {
	ID       int // of the component in its message
	Use      ComponentUse
	Resolved Resolved
}

func (d ComponentData) print(p *wire.Printer) {
	p.Integer(`"id":`, int64(d.ID))
	p.Text(`,"custom_id":`, d.Use.CustomID)
	p.Integer(`,"component_type":`, int64(d.Use.Type))
	if d.Use.Type != message.Button {
		p.Raw(`,"values":[`)
		for i, v := range d.Use.Values {
			p.Comma(i > 0)
			p.Quote(v)
		}
		p.Raw(`]`)
	}
	d.Resolved.print(p)
}

// ModalData is the data of a modal submission.
type ModalData struct {
	CustomID   string
	Components jsonbody.Value // of a Submission
	Resolved   Resolved
}

func (d ModalData) print(p *wire.Printer) {
	p.Text(`"custom_id":`, d.CustomID)
	p.Raw(`,"components":`)
	p.Value(d.Components)
	d.Resolved.print(p)
}
