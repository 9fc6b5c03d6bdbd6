package directory

import (
	"errors"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// maxChanges is the largest number of changes that are announced one by one. After more changes, sessions reload
// everything.
const maxChanges = 1000

// announce adds the events of the changes to the transaction.
func (tx *Tx) announce() error {
	announced := 0
	for _, c := range tx.changes {
		if c.hasEvents() {
			announced++
		}
	}
	if announced > maxChanges {
		tx.Announce(Reload(false))
		return nil
	}
	e := Events{Reader: tx.Reader}
	for _, c := range tx.changes {
		if !c.hasEvents() {
			continue
		}
		if err := c.load(tx.Tx); err != nil {
			return err
		}
		if err := c.addEvents(&e); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	tx.Announce(e.list...)
	if tx.threads == nil {
		return nil
	}
	return tx.threads(tx)
}

// Reload returns the event that makes all sessions read the directory again. recheck also checks their tokens.
func Reload(recheck bool) store.Event {
	return store.Event{
		Subject: store.TombstonesSubject(), // the one subject that belongs to the whole directory
		Event:   events.Event{Change: &events.Change{Everything: true, Recheck: recheck}},
	}
}

// Events collects the events of changes. Its reader sees the records after the changes.
type Events struct {
	store.Reader

	list []store.Event
}

// Add adds an event about a subject.
func (e *Events) Add(about store.Subject, name string, value any, to events.Audience, change *events.Change) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	e.list = append(e.list, store.Event{
		Subject: about, Event: events.Event{Name: name, Data: data, To: to, Change: change},
	})
	return nil
}

// AddToGuild adds an event for all sessions in a guild. The sessions compute again which channels they see.
func (e *Events) AddToGuild(guild snowflake.Guild, intent uint32, name string, value any) error {
	to := events.Audience{Guild: guild, Intents: intent}
	return e.Add(store.GuildSubject(guild), name, value, to, &events.Change{Guild: guild})
}

// eventName returns the name of the event of a change.
func eventName[R any](before, after *R, onCreate, onUpdate, onDelete string) string {
	switch {
	case after == nil:
		return onDelete
	case before == nil:
		return onCreate
	}
	return onUpdate
}
