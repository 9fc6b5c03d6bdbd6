package directory

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// maxAudited is the largest number of records that one transaction records one by one in the audit log. For more
// records, one more entry has their number.
const maxAudited = 1000

// auditedRecord is a record that a transaction may change. read returns it in the format of the world file, without
// secrets.
type auditedRecord struct {
	kind, target string
	read         func(store.DirectoryQueries) (any, error)
}

// watch remembers that a record may change, so that the change is recorded in the audit log.
func (w *writer) watch(r store.Record) {
	a, ok := audited(r)
	if !ok || w.log == nil || w.bulk || w.watched[a.target] {
		return
	}
	if w.watched == nil {
		w.watched = map[string]bool{}
	}
	w.watched[a.target] = true
	w.audited = append(w.audited, a)
}

// record adds an entry to the audit log, with the transaction.
func (w *writer) record(e audit.Entry) {
	if len(w.entries) < maxAudited && !w.bulk {
		w.entries = append(w.entries, e)
	}
}

// audited describes a record for the audit log. It returns false for records that the log leaves out.
func audited(r store.Record) (auditedRecord, bool) {
	switch r := r.(type) {
	case store.User:
		return auditedRecord{"user", "user/" + r.ID.String(), func(q store.DirectoryQueries) (any, error) {
			return shown(convert.WorldUser)(q.User(r.ID))
		}}, true
	case store.Application:
		return auditedRecord{"application", "application/" + r.ID.String(), func(q store.DirectoryQueries) (any, error) {
			return shown(convert.WorldApplication)(q.Application(r.ID))
		}}, true
	case store.Guild:
		return auditedRecord{"guild", "guild/" + r.ID.String(), func(q store.DirectoryQueries) (any, error) {
			return shown(convert.WorldGuild)(q.Guild(r.ID))
		}}, true
	case store.Role:
		return auditedRecord{"role", "guild/" + r.Guild.String() + "/role/" + r.ID.String(), func(q store.DirectoryQueries) (any, error) {
			return shown(convert.WorldRole)(q.Role(r.Guild, r.ID))
		}}, true
	case store.Channel:
		return auditedRecord{"channel", "guild/" + r.Guild.String() + "/channel/" + r.ID.String(), func(q store.DirectoryQueries) (any, error) {
			return shown(convert.WorldChannel)(q.Channel(r.ID))
		}}, r.Guild != 0 // direct messages are private
	case store.Member:
		return auditedRecord{"member", "guild/" + r.Guild.String() + "/member/" + r.User.String(), func(q store.DirectoryQueries) (any, error) {
			return shown(convert.WorldMember)(q.Member(r.Guild, r.User))
		}}, true
	case store.Install:
		return auditedInstall(r), true
	}
	return auditedRecord{}, false
}

func auditedInstall(r store.Install) auditedRecord {
	if r.Guild == 0 {
		return auditedRecord{"install", "user/" + r.User.String() + "/install/" + r.Application.String(), func(q store.DirectoryQueries) (any, error) {
			return shown(convert.WorldUserInstall)(q.UserInstall(r.User, r.Application))
		}}
	}
	return auditedRecord{"install", "guild/" + r.Guild.String() + "/install/" + r.Application.String(), func(q store.DirectoryQueries) (any, error) {
		return shown(convert.WorldGuildInstall)(q.GuildInstall(r.Guild, r.Application))
	}}
}

// shown converts the result of a query to the format of the world file. A record that does not exist is nil.
func shown[R, T any](show func(R) T) func(R, error) (any, error) {
	return func(r R, err error) (any, error) {
		if errors.Is(err, store.ErrNotFound) {
			return nil, nil
		}
		return show(r), err
	}
}

// writeAudit adds the entries of the audit log to the transaction.
func (w *writer) writeAudit(ctx context.Context) error {
	if w.reset {
		return w.log.Add(ctx, w.tx, audit.Entry{Action: "world.reset", Target: "world"})
	}
	for i, a := range w.audited {
		if i == maxAudited {
			w.record(audit.Entry{Action: "world.apply", Target: "world", After: struct {
				Records int `json:"records"`
				Listed  int `json:"listed"`
			}{len(w.audited), maxAudited}})
			break
		}
		before, err := a.read(w.tx.Before.Directory)
		if err != nil {
			return err
		}
		after, err := a.read(w.tx.Directory)
		if err != nil {
			return err
		}
		verb := ".update"
		switch {
		case before == nil && after == nil:
			continue
		case before == nil:
			verb = ".create"
		case after == nil:
			verb = ".delete"
		}
		if err := w.log.Add(ctx, w.tx, audit.Entry{Action: a.kind + verb, Target: a.target, Before: before, After: after}); err != nil {
			return err
		}
	}
	for _, e := range w.entries {
		if err := w.log.Add(ctx, w.tx, e); err != nil {
			return err
		}
	}
	return nil
}

// credentialEntry returns the entry about a new token. replaced says that older tokens of the owner stop working.
func credentialEntry(c store.Credential, replaced bool) audit.Entry {
	e := audit.Entry{Action: "token.create", After: tokenInfo{Scopes: c.Scopes, Expires: shownExpiry(c)}}
	if replaced {
		e.Action = "token.replace"
	}
	switch {
	case c.Kind == store.AdminToken:
		e.Target = "operator/" + c.Name
	case c.Kind == store.BearerToken:
		e.Target = "application/" + c.Application.String() + "/access-token"
		if c.User != 0 {
			e.Target += "/user/" + c.User.String()
		}
	case c.Application != 0:
		e.Target = "application/" + c.Application.String() + "/bot-token"
	default:
		e.Target = "user/" + c.User.String() + "/token"
	}
	return e
}

// secretEntry returns the entry about a new client secret.
func secretEntry(app snowflake.Application) audit.Entry {
	return audit.Entry{Action: "secret.replace", Target: "application/" + app.String() + "/client-secret"}
}

// tokenInfo is what the audit log shows of a token.
type tokenInfo struct {
	Scopes  []string `json:"scopes,omitempty"`
	Expires string   `json:"expires_at,omitempty"` // empty: never
}

func shownExpiry(c store.Credential) string {
	if c.Expires.IsZero() {
		return ""
	}
	return c.Expires.UTC().Format("2006-01-02T15:04:05Z07:00")
}
