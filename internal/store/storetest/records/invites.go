package records

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
)

// invite is an invite with everything set that expires so many minutes after noon.
func invite(n byte, minutes int) store.Invite {
	return store.Invite{
		Hash: store.SecretHash{n}, Lobby: 1, Application: 100, Channel: 310, User: 200, Expires: check.Noon.Add(time.Duration(minutes) * time.Minute),
	}
}

func inviteOf(n byte) func(store.Reader) (store.Invite, error) {
	return check.By(store.Reader.Invite, store.SecretHash{n})
}

func inviteRecord(t *testing.T, s store.Store) {
	check.Missing(t, s, inviteOf(1))
	check.Update(t, s, func(tx store.Tx) error { return errors.Join(tx.PutInvite(invite(1, 1)), tx.PutInvite(invite(2, 2))) })
	check.Shows(t, s, "Invite()", inviteOf(1), invite(1, 1))
	check.Update(t, s, func(tx store.Tx) error { return tx.PutInvite(invite(1, 5)) })
	check.Shows(t, s, "Invite()", inviteOf(1), invite(1, 5))
	check.Shows(t, s, "the other", inviteOf(2), invite(2, 2))
}

func inviteOnce(t *testing.T, s store.Store) {
	check.Update(t, s, func(tx store.Tx) error { return errors.Join(tx.PutInvite(invite(1, 1)), tx.PutInvite(invite(2, 2))) })
	for _, want := range []bool{true, false} {
		there := check.Told(t, s, func(tx store.Tx) (bool, error) { return tx.DeleteInvite(store.SecretHash{1}) })
		check.Same(t, "DeleteInvite()", there, want)
	}
	check.Missing(t, s, inviteOf(1))
	check.Shows(t, s, "the other", inviteOf(2), invite(2, 2))
}

func inviteExpiry(t *testing.T, s store.Store) {
	check.Shows(t, s, "OldestInvite()", store.Reader.OldestInvite, time.Time{})
	check.Update(t, s, func(tx store.Tx) error {
		for n := range byte(6) {
			if err := tx.PutInvite(invite(n+1, int(n))); err != nil {
				return err
			}
		}
		return nil
	})
	for _, tt := range []struct{ limit, want int }{{0, 0}, {2, 2}, {9, 2}, {9, 0}} {
		got := check.Told(t, s, func(tx store.Tx) (int, error) { return tx.ExpireInvites(check.Noon.Add(3*time.Minute), tt.limit) })
		check.Same(t, fmt.Sprintf("ExpireInvites() of %d", tt.limit), got, tt.want)
	}
	check.Missing(t, s, inviteOf(4))
	check.Shows(t, s, "OldestInvite()", store.Reader.OldestInvite, check.Noon.Add(4*time.Minute))
	check.Shows(t, s, "the next", inviteOf(5), invite(5, 4))
}
