package dispatch

import (
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Ended describes an interaction that has its first answer, or that failed. A deferred interaction ends twice: with the
// deferred answer, and when the app filled it in or failed to.
type Ended struct {
	Interaction snowflake.Interaction
	Kind        string // command, component, autocomplete or modal
	Application snowflake.Application
	User        snowflake.User
	// Command is the type of the command that the first interaction used, Path its full name.
	Command command.Type
	Path    string
	Result  Result
	Detail  string // of a failure, for humans
	Took    time.Duration
}

// ended calls the function that observes interactions, if there is one.
func (s *service) ended(i *store.Interaction, result Result, detail string) {
	if s.Ended == nil {
		return
	}
	s.Ended(Ended{
		Interaction: i.ID, Kind: kindNames[i.Origin.Type], Application: i.Application, User: i.User,
		Command: i.Origin.Command, Path: i.Origin.Path, Result: result, Detail: detail, Took: max(s.Clock.Now().Sub(i.State.Created), 0),
	})
}
