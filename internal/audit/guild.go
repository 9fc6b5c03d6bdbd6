package audit

import (
	"context"

	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// GuildEntry describes what a user or a bot does in a guild, for the audit log that members of the guild read. The reason
// of the entry comes from the request: see Actor.
type GuildEntry struct {
	Guild     snowflake.Guild
	By        snowflake.User       // who does it; of a bot, the id of its application
	Operation permission.Operation // says which action the entry has; an operation without one has no entry
	Target    snowflake.Target     // the user, role, channel, message and so on; 0: none
	Changes   []guild.Change
	Options   map[string]string
	// Subject is a subject that the change writes to: the one of the event about the object. Events of one subject keep
	// their order, so members hear of the object first.
	Subject store.Subject
	Reason  string // empty: that of the request
}

// AddToGuild adds an entry to the audit log of a guild, as a part of a change, with its event. Services that use
// cache.Decide call it after they have added their own events. Services that use store.Decide call AddToGuildIn.
func (l *Log) AddToGuild(ctx context.Context, c *store.Change, e GuildEntry) error {
	record, event, err := l.guildEntry(ctx, e)
	if err != nil || record.Action == 0 {
		return err
	}
	c.Put, c.Events = append(c.Put, record), append(c.Events, event)
	return nil
}

// AddToGuildIn is AddToGuild for a decision in progress.
func (l *Log) AddToGuildIn(ctx context.Context, tx *store.Tx, e GuildEntry) error {
	record, event, err := l.guildEntry(ctx, e)
	if err != nil || record.Action == 0 {
		return err
	}
	tx.Announce(event)
	return tx.Put(record)
}

// guildEntry returns the record of an entry and its event. A nil Log, and an operation without an action, return a record
// without an action.
func (l *Log) guildEntry(ctx context.Context, e GuildEntry) (store.GuildEntry, store.Event, error) {
	action := e.Operation.Requirement().Audit
	if l == nil || action == 0 {
		return store.GuildEntry{}, store.Event{}, nil
	}
	record := store.GuildEntry{
		ID: l.IDs.Next(), Guild: e.Guild, User: e.By, Action: int(action), Target: e.Target, Options: e.Options, Reason: e.Reason,
	}
	if record.Reason == "" {
		record.Reason = ReasonOf(ctx)
	}
	if len(e.Changes) > 0 {
		changes, err := json.Marshal(e.Changes)
		if err != nil {
			return store.GuildEntry{}, store.Event{}, err
		}
		record.Changes = changes
	}
	data, err := json.Marshal(struct {
		wire.AuditEntry

		Guild snowflake.Guild `json:"guild_id"`
	}{ShowGuildEntry(record), e.Guild}, json.Deterministic(true))
	return record, store.Event{Subject: e.Subject, Event: events.Event{
		Name: "GUILD_AUDIT_LOG_ENTRY_CREATE", Data: data,
		To: events.Audience{Guild: e.Guild, Intents: events.GuildModeration, Needs: permission.ViewAuditLog},
	}}, err
}

// ShowGuildEntry returns the API object of an entry.
func ShowGuildEntry(e store.GuildEntry) wire.AuditEntry {
	w := wire.AuditEntry{ID: snowflake.Target(e.ID), ActionType: e.Action, Changes: e.Changes, Options: e.Options, Reason: e.Reason}
	if e.User != 0 {
		w.UserID = &e.User
	}
	if e.Target != 0 {
		w.TargetID = &e.Target
	}
	return w
}

// OfGuild returns up to limit entries of the audit log of a guild that a filter selects.
func (l *Log) OfGuild(
	ctx context.Context, guild snowflake.Guild, f store.GuildAuditFilter, limit int,
) (list []store.GuildEntry, err error) {
	f.After = max(f.After, IDAt(l.Clock.Now().Add(-GuildRetention)))
	err = l.Store.Read(ctx, func(r store.Reader) error {
		list, err = r.Audit.OfGuild(guild, f, limit)
		return err
	})
	return list, err
}
