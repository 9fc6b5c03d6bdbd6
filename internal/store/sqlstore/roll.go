package sqlstore

import (
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// maxRoll is how many users a roll remembers, each once for every application.
const maxRoll = 1 << 16

// Roll remembers users who have a record, and in how many lobbies of an application each is at the most, so that letting
// one in takes no query. It is for the one connection that writes alone: units of work call it in the order in which they
// run, and what is undone clears it. Whoever leaves a lobby is still counted; when somebody seems to be in too many, the
// rows are counted anew. Nil is a roll that remembers nothing.
type Roll struct {
	most map[seat]int
}

// seat is a user in the lobbies of an application.
type seat struct {
	application snowflake.Application
	user        snowflake.User
}

// free reports whether a user is known to be in fewer lobbies than limit.
func (r *Roll) free(app snowflake.Application, user snowflake.User, limit int) bool {
	if r == nil {
		return false
	}
	n, known := r.most[seat{app, user}]
	return known && n < limit
}

// counted notes in how many lobbies a user is who has a record.
func (r *Roll) counted(app snowflake.Application, user snowflake.User, n int) {
	if r == nil {
		return
	}
	if r.most == nil || len(r.most) >= maxRoll {
		r.most = map[seat]int{}
	}
	r.most[seat{app, user}] = n
}

// joined notes that users were put into a lobby.
func (r *Roll) joined(app snowflake.Application, seats []store.Seat) {
	if r == nil {
		return
	}
	for i := range seats {
		s := seat{app, seats[i].ID}
		if n, known := r.most[s]; known {
			r.most[s] = n + 1
		}
	}
}

// Clear forgets everything: records may be gone.
func (r *Roll) Clear() {
	if r != nil {
		r.most = nil
	}
}

// selectStandings finds those of some users who have a record, with the number of their lobbies.
var selectStandings = newMulti(
	"SELECT id, (SELECT COUNT(*) FROM lobby_members WHERE user_id = users.id AND application_id = ?) FROM users WHERE id IN (",
	"?", ")")

// selectFull is selectStandings without the numbers, which change all the time: with whether they are as large as a limit.
var selectFull = newMulti(
	"SELECT id, (SELECT COUNT(*) FROM lobby_members WHERE user_id = users.id AND application_id = ?) >= ? FROM users WHERE id IN (",
	"?", ")")

// Standings says of users whether they may be in one more lobby.
func (t *Tx) Standings(app snowflake.Application, limit int, users ...snowflake.User) ([]store.Standing, error) {
	if t.roll == nil {
		return t.sharedStandings(app, limit, users)
	}
	standings := make([]store.Standing, len(users))
	var asked []any
	for i, u := range users {
		if t.roll.free(app, u, limit) {
			standings[i] = store.Free
		} else {
			asked = append(asked, key(u))
		}
	}
	err := selectStandings.each(asked, func(query string, ids []any) error {
		return t.query(query, func(r Row) error {
			u, n := snowflake.User(r.int(0)), int(r.int(1))
			t.roll.counted(app, u, n)
			standing := store.Free
			if n >= limit {
				standing = store.Taken
			}
			for i := range users {
				if users[i] == u {
					standings[i] = standing
				}
			}
			return nil
		}, append([]any{key(app)}, ids...)...)
	})
	return standings, err
}

// sharedStandings is Standings where others write too.
func (t *Tx) sharedStandings(app snowflake.Application, limit int, users []snowflake.User) ([]store.Standing, error) {
	standings := make([]store.Standing, len(users))
	err := selectFull.each(keys(users), func(query string, ids []any) error {
		return t.steady(query, func(r Row) error {
			standing := store.Free
			if r.int(1) != 0 {
				standing = store.Taken
			}
			for i := range users {
				if users[i] == snowflake.User(r.int(0)) {
					standings[i] = standing
				}
			}
			return nil
		}, append([]any{key(app), int64(limit)}, ids...)...)
	})
	return standings, err
}
