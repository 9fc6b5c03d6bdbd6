package interaction

import (
	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/snowflake"
)

// Metadata says which interaction a message comes from: it is the Cause of a message.Post.
type Metadata struct {
	ID     snowflake.Interaction
	Type   Type
	User   payload.User // who invoked it
	Owners Owners
	// Original is the first answer; of follow-ups only.
	Original      snowflake.Message
	TargetUser    *payload.User     // of a USER command
	TargetMessage snowflake.Message // of a MESSAGE command
	Interacted    snowflake.Message // with the component that was used
	Triggering    *Metadata         // of the interaction that opened the modal
	// Command is the older form of the metadata, of answers to commands only.
	Command *CommandUsed
}

// PrintCause writes the members of a message that say what it comes from.
func (m *Metadata) PrintCause(p *payload.Printer) {
	m.print(p, `,"interaction_metadata":`)
	if m.Command != nil {
		m.Command.print(p)
	}
}

func (m *Metadata) print(p *payload.Printer, open string) {
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

// CommandUsed is the older way to say which command a message answers.
type CommandUsed struct {
	ID   snowflake.Interaction
	Type Type
	Path string // the full name: of the command, its group and its subcommand
	User payload.User
}

func (c *CommandUsed) print(p *payload.Printer) {
	p.ID(`,"interaction":{"id":`, uint64(c.ID))
	p.Integer(`,"type":`, int64(c.Type))
	p.Text(`,"name":`, c.Path)
	c.User.Print(p, `,"user":`)
	p.Raw(`}`)
}
