package devtools

import (
	"context"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/snowflake"
)

// Desk answers questions about anybody. It is an operator's too. All fields are required.
type Desk struct {
	Directory *directory.Directory
	Picker    *permissions.Picker
}

// Question asks whether somebody can use a command somewhere.
type Question struct {
	As          string                // a user's id or username
	In          string                // a channel's id, or the names of a guild and a channel with a slash between
	Command     string                // a slash and the name of a CHAT_INPUT command, or the name of another
	Application snowflake.Application // whose; 0: anybody's
}

// Explain decides and says why. A conversation between others is picker.ErrNoAccess.
func (d *Desk) Explain(ctx context.Context, q Question) (permissions.Explained, error) {
	user, err := d.FindUser(ctx, q.As)
	if err != nil {
		return permissions.Explained{}, err
	}
	channel, err := d.FindChannel(ctx, q.In)
	if err != nil {
		return permissions.Explained{}, err
	}
	spot, err := d.Picker.Spot(ctx, user.ID, channel)
	if err != nil {
		return permissions.Explained{}, err
	}
	if spot.Place == nil && !spot.Sees() {
		return permissions.Explained{}, permissions.ErrNoAccess
	}
	return d.Picker.Explain(ctx, spot, q.Command, q.Application)
}
