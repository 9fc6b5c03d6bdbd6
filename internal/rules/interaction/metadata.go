package interaction

import (
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Metadata is the interaction metadata of a message. It is the Cause of a message.Post.
type Metadata struct {
	ID     snowflake.Interaction
	Type   Type
	User   wire.User // the invoking user
	Owners Owners
	// Original is the original response, if the message is a follow-up.
	Original      snowflake.Message
	TargetUser    *wire.User        // of a USER command
	TargetMessage snowflake.Message // of a MESSAGE command
	Interacted    snowflake.Message // the message with the component
	Triggering    *Metadata         // of the interaction that opened the modal
	// Command is the older form of the metadata. Only responses to commands have it.
	Command *CommandUsed
}

// PrintCause writes the members interaction_metadata and interaction of a message.
func (m *Metadata) PrintCause(p *wire.Printer) {
	m.print(p, `,"interaction_metadata":`)
	if m.Command != nil {
		m.Command.print(p)
	}
}

func (m *Metadata) print(p *wire.Printer, open string) {
	p.Raw(open)
	p.ID(`{"id":`, uint64(m.ID))
	p.Integer(`,"type":`, int64(m.Type))
	m.User.Print(p, `,"user":`)
	m.Owners.print(p, `,"authorizing_integration_owners":`)
	if m.Original != 0 {
		p.ID(`,"original_response_message_id":`, uint64(m.Original))
	}
	if m.TargetUser != nil {
		m.TargetUser.Print(p, `,"target_user":`)
	}
	if m.TargetMessage != 0 {
		p.ID(`,"target_message_id":`, uint64(m.TargetMessage))
	}
	if m.Interacted != 0 {
		p.ID(`,"interacted_message_id":`, uint64(m.Interacted))
	}
	if m.Triggering != nil {
		m.Triggering.print(p, `,"triggering_interaction_metadata":`)
	}
	p.Raw(`}`)
}

// CommandUsed is the older form of the metadata of a message that responds to a command.
type CommandUsed struct {
	ID   snowflake.Interaction
	Type Type
	Path string // the names of the command, its group and its subcommand, separated by blanks
	User wire.User
}

func (c *CommandUsed) print(p *wire.Printer) {
	p.ID(`,"interaction":{"id":`, uint64(c.ID))
	p.Integer(`,"type":`, int64(c.Type))
	p.Text(`,"name":`, c.Path)
	c.User.Print(p, `,"user":`)
	p.Raw(`}`)
}
