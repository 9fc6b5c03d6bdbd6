package presence

import (
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Wire is a presence as clients get it: the data of PRESENCE_UPDATE, and without a guild an element of a list.
type Wire struct {
	User         wire.User       `json:"user"`
	Guild        snowflake.Guild `json:"guild_id,omitzero"`
	Status       Status          `json:"status"`
	Activities   []Activity      `json:"activities"`
	ClientStatus clientStatus    `json:"client_status"`
}

// clientStatus has the status of each kind of client. All clients count as web.
type clientStatus struct {
	Web Status `json:"web,omitzero"`
}

// WireOf returns the presence of a user for clients.
func (p Presence) WireOf(user wire.User, guild snowflake.Guild) Wire {
	w := Wire{User: user, Guild: guild, Status: p.Status, Activities: p.Activities, ClientStatus: clientStatus{p.Status}}
	if p.IsOffline() {
		w.Status = Offline
	}
	return w
}
