// Package announce tells of changes to the directory: it turns what has changed into events, in the shapes that everybody
// sees. It knows nothing of who listens.
package announce

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// maxChanges is how many changes are told one by one. After more of them at once everybody looks at everything again.
const maxChanges = 1000

// Announcer tells of changes. It is safe for concurrent use. All fields are required.
type Announcer struct {
	Directory *directory.Directory
	Events    interface{ Publish(e events.Event) }
	Log       *slog.Logger

	// turn makes what is told last what stands: records are read and told in one go.
	turn sync.Mutex
}

// Tell tells of changes that are durable. What cannot be read any more is left out: whoever removed it tells of that.
func (a *Announcer) Tell(ctx context.Context, changes []directory.Change) {
	ctx = context.WithoutCancel(ctx) // the change has happened, whoever asked for it may be gone
	a.turn.Lock()
	defer a.turn.Unlock()
	if len(changes) > maxChanges || changes[0].What == directory.Everything {
		a.Events.Publish(events.Event{Change: &events.Change{Everything: true}})
		return
	}
	for _, c := range changes {
		if err := a.tell(ctx, c); err != nil && !isGone(err) {
			a.Log.ErrorContext(ctx, "change not told", "err", err)
		}
	}
}

func isGone(err error) bool {
	for _, gone := range []error{
		directory.ErrUnknownUser, directory.ErrUnknownGuild, directory.ErrUnknownChannel, directory.ErrUnknownRole,
		directory.ErrUnknownMember, directory.ErrNotInstalled, directory.ErrUnknownApplication,
	} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

func (a *Announcer) tell(ctx context.Context, c directory.Change) error {
	switch c.What {
	case directory.ThisUser:
		return a.user(ctx, c)
	case directory.ThisGuild:
		return a.guild(ctx, c)
	case directory.ThisRole:
		return a.role(ctx, c)
	case directory.ThisChannel:
		return a.channel(ctx, c)
	case directory.ThisMember:
		return a.member(ctx, c)
	case directory.ThisInstall:
		return a.install(ctx, c)
	case directory.Everything:
	}
	return nil
}

// publish tells an audience of one event.
func (a *Announcer) publish(name string, value any, to events.Audience, change *events.Change) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	a.Events.Publish(events.Event{Name: name, Data: data, To: to, Change: change})
	return nil
}

// inGuild tells those in a guild. Who sees what there may be different from then on.
func (a *Announcer) inGuild(guild snowflake.Guild, intent uint32, name string, value any) error {
	return a.publish(name, value, events.Audience{Guild: guild, Intents: intent}, &events.Change{Guild: guild})
}

// named chooses the name of an event by what happened.
func named(how directory.How, made, altered, gone string) string {
	switch how {
	case directory.Made:
		return made
	case directory.Gone:
		return gone
	case directory.Altered:
	}
	return altered
}
