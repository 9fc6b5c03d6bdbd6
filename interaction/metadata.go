package interaction

import "github.com/bellhop/bellhop/snowflake"

// Metadata says which interaction a message comes from.
type Metadata struct {
	ID     snowflake.Interaction
	Type   Type
	User   User // who invoked it
	Owners Owners
	// Original is the first answer; of follow-ups only.
	Original      snowflake.Message
	TargetUser    *User             // of a USER command
	TargetMessage snowflake.Message // of a MESSAGE command
	Interacted    snowflake.Message // with the component that was used
	Triggering    *Metadata         // of the interaction that opened the modal
}

func (m *Metadata) print(p *printer, open string) {
	p.raw(open)
	p.id(`{"id":`, uint64(m.ID))
	p.integer(`,"type":`, int64(m.Type))
	m.User.print(p, `,"user":`)
	m.Owners.print(p, `,"authorizing_integration_owners":`)
	if m.Original != 0 {
		p.id(`,"original_response_message_id":`, uint64(m.Original))
	}
	if m.TargetUser != nil {
		m.TargetUser.print(p, `,"target_user":`)
	}
	if m.TargetMessage != 0 {
		p.id(`,"target_message_id":`, uint64(m.TargetMessage))
	}
	if m.Interacted != 0 {
		p.id(`,"interacted_message_id":`, uint64(m.Interacted))
	}
	if m.Triggering != nil {
		m.Triggering.print(p, `,"triggering_interaction_metadata":`)
	}
	p.raw(`}`)
}

// CommandUsed is the older way to say which command a message answers.
type CommandUsed struct {
	ID   snowflake.Interaction
	Type Type
	Path string // the full name: of the command, its group and its subcommand
	User User
}

func (c *CommandUsed) print(p *printer) {
	p.id(`,"interaction":{"id":`, uint64(c.ID))
	p.integer(`,"type":`, int64(c.Type))
	p.text(`,"name":`, c.Path)
	c.User.print(p, `,"user":`)
	p.raw(`}`)
}
