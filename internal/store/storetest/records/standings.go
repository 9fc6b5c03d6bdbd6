package records

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/snowflake"
)

func standings(t *testing.T, s store.Store) {
	other := bareLobby(3)
	other.Application = 101
	check.Update(t, s, check.Each(store.Tx.PutUser, store.User{ID: 200}, store.User{ID: 201}, store.User{ID: 202}))
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(putLobbies(bareLobby(2), bareLobby(1), other)(tx),
			tx.AddSeats(2, 100, seat(200, 1), seat(201, 2)), tx.AddSeats(1, 100, seat(200, 1)), tx.AddSeats(3, 101, seat(200, 1)))
	})
	for _, tt := range []struct {
		name  string
		app   snowflake.Application
		limit int
		users []snowflake.User
		want  []store.Standing
	}{
		{"nobody", 100, 2, nil, nil},
		{"of each in the order asked for", 100, 2, []snowflake.User{201, 200, 202}, []store.Standing{store.Free, store.Taken, store.Free}},
		{"somebody without a record", 100, 2, []snowflake.User{200, 999}, []store.Standing{store.Taken, store.Stranger}},
		{"somebody twice", 100, 2, []snowflake.User{200, 999, 200}, []store.Standing{store.Taken, store.Stranger, store.Taken}},
		{"with a higher limit", 100, 3, []snowflake.User{200}, []store.Standing{store.Free}},
		{"in another application", 101, 2, []snowflake.User{200}, []store.Standing{store.Free}},
	} {
		ask := func(r store.Reader) ([]store.Standing, error) { return r.Standings(tt.app, tt.limit, tt.users...) }
		check.Shows(t, s, tt.name+" in a view", ask, tt.want)
		for range 2 { // as it is found, and as it is remembered
			twice := check.Told(t, s, func(tx store.Tx) ([2][]store.Standing, error) {
				first, err := ask(tx)
				again, askErr := ask(tx)
				return [2][]store.Standing{first, again}, errors.Join(err, askErr)
			})
			check.Same(t, tt.name+" in a unit of work", twice, [2][]store.Standing{tt.want, tt.want})
		}
	}
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.DeleteUser(202), tx.DeleteSeats(2, 200), tx.AddSeats(1, 100, seat(201, 2)))
	})
	ask := func(r store.Reader) ([]store.Standing, error) { return r.Standings(100, 2, 201, 200, 202) }
	want := []store.Standing{store.Taken, store.Free, store.Stranger}
	check.Shows(t, s, "in a view after they have changed", ask, want)
	check.Same(t, "in a unit of work after they have changed",
		check.Told(t, s, func(tx store.Tx) ([]store.Standing, error) { return ask(tx) }), want)
}

// standingsModel does things at random, some of which are undone, many at the same time, and compares standings with what
// follows from the rows.
func standingsModel(t *testing.T, s store.Store) {
	const users, lobbies, goroutines, rounds = 4, 6, 4, 30
	for i := range lobbies {
		check.Update(t, s, putLobbies(bareLobby(snowflake.Lobby(i+1))))
	}
	check.Update(t, s, check.Each(store.Tx.PutUser, store.User{ID: 1}, store.User{ID: 2}, store.User{ID: 3}, store.User{ID: 4}))
	errUndone := errors.New("undone")
	check.Together(goroutines, func(i int) {
		random := rand.New(rand.NewPCG(uint64(i), 2)) //nolint:gosec // G404: the same in each run
		for range rounds {
			err := s.Update(t.Context(), func(tx store.Tx) error {
				for range 1 + random.IntN(3) {
					u, l := snowflake.User(1+random.IntN(users)), snowflake.Lobby(1+random.IntN(lobbies))
					if err := errors.Join(standingsStep(tx, random.IntN(12), u, l), sameStandings(tx, users)); err != nil {
						return err
					}
				}
				if random.IntN(4) == 0 {
					return errUndone
				}
				return nil
			})
			if err != nil && !errors.Is(err, errUndone) {
				t.Errorf("Update() = %v", err)
			}
		}
	})
}

// standingsStep does something to a user or a lobby.
func standingsStep(tx store.Tx, what int, u snowflake.User, l snowflake.Lobby) error {
	switch what {
	case 0:
		return tx.DeleteUser(u)
	case 1:
		return tx.PutUser(store.User{ID: u})
	case 2, 3, 4:
		return tx.DeleteSeats(l, u)
	case 5:
		return errors.Join(tx.DeleteLobby(l), tx.PutLobby(bareLobby(l)))
	}
	if _, err := tx.User(u); err != nil {
		return nil //nolint:nilerr // only those who have a record join
	}
	return errors.Join(tx.DeleteSeats(l, u), tx.AddSeats(l, 100, seat(u, 1)))
}

// sameStandings compares standings of all users, when they can be in three lobbies, with what is stored.
func sameStandings(tx store.Tx, users int) error {
	const limit = 3
	for u := snowflake.User(1); u <= snowflake.User(users); u++ {
		got, err := tx.Standings(100, limit, u)
		if err != nil {
			return err
		}
		in, err := tx.LobbiesOf(100, u)
		if err != nil {
			return err
		}
		want := store.Free
		if len(in) >= limit {
			want = store.Taken
		}
		if _, err := tx.User(u); errors.Is(err, store.ErrNotFound) {
			want = store.Stranger
		}
		if got[0] != want {
			return fmt.Errorf("Standings() of user %v = %v, want %v", u, got[0], want)
		}
	}
	return nil
}
