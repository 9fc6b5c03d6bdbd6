package audit

import (
	"context"
	"net/netip"

	"github.com/bellhop/bellhop/snowflake"
)

// Actor is the sender of a request. It is set before the request is handled, and does not change after that.
type Actor struct {
	Operator    string // name of the operator's credential
	User        snowflake.User
	Application snowflake.Application // of a bot, or of an app that acts for User
	Address     netip.Addr
	Reason      string // of the header X-Audit-Log-Reason; empty: none
}

// Names of actors that are neither operators nor users nor applications.
const (
	System    = "system"    // the service itself, or a command that opens the data folder
	Anonymous = "anonymous" // a client that is not known yet
)

// OfUser returns the name of a user as an actor.
func OfUser(id snowflake.User) string { return "user:" + id.String() }

// name returns the name of the actor, and the application through which a user acts.
func (a *Actor) name() (name, via string) {
	switch {
	case a.Operator != "":
		return "operator:" + a.Operator, ""
	case a.User != 0 && a.Application != 0:
		return OfUser(a.User), "application:" + a.Application.String()
	case a.User != 0:
		return OfUser(a.User), ""
	case a.Application != 0:
		return "application:" + a.Application.String(), ""
	}
	return Anonymous, ""
}

type actorKey struct{}

// WithActor returns a context in which entries get the actor. The caller may set the fields of the actor until the
// request is handled.
func WithActor(ctx context.Context, a *Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// actorOf returns the actor of a context, nil for the service itself.
func actorOf(ctx context.Context) *Actor {
	a, _ := ctx.Value(actorKey{}).(*Actor)
	return a
}

// ReasonOf returns the reason that the sender of a request gave, empty for none.
func ReasonOf(ctx context.Context) string {
	if a := actorOf(ctx); a != nil {
		return a.Reason
	}
	return ""
}
