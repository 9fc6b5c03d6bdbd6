package directory

import (
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Share tells the directory, before its first use, that other processes write to its store. fresh reports whether what is
// in memory can be shown: they were able to have it forgotten.
func (d *Directory) Share(fresh func() bool) {
	d.applications.Fresh = fresh
	d.users.Fresh = fresh
	d.guildInstalls.Fresh = fresh
	d.userInstalls.Fresh = fresh
	d.members.Fresh = fresh
	d.channels.Fresh = fresh
	d.places.Fresh = fresh
	d.Tokens.Share(fresh)
}

// Changed names records that another process has put or removed one by one.
type Changed struct {
	Users        []snowflake.User
	Applications []snowflake.Application
	Guilds       []snowflake.Guild // or roles, channels and installs in them
	Channels     []snowflake.Channel
	Members      []store.Member  // Guild and User name them
	Installs     []store.Install // Application and Guild or User name them
	Tokens       []store.TokenHash
}

// ForgetChanged drops what is held in memory of records that another process has changed.
func (d *Directory) ForgetChanged(c Changed) {
	d.Tokens.Forget(c.Tokens...)
	d.users.Forget(c.Users...)
	d.userInstalls.Forget(c.Users...)
	d.applications.Forget(c.Applications...)
	for _, id := range c.Applications {
		d.users.Forget(snowflake.User(id)) // its bot
		d.userInstalls.Forget(snowflake.User(id))
	}
	if len(c.Applications) > 0 {
		d.Tokens.Reset() // an application's own tokens act for its owner
	}
	d.places.Forget(c.Guilds...)
	d.channels.Forget(c.Channels...)
	for _, m := range c.Members {
		d.members.Forget(memberKey{m.Guild, m.User})
	}
	for _, i := range c.Installs {
		d.guildInstalls.Forget(installKey{i.Guild, i.Application})
		d.userInstalls.Forget(i.User)
		d.places.Forget(i.Guild)
	}
}
