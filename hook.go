package bellhop

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/hooks"
)

// The events of hooks. docs/hooks.md describes the data of each.
const (
	EventInvocation  = hooks.Invocation  // a user invokes a command, a component or a modal
	EventMessage     = hooks.Message     // a user or a bot writes a message
	EventLobbyCreate = hooks.LobbyCreate // an application creates a lobby
	EventLobbyJoin   = hooks.LobbyJoin   // a user joins a lobby
	EventLobbyLeave  = hooks.LobbyLeave  // a user leaves a lobby
	EventLobbyEnd    = hooks.LobbyEnd    // a lobby ends

	EventLobbyMessage = hooks.LobbyMessage // a member writes a message in a lobby

	EventSignIn  = hooks.SignIn  // a user signs in
	EventInstall = hooks.Install // a user installs an application
)

// Hook is called before something happens, or after it is durable. Both functions may be called from many goroutines.
type Hook struct {
	// Name names the stored calls, so it stays the same. Each hook has a name of its own.
	Name string
	// Events lists the events; empty: all.
	Events []string
	// Timeout bounds each call; 0: one second. A hook that takes longer counts as failed. It must return soon after its context
	// ends.
	Timeout time.Duration
	// FailOpen lets requests pass if Before fails or takes too long. Otherwise they get 503.
	FailOpen bool
	// Before is called while a request is prepared. An error of Refuse refuses the request with a reason that the caller sees.
	// Before can set Change of the call.
	Before func(ctx context.Context, c *Call) error
	// After is called once the change is durable: at least once, in the order of each subject. After an error it is called again,
	// after pauses that grow to 5 minutes, for a day.
	After func(ctx context.Context, c Call) error
}

// Call is a call of a hook.
type Call struct {
	// ID names a call of After. It is the same if the call is repeated. Calls of Before have 0.
	ID    uint64
	Event string
	Data  []byte // JSON; must not be changed
	// Change replaces members of the data, for Before only: a JSON object such as {"content": "hello"}. docs/hooks.md lists the
	// members that can be changed.
	Change []byte
}

// Refuse returns an error for Hook.Before. The caller of the API gets 403 with the reason as the message.
func Refuse(reason string) error { return &hooks.Refusal{Reason: reason} }

// internal returns the hook for the node.
func (h Hook) internal() hooks.Hook {
	in := hooks.Hook{Name: h.Name, BeforeEvents: h.Events, AfterEvents: h.Events, Timeout: h.Timeout, FailOpen: h.FailOpen}
	if h.Before != nil {
		in.Before = func(ctx context.Context, c *hooks.Call) error {
			call := Call{Event: c.Event, Data: c.Data}
			err := h.Before(ctx, &call)
			c.Change = call.Change
			return err
		}
	}
	if h.After != nil {
		in.After = func(ctx context.Context, c hooks.Call) error {
			return h.After(ctx, Call{ID: c.ID, Event: c.Event, Data: c.Data})
		}
	}
	return in
}
