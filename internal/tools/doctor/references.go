package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/tools/database"
	"github.com/bellhop/bellhop/snowflake"
)

// reference says that columns of a table name a row of one of the parents. 0 names no row.
type reference struct {
	table   string
	columns []string
	parents []parent
}

// parent is a table with the columns that a reference names.
type parent struct {
	table   string
	columns []string
}

// The parents. The bot of an application is a user with the application's id.
var (
	anApplication = []parent{{"applications", []string{"id"}}}
	aGuild        = []parent{{"guilds", []string{"id"}}}
	aUser         = []parent{{"users", []string{"id"}}, anApplication[0]}
	aChannel      = []parent{{"channels", []string{"id"}}}
	aLobby        = []parent{{"lobbies", []string{"id"}}}
)

// references are the references between records. The records that depend on a deleted one are deleted later, which a
// tombstone says.
var references = []reference{
	{"commands", []string{"application_id"}, anApplication},
	{"commands", []string{"guild_id"}, aGuild},
	{"overwrites", []string{"application_id"}, anApplication},
	{"overwrites", []string{"guild_id"}, aGuild},
	{"roles", []string{"guild_id"}, aGuild},
	{"channels", []string{"guild_id"}, aGuild},
	{"recipients", []string{"channel_id"}, aChannel},
	{"members", []string{"guild_id"}, aGuild},
	{"members", []string{"user_id"}, aUser},
	{"member_roles", []string{"guild_id", "user_id"}, []parent{{"members", []string{"guild_id", "user_id"}}}},
	{"member_roles", []string{"guild_id", "role_id"}, []parent{{"roles", []string{"guild_id", "id"}}}},
	{"installs", []string{"application_id"}, anApplication},
	{"installs", []string{"guild_id"}, aGuild},
	{"installs", []string{"user_id"}, aUser},
	{"credentials", []string{"application_id"}, anApplication},
	{"credentials", []string{"user_id"}, aUser},
	{"oauth_grants", []string{"application_id"}, anApplication},
	{"oauth_grants", []string{"user_id"}, aUser},
	{"oauth_consents", []string{"application_id"}, anApplication},
	{"oauth_consents", []string{"user_id"}, aUser},
	{"lobbies", []string{"application_id"}, anApplication},
	{"lobby_members", []string{"lobby_id"}, aLobby},
	{"lobby_secrets", []string{"lobby_id"}, aLobby},
	{"messages", []string{"channel_id"}, aChannel},
	{"message_files", []string{"message_id"}, []parent{{"messages", []string{"id"}}}},
}

// query selects the keys of the rows whose reference leads nowhere.
func (r reference) query(t store.Table) string {
	conditions := []string{"c." + strings.Join(r.columns, " <> 0 AND c.") + " <> 0"}
	for _, p := range r.parents {
		same := make([]string, len(p.columns))
		for i, column := range p.columns {
			same[i] = "p." + column + " = c." + r.columns[i]
		}
		conditions = append(conditions, "NOT EXISTS (SELECT 1 FROM "+p.table+" AS p WHERE "+strings.Join(same, " AND ")+")")
	}
	return "SELECT " + strings.Join(t.Columns[:t.Keys], ", ") + " FROM " + r.table + " AS c WHERE " + strings.Join(conditions, " AND ")
}

// checkReferences checks that the records that others name exist.
func (c *Data) checkReferences(ctx context.Context) error {
	known := map[string]store.Table{}
	for _, t := range c.tables {
		known[t.Name] = t
	}
	if _, ok := known["tombstones"]; ok {
		if n, err := database.Count(c.snapshot, "tombstones"); err != nil || n > 0 {
			c.Course.Note("records are being deleted: references are not checked. Run the check again later")
			return c.readable("tombstones", err)
		}
	}
	for _, r := range references {
		missing := slices.ContainsFunc(r.parents, func(p parent) bool { _, ok := known[p.table]; return !ok })
		t, ok := known[r.table]
		if !ok || missing {
			continue
		}
		err := c.snapshot.Query(r.query(t), nil, func(row store.Row) error {
			c.Course.Problem("names a record that does not exist", c.row(t, row)+": "+strings.Join(r.columns, ", "),
				fromBackup+", or delete the row: "+c.deletion(t, row))
			return ctx.Err()
		})
		if err := c.readable("table "+r.table, err); err != nil {
			return err
		}
	}
	if err := c.checkLists(known); err != nil {
		return err
	}
	return c.checkRevisions(known)
}

