package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

// invite is an invite with everything set that expires so many minutes after noon.
func invite(n byte, minutes int) store.Invite {
	return store.Invite{
		Hash: store.SecretHash{n}, Lobby: 1, Application: 100, Channel: 310, User: 200, Expires: noon.Add(time.Duration(minutes) * time.Minute),
	}
}

func inviteOf(n byte) func(store.Reader) (store.Invite, error) {
	return func(r store.Reader) (store.Invite, error) { return r.Invite(store.SecretHash{n}) }
}

func inviteRecord(t *testing.T, s store.Store) {
	missing(t, s, inviteOf(1))
	update(t, s, func(tx store.Tx) error { return errors.Join(tx.PutInvite(invite(1, 1)), tx.PutInvite(invite(2, 2))) })
	same(t, "Invite()", read(t, s, inviteOf(1)), invite(1, 1))
	update(t, s, func(tx store.Tx) error { return tx.PutInvite(invite(1, 5)) })
	same(t, "Invite()", read(t, s, inviteOf(1)), invite(1, 5))
	same(t, "the other", read(t, s, inviteOf(2)), invite(2, 2))
}

func inviteOnce(t *testing.T, s store.Store) {
	update(t, s, func(tx store.Tx) error { return errors.Join(tx.PutInvite(invite(1, 1)), tx.PutInvite(invite(2, 2))) })
	for _, want := range []bool{true, false} {
		there := told(t, s, func(tx store.Tx) (bool, error) { return tx.DeleteInvite(store.SecretHash{1}) })
		same(t, "DeleteInvite()", there, want)
	}
	missing(t, s, inviteOf(1))
	same(t, "the other", read(t, s, inviteOf(2)), invite(2, 2))
}

func inviteExpiry(t *testing.T, s store.Store) {
	same(t, "OldestInvite()", read(t, s, store.Reader.OldestInvite), time.Time{})
	update(t, s, func(tx store.Tx) error {
		for n := range byte(6) {
			if err := tx.PutInvite(invite(n+1, int(n))); err != nil {
				return err
			}
		}
		return nil
	})
	for _, tt := range []struct{ limit, want int }{{0, 0}, {2, 2}, {9, 2}, {9, 0}} {
		got := told(t, s, func(tx store.Tx) (int, error) { return tx.ExpireInvites(noon.Add(3*time.Minute), tt.limit) })
		same(t, fmt.Sprintf("ExpireInvites() of %d", tt.limit), got, tt.want)
	}
	missing(t, s, inviteOf(4))
	same(t, "OldestInvite()", read(t, s, store.Reader.OldestInvite), noon.Add(4*time.Minute))
	same(t, "the next", read(t, s, inviteOf(5)), invite(5, 4))
}
