package postgres

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// noteLobbies creates the triggers that write the table lobby_changes. A lobby whose time of activity alone changes is not noted.
const noteLobbies = `
-- +goose StatementBegin
CREATE FUNCTION note_lobby() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    lobby       BIGINT := CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END;
    application BIGINT := CASE TG_OP WHEN 'DELETE' THEN OLD.application_id ELSE NEW.application_id END;
BEGIN
    INSERT INTO lobby_changes (lobby_id, application_id) VALUES (lobby, application) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER lobbies_noted AFTER INSERT OR DELETE ON lobbies FOR EACH ROW EXECUTE FUNCTION note_lobby();
CREATE TRIGGER lobby_edits_noted AFTER UPDATE ON lobbies FOR EACH ROW
    WHEN ((OLD.metadata, OLD.flags, OLD.members) IS DISTINCT FROM (NEW.metadata, NEW.flags, NEW.members))
    EXECUTE FUNCTION note_lobby();
`

const (
	// selectChanged selects the lobbies of an application that transactions from a number on have written. The first row has
	// the number from which the next call reads, and the server's time.
	selectChanged = "SELECT CAST(0 AS BIGINT), " + oldestOpen + ", " + serverMicros + " UNION ALL" +
		" (SELECT DISTINCT lobby_id, CAST(0 AS BIGINT), CAST(0 AS BIGINT) FROM lobby_changes WHERE xid >= ? AND application_id = ? LIMIT ?)"
	// removeChanged removes the oldest rows, if they are older than a time.
	removeChanged = "DELETE FROM lobby_changes WHERE created < " + serverMicros + " - ?" +
		" AND (xid, lobby_id) IN (SELECT xid, lobby_id FROM lobby_changes ORDER BY xid, lobby_id LIMIT ?)"
)

var _ store.LobbyLog = (*snapshot)(nil)

// ChangedLobbies implements store.LobbyLog. A transaction gets its number when it writes first. All transactions below the oldest open
// one have ended, so the snapshot contains what they wrote.
func (s *snapshot) ChangedLobbies(
	app snowflake.Application, since uint64, limit int,
) (list []snowflake.Lobby, next store.LobbyPosition, err error) {
	err = s.Query(selectChanged, []any{int64(since), int64(app), int64(limit)}, func(row store.Row) error {
		if id := snowflake.Lobby(number(row[0])); id != 0 {
			list = append(list, id)
			return nil
		}
		next.Transaction, next.At = number(row[1]), time.UnixMicro(int64(number(row[2])))
		return nil
	})
	return list, next, err
}

// removeChanges removes up to removeAtOnce rows of lobby_changes that no node needs any more, and returns their number.
func (db *DB) removeChanges(ctx context.Context) (n int64, err error) {
	if err := db.begin(); err != nil {
		return 0, err
	}
	defer db.calls.Done()
	old := store.Statement{SQL: removeChanged, Args: []any{store.KeepLobbyChanges.Microseconds(), int64(removeAtOnce)}}
	err = db.call(ctx, func(ctx context.Context, on *conn) error {
		n, err = on.query(ctx, []store.Statement{old}, nil)
		return err
	})
	return n, err
}
