package sqlite_test

import "testing"

func TestStatementsArePreparedOnce(t *testing.T) {
	for _, query := range []string{
		"SELECT id FROM lobby_messages WHERE lobby_id = ? LIMIT 3",
		"SELECT id FROM lobby_messages ORDER BY id LIMIT ?",
		"SELECT id FROM guild_audit WHERE id > 0 ORDER BY id DESC LIMIT 1 OFFSET ?",
		"SELECT id FROM lobbies WHERE channel_id = ? AND channel_id <> 0",
		"SELECT COUNT(*) FROM (SELECT 1 FROM oauth_devices WHERE application_id = 1 LIMIT ?) AS found",
	} {
		t.Run(query, func(t *testing.T) {
			db := openVolatile(t)
			once, err := db.Preparations(query, 1)
			if err != nil {
				t.Fatal(err)
			}
			thrice, err := db.Preparations(query, 1, 2, 2)
			if err != nil || thrice != once {
				t.Errorf("SQLite prepared %d queries in three runs, want the %d of one run (error: %v)", thrice, once, err)
			}
		})
	}
}
