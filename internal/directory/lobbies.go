package directory

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// leaveLobbies is for a user who is deleted, and has places in lobbies.
func (w *work) leaveLobbies(user snowflake.User) error {
	if w.Lobbies == nil {
		return nil
	}
	tell, err := w.Lobbies.UserGoes(w.tx, user)
	w.afterwards = append(w.afterwards, tell)
	return err
}

// closeLobbies is for an application that is deleted with its lobbies.
func (w *work) closeLobbies(app snowflake.Application) error {
	if w.Lobbies == nil {
		return nil
	}
	tell, err := w.Lobbies.ApplicationGoes(w.tx, app)
	w.afterwards = append(w.afterwards, tell)
	return err
}

// unlinkLobby is for a channel that is deleted, and may be linked with a lobby.
func (w *work) unlinkLobby(channel snowflake.Channel) error {
	if w.Lobbies == nil {
		return nil
	}
	id, err := w.tx.LinkedLobby(channel)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	w.afterwards = append(w.afterwards, func(ctx context.Context) { w.Lobbies.Unlink(ctx, id) })
	return err
}
