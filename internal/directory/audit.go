package directory

import (
	"context"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// maxAudited is the largest number of records that one transaction records one by one in the audit log. For more
// records, one more entry has their number.
const maxAudited = 1000

// Record adds an entry to the audit log, with the transaction.
func (tx *Tx) Record(e audit.Entry) {
	if len(tx.entries) < maxAudited {
		tx.entries = append(tx.entries, e)
	}
}

// RecordInGuild adds an entry to the audit log of a guild, with the transaction. Its event follows those of the changes.
func (tx *Tx) RecordInGuild(e audit.GuildEntry) { tx.inGuilds = append(tx.inGuilds, e) }

// writeAudit adds the entries of the audit log to the transaction.
func (tx *Tx) writeAudit(ctx context.Context, log *audit.Log) error {
	if log == nil {
		return nil
	}
	for i, c := range tx.changes {
		if i == maxAudited {
			tx.Record(audit.Entry{Action: "world.apply", Target: "world", After: struct {
				Records int `json:"records"`
				Listed  int `json:"listed"`
			}{len(tx.changes), maxAudited}})
			break
		}
		if err := c.load(tx.Tx); err != nil {
			return err
		}
		e, ok := c.entry()
		if !ok {
			continue
		}
		if err := log.Add(ctx, tx.Tx, e); err != nil {
			return err
		}
	}
	for _, e := range tx.entries {
		if err := log.Add(ctx, tx.Tx, e); err != nil {
			return err
		}
	}
	return nil
}

// CredentialEntry returns the entry about a new token. replaced says that older tokens of the owner stop working.
func CredentialEntry(c store.Credential, replaced bool) audit.Entry {
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

// SecretEntry returns the entry about a new client secret.
func SecretEntry(app snowflake.Application) audit.Entry {
	return audit.Entry{Action: "secret.replace", Target: "application/" + app.String() + "/client-secret"}
}

// tokenInfo has the members of a token in the audit log.
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
