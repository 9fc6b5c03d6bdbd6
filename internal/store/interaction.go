package store

import (
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/locale"
	"github.com/bellhop/bellhop/snowflake"
)

// Interaction is what is kept of one use of a command, a component or a modal.
type Interaction struct {
	ID          snowflake.Interaction
	Application snowflake.Application
	User        snowflake.User // who invoked it
	Hash        TokenHash
	Origin      Origin

	// What follows changes. Revision grows with every change, from 1 on.
	Revision uint64
	State    interaction.State // but Created, which the id carries, and UserOnly, which Origin.Owners say
	Original snowflake.Message // the message that the first answer made or belongs to; 0: none
	Modal    []byte            // that the first answer opened; nil: none
	Due      time.Time         // when time alone changes something; zero: never
}

// Origin is what an interaction is about. It never changes.
type Origin struct {
	Type    interaction.Type  `json:"type"`
	Channel snowflake.Channel `json:"channel"`
	Guild   snowflake.Guild   `json:"guild,omitzero"`
	Session string            `json:"session,omitzero"`
	Nonce   string            `json:"nonce,omitzero"`
	Locale  locale.Code       `json:"locale"`
	Owners  Owners            `json:"owners,omitzero"`
	// Command is the type of the command that it all began with, Path its full name; empty where none was used.
	Command command.Type `json:"command,omitzero"`
	Path    string       `json:"path,omitzero"`
	// Component is the message with the component that was used, or that opened the modal.
	Component     snowflake.Message  `json:"component,omitzero"`
	TargetUser    snowflake.User     `json:"target_user,omitzero"`
	TargetMessage snowflake.Message  `json:"target_message,omitzero"`
	Focus         command.OptionType `json:"focus,omitzero"`
	// Private says that everything that comes of it is for the eyes of whoever invoked it.
	Private  bool               `json:"private,omitzero"`
	NoLaunch interaction.Reason `json:"no_launch,omitzero"`
	// Posted says that it was sent to an endpoint, which may answer inline.
	Posted     bool      `json:"posted,omitzero"`
	Triggering *Metadata `json:"triggering,omitzero"` // of the interaction that opened the modal
}

// Owners says by whose install an interaction exists.
type Owners struct {
	ByGuild bool            `json:"by_guild,omitzero"`
	Guild   snowflake.Guild `json:"guild,omitzero"`
	User    snowflake.User  `json:"user,omitzero"`
}

// Metadata says which interaction a message comes from.
type Metadata struct {
	ID            snowflake.Interaction `json:"id"`
	Type          interaction.Type      `json:"type"`
	User          snowflake.User        `json:"user"`
	Owners        Owners                `json:"owners,omitzero"`
	Original      snowflake.Message     `json:"original,omitzero"`
	TargetUser    snowflake.User        `json:"target_user,omitzero"`
	TargetMessage snowflake.Message     `json:"target_message,omitzero"`
	Interacted    snowflake.Message     `json:"interacted,omitzero"`
	Triggering    *Metadata             `json:"triggering,omitzero"`
}

// DueInteraction is an interaction to look at.
type DueInteraction struct {
	ID  snowflake.Interaction
	Due time.Time
}

// Activity is an instance of an application's Activity that was launched.
type Activity struct {
	Launch      snowflake.Interaction `json:"launch"`
	Application snowflake.Application `json:"application"`
	Channel     snowflake.Channel     `json:"channel"`
	Guild       snowflake.Guild       `json:"guild,omitzero"`
	Users       []snowflake.User      `json:"users"`
}

// InteractionReader reads interactions and what came of them.
type InteractionReader interface {
	Interaction(id snowflake.Interaction) (Interaction, error)
	// DueInteractions returns those with the earliest Due, at most limit, those that come first first.
	DueInteractions(limit int) ([]DueInteraction, error)
	// Activity returns an instance by its launch.
	Activity(launch snowflake.Interaction) (Activity, error)
}

// InteractionWriter changes interactions.
type InteractionWriter interface {
	// PutInteraction stores a new interaction. One with the same id is an ErrConflict.
	PutInteraction(i Interaction) error
	// MoveInteraction stores what changes of an interaction when the revision that is kept is the one before, and reports
	// whether it was.
	MoveInteraction(to Interaction) (bool, error)
	// DeleteInteractions removes interactions with ids below before that are never due, at most limit, and returns how
	// many it removed.
	DeleteInteractions(before snowflake.Interaction, limit int) (int, error)
	// PutActivity stores an instance in place of the one with the same launch.
	PutActivity(a Activity) error
	// DeleteActivities removes instances launched below before, at most limit, and returns how many it removed.
	DeleteActivities(before snowflake.Interaction, limit int) (int, error)
}
