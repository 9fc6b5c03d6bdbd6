// Package announce turns changes to the directory into events, in the shapes that clients see.
package announce

import (
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// Events returns the events of changes, in the order of the changes. r sees the records after the changes. A change that
// names a deleted user or application has none. Events is what directory.Directory.Describe needs.
func Events(r store.Reader, changes []directory.Change) ([]store.Event, error) {
	w := writer{Reader: r}
	for _, c := range changes {
		if err := w.change(c); err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
	}
	return w.list, nil
}

// writer collects events.
type writer struct {
	store.Reader

	list []store.Event
}

func (w *writer) change(c directory.Change) error {
	switch c.What {
	case directory.ThisUser:
		return w.user(c)
	case directory.ThisGuild:
		return w.guild(c)
	case directory.ThisRole:
		return w.role(c)
	case directory.ThisChannel:
		return w.channel(c)
	case directory.ThisMember:
		return w.member(c)
	case directory.ThisInstall:
		return w.install(c)
	}
	return nil
}

// add adds an event about a subject.
func (w *writer) add(about store.Subject, name string, value any, to events.Audience, change *events.Change) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	w.list = append(w.list, store.Event{
		Subject: about, Event: events.Event{Name: name, Data: data, To: to, Change: change},
	})
	return nil
}

// inGuild adds an event for everybody in a guild, who may see different channels after it.
func (w *writer) inGuild(guild snowflake.Guild, intent uint32, name string, value any) error {
	to := events.Audience{Guild: guild, Intents: intent}
	return w.add(store.GuildSubject(guild), name, value, to, &events.Change{Guild: guild})
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