// checkLists checks that lists have as many rows as was stored with them.
func (c *Data) checkLists(known map[string]store.Table) error {
	for _, l := range []struct{ owner, size, table, rows string }{
		{"scopes", "commands", "commands", "r.application_id = o.application_id AND r.guild_id = o.guild_id"},
		{"lobbies", "members", "lobby_members", "r.lobby_id = o.id"},
	} {
		t, ok := known[l.owner]
		if _, has := known[l.table]; !ok || !has {
			continue
		}
		columns := "o." + strings.Join(t.Columns[:t.Keys], ", o.")
		query := fmt.Sprintf("SELECT * FROM (SELECT %s, o.%s AS want, (SELECT COUNT(*) FROM %s r WHERE %s) AS has FROM %s o"+
			" WHERE o.%s IS NOT NULL) AS lists WHERE want <> has", columns, l.size, l.table, l.rows, l.owner, l.size)
		err := c.snapshot.Query(query, nil, func(row store.Row) error {
			c.Course.Problem("incomplete list", fmt.Sprintf("%s has %v rows of %s, want %v", l.table, row[t.Keys+1], c.row(t, row), row[t.Keys]), fromBackup)
			return nil
		})
		if err := c.readable("table "+l.owner, err); err != nil {
			return err
		}
	}
	return nil
}

// checkRevisions checks that the main records have a revision. The next write to a record repairs it.
func (c *Data) checkRevisions(known map[string]store.Table) error {
	for _, k := range []struct {
		table string
		kind  store.Kind
	}{
		{"users", store.KindUser},
		{"applications", store.KindApplication},
		{"guilds", store.KindGuild},
		{"channels", store.KindChannel},
		{"lobbies", store.KindLobby},
		{"interactions", store.KindInteraction},
	} {
		t, ok := known[k.table]
		if _, has := known["subjects"]; !ok || !has {
			continue
		}
		query := fmt.Sprintf("SELECT id FROM %s AS c WHERE NOT EXISTS (SELECT 1 FROM subjects s WHERE s.kind = %d AND s.a = c.id AND s.b = 0)", k.table, k.kind)
		err := c.snapshot.Query(query, nil, func(row store.Row) error {
			c.Course.Problem("has no revision", c.row(t, row), "stop the service and run: INSERT INTO subjects (kind, a, b, revision) VALUES ("+
				fmt.Sprintf("%d, %d, 0, 1)", k.kind, row[0]))
			return nil
		})
		if err := c.readable("table "+k.table, err); err != nil {
			return err
		}
	}
	return nil
}

// checkFiles checks the files of messages.
func (c *Data) checkFiles(ctx context.Context) error {
	dir := c.Attachments
	if dir == "" {
		c.Course.Note("the attachments are not checked: name their folder with --attachments")
		return nil
	}
	suspects, err := c.missingFiles(dir)
	if err != nil || len(suspects) == 0 {
		return err
	}
	// A message may have been deleted with its files since the snapshot began.
	now, err := c.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, now.Close()) }()
	for id, what := range suspects {
		n := int64(0)
		err := now.Query("SELECT COUNT(*) FROM message_files WHERE attachment_id = ?", []any{int64(id)}, func(row store.Row) error {
			n, _ = row[0].(int64)
			return nil
		})
		if err != nil {
			return err
		}
		if n > 0 {
			c.Course.Problem("attachment", what, "copy the file from a backup, or delete the message")
		}
	}
	return nil
}

// missingFiles returns the files of messages that do not exist or have the wrong size, and says what is wrong.
func (c *Data) missingFiles(dir string) (map[snowflake.Attachment]string, error) {
	suspects := map[snowflake.Attachment]string{}
	err := c.snapshot.Query("SELECT f.attachment_id, s.size FROM message_files f LEFT JOIN stored_files s ON s.attachment_id = f.attachment_id", nil,
		func(row store.Row) error {
			c.Files++
			n, _ := row[0].(int64)
			id := snowflake.Attachment(n)
			file := filepath.Join(dir, filepath.FromSlash(attachments.FileName(id)))
			info, err := os.Stat(file)
			size, counted := row[1].(int64)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				suspects[id] = file + " does not exist"
			case err != nil:
				return err
			case counted && info.Size() != size:
				suspects[id] = fmt.Sprintf("%s has %d bytes instead of %d", file, info.Size(), size)
			}
			return nil
		})
	if err != nil {
		return nil, c.readable("files of messages", err)
	}
	key := filepath.Join(dir, "key")
	_, exists, err := attachments.CheckKey(dir, nil)
	switch {
	case !exists && err == nil && c.Files == 0: // the service has not been started yet
	case !exists:
		c.Course.Problem("key of attachments", key+" does not exist", "copy the file from a backup, or start the service, which creates a new one: URLs of files that were issued before become invalid")
	case err != nil && !errors.Is(err, auth.ErrSealed):
		c.Course.Problem("key of attachments", key+": "+err.Error(),
			"copy the file from a backup, or remove it: URLs of files that were issued before become invalid")
	}
	return suspects, nil
}
