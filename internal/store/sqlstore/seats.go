package sqlstore

import (
	"cmp"
	"math"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	selectSeats         = "SELECT user_id, position, flags, metadata, name FROM lobby_members WHERE lobby_id = ?"
	selectNewestLobbies = "SELECT id FROM lobbies WHERE application_id = ? AND id < ? ORDER BY id DESC LIMIT ?"
	selectLobbiesOf     = "SELECT lobby_id FROM lobby_members WHERE user_id = ? AND application_id = ? ORDER BY lobby_id"
	selectLobbiesWith   = "SELECT lobby_id FROM lobby_members WHERE user_id = ? ORDER BY lobby_id"
	updateMember        = "UPDATE lobby_members SET flags = ?, metadata = ?, name = ? WHERE lobby_id = ? AND user_id = ?"
	deleteSeat          = "DELETE FROM lobby_members WHERE lobby_id = ? AND user_id = ?"
)

// insertSeats stores members of whom everything is known, insertBare those who have nothing but a place. That they fail
// without being undone alone spares SQLite a copy of every page: their unit of work is lost anyway.
var (
	insertSeats = newMulti(
		"INSERT OR FAIL INTO lobby_members (lobby_id, user_id, application_id, position, flags, metadata, name) VALUES ", "(?, ?, ?, ?, ?, ?, ?)", "")
	insertBare = newMulti(
		"INSERT OR FAIL INTO lobby_members (lobby_id, user_id, application_id, position, flags, metadata, name) VALUES ", "(?, ?, ?, ?, 0, '', '')", "")
)

// seats returns the members of a lobby in the order in which they joined.
func (t *Tx) seats(id snowflake.Lobby) ([]*lobby.Member, error) {
	type seat struct {
		position int64
		member   *lobby.Member
	}
	var seats []seat
	err := t.query(selectSeats, func(r Row) error {
		seats = append(seats, seat{r.int(1), &lobby.Member{
			ID: snowflake.User(r.int(0)), Flags: lobby.MemberFlags(r.int(2)), Metadata: lobby.Metadata(r.text(3)), AdditionalName: r.text(4),
		}})
		return nil
	}, key(id))
	if err != nil || len(seats) == 0 {
		return nil, err
	}
	slices.SortFunc(seats, func(a, b seat) int { return cmp.Compare(a.position, b.position) })
	members := make([]*lobby.Member, len(seats))
	for i, s := range seats {
		members[i] = s.member
	}
	return members, nil
}

// LobbiesOf returns in which lobbies of an application a user is.
func (t *Tx) LobbiesOf(app snowflake.Application, user snowflake.User) ([]snowflake.Lobby, error) {
	return t.lobbies(selectLobbiesOf, key(user), key(app))
}

// LobbiesWith returns in which lobbies a user is.
func (t *Tx) LobbiesWith(user snowflake.User) ([]snowflake.Lobby, error) {
	return t.lobbies(selectLobbiesWith, key(user))
}

func (t *Tx) lobbies(query string, args ...any) (ids []snowflake.Lobby, err error) {
	err = t.query(query, func(r Row) error {
		ids = append(ids, snowflake.Lobby(r.int(0)))
		return nil
	}, args...)
	return ids, err
}

// NewestLobbies returns lobbies of an application, the largest ids first.
func (t *Tx) NewestLobbies(app snowflake.Application, before snowflake.Lobby, limit int) ([]snowflake.Lobby, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	var ids []snowflake.Lobby
	err := t.query(selectNewestLobbies, func(r Row) error {
		ids = append(ids, snowflake.Lobby(r.int(0)))
		return nil
	}, key(app), key(before), int64(max(limit, 0)))
	return ids, err
}

// AddSeats stores new members of a lobby.
func (t *Tx) AddSeats(l snowflake.Lobby, app snowflake.Application, seats ...store.Seat) error {
	bare := !slices.ContainsFunc(seats, func(s store.Seat) bool { return s.Flags != 0 || s.Metadata != "" || s.AdditionalName != "" })
	args := make([]any, 0, insertSeats.width*len(seats))
	id, owner := any(key(l)), any(key(app))
	for i := range seats {
		s := &seats[i]
		if args = append(args, id, key(s.ID), owner, int64(s.Position)); !bare {
			args = append(args, int64(s.Flags), string(s.Metadata), s.AdditionalName)
		}
	}
	insert := insertSeats
	if bare {
		insert = insertBare
	}
	err := insert.all(t, args)
	t.roll.joined(app, seats)
	return err
}

// PutMembers changes members of a lobby.
func (t *Tx) PutMembers(l snowflake.Lobby, members ...*lobby.Member) error {
	for _, m := range members {
		if err := t.do(updateMember, int64(m.Flags), string(m.Metadata), m.AdditionalName, key(l), key(m.ID)); err != nil {
			return err
		}
	}
	return nil
}

// DeleteSeats removes members of a lobby.
func (t *Tx) DeleteSeats(l snowflake.Lobby, users ...snowflake.User) error {
	for _, u := range users {
		if err := t.do(deleteSeat, key(l), key(u)); err != nil {
			return err
		}
	}
	return nil
}
