package directory

import (
	"errors"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// watched is a unit of work that notes which records it makes wrong in memory, and what others may want to hear of,
// whoever writes to it.
type watched struct {
	store.Tx

	stale *stale
	news  *news // nil: nobody wants to hear
}

func (w watched) PutUser(u store.User) error {
	w.stale.users = append(w.stale.users, u.ID)
	w.stale.installers = append(w.stale.installers, u.ID)
	w.news.note(Change{What: ThisUser, How: Altered, User: u.ID})
	return w.Tx.PutUser(u)
}

// DeleteUser takes along what DirectoryWriter says.
func (w watched) DeleteUser(id snowflake.User) error {
	w.stale.users = append(w.stale.users, id)
	w.stale.tokens = true
	w.stale.leavers = append(w.stale.leavers, id)
	w.stale.installers = append(w.stale.installers, id)
	channels, err := w.DirectChannels(id)
	if err != nil {
		return err
	}
	for _, c := range channels {
		w.stale.channels = append(w.stale.channels, c.ID)
	}
	return w.Tx.DeleteUser(id)
}

func (w watched) PutApplication(a store.Application) error {
	old, err := w.Application(a.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if old.Activities != a.Activities {
		w.stale.switched = append(w.stale.switched, a)
	}
	w.stale.tokens = w.stale.tokens || old.Owner != a.Owner // its own tokens act for the owner
	w.stale.applications = append(w.stale.applications, a.ID)
	w.stale.users = append(w.stale.users, snowflake.User(a.ID))
	w.stale.installers = append(w.stale.installers, snowflake.User(a.ID))
	w.news.note(Change{What: ThisUser, How: Altered, User: snowflake.User(a.ID)})
	return w.Tx.PutApplication(a)
}

// DeleteApplication takes along what DirectoryWriter says. Guilds it is installed in are left one by one before.
func (w watched) DeleteApplication(id snowflake.Application) error {
	w.stale.applications = append(w.stale.applications, id)
	w.stale.users = append(w.stale.users, snowflake.User(id))
	w.stale.tokens = true
	w.stale.leavers = append(w.stale.leavers, snowflake.User(id))
	w.stale.everyInstaller = true
	w.stale.goneApplications = append(w.stale.goneApplications, id)
	return w.Tx.DeleteApplication(id)
}

func (w watched) PutGuild(g store.Guild) error {
	w.stale.guilds = append(w.stale.guilds, g.ID)
	if w.news != nil {
		_, err := w.Guild(g.ID)
		w.news.put(Change{What: ThisGuild, Guild: g.ID}, err)
	}
	return w.Tx.PutGuild(g)
}

// DeleteGuild takes along what DirectoryWriter says.
func (w watched) DeleteGuild(id snowflake.Guild) error {
	installs, err := w.GuildInstalls(id)
	if err != nil {
		return err
	}
	for _, i := range installs {
		w.stale.installs = append(w.stale.installs, installKey{id, i.Application})
	}
	w.stale.guilds = append(w.stale.guilds, id)
	w.stale.crowds = append(w.stale.crowds, id)
	w.stale.goneGuilds = append(w.stale.goneGuilds, id)
	w.news.note(Change{What: ThisGuild, How: Gone, Guild: id})
	return w.Tx.DeleteGuild(id)
}

func (w watched) PutRole(r store.Role) error {
	w.stale.guilds = append(w.stale.guilds, r.Guild)
	if w.news != nil {
		there, err := w.news.hasRole(w.Tx, r.Guild, r.ID)
		if err != nil {
			return err
		}
		how := Made
		if there {
			how = Altered
		}
		w.news.note(Change{What: ThisRole, How: how, Guild: r.Guild, Role: r.ID})
	}
	return w.Tx.PutRole(r)
}

// DeleteRole takes its mention in members along.
func (w watched) DeleteRole(guild snowflake.Guild, id snowflake.Role) error {
	w.stale.guilds = append(w.stale.guilds, guild)
	w.stale.crowds = append(w.stale.crowds, guild)
	w.news.note(Change{What: ThisRole, How: Gone, Guild: guild, Role: id})
	return w.Tx.DeleteRole(guild, id)
}

func (w watched) PutChannel(c store.Channel) error {
	w.stale.channels = append(w.stale.channels, c.ID)
	w.stale.guild(c.Guild)
	if w.news != nil {
		_, err := w.Channel(c.ID)
		w.news.put(Change{What: ThisChannel, Guild: c.Guild, Channel: c.ID}, err)
	}
	return w.Tx.PutChannel(c)
}

// DeleteChannel removes a channel, whose guild is not told.
func (w watched) DeleteChannel(id snowflake.Channel) error {
	c, err := w.Channel(id)
	if err == nil {
		w.stale.channels = append(w.stale.channels, id)
		w.stale.guild(c.Guild)
		w.news.note(Change{What: ThisChannel, How: Gone, Guild: c.Guild, Channel: id, Was: &c})
	}
	return w.Tx.DeleteChannel(id)
}

func (w watched) PutMember(m store.Member) error {
	w.stale.members = append(w.stale.members, memberKey{m.Guild, m.User})
	if w.news != nil {
		_, err := w.Member(m.Guild, m.User)
		w.news.put(Change{What: ThisMember, Guild: m.Guild, User: m.User}, err)
	}
	return w.Tx.PutMember(m)
}

// DeleteMember removes a member.
func (w watched) DeleteMember(guild snowflake.Guild, user snowflake.User) error {
	w.stale.members = append(w.stale.members, memberKey{guild, user})
	w.news.note(Change{What: ThisMember, How: Gone, Guild: guild, User: user})
	return w.Tx.DeleteMember(guild, user)
}

func (w watched) PutInstall(i store.Install) error {
	w.stale.guild(i.Guild)
	w.stale.installs = append(w.stale.installs, installKey{i.Guild, i.Application})
	w.stale.installers = append(w.stale.installers, i.User)
	if w.news != nil && i.Guild != 0 {
		_, err := w.GuildInstall(i.Guild, i.Application)
		w.news.put(Change{What: ThisInstall, Guild: i.Guild, Application: i.Application}, err)
	}
	return w.Tx.PutInstall(i)
}

// DeleteInstall removes an install. People leave guilds far more often than apps do, and that too is tried.
func (w watched) DeleteInstall(i store.Install) error {
	if i.Guild == 0 {
		w.stale.installers = append(w.stale.installers, i.User)
	} else if _, err := w.GuildInstall(i.Guild, i.Application); err == nil {
		w.stale.guild(i.Guild)
		w.stale.installs = append(w.stale.installs, installKey{i.Guild, i.Application})
		w.news.note(Change{What: ThisInstall, How: Gone, Guild: i.Guild, Application: i.Application})
	}
	return w.Tx.DeleteInstall(i)
}

// guild notes a guild, or nothing for what is between people.
func (s *stale) guild(id snowflake.Guild) {
	if id != 0 {
		s.guilds = append(s.guilds, id)
	}
}

// PutOverwrites stores a permission set.
func (w watched) PutOverwrites(set store.OverwriteSet) error {
	w.stale.sets = append(w.stale.sets, installKey{set.Guild, set.Application})
	return w.Tx.PutOverwrites(set)
}

// settlePlaces drops what has become wrong of guilds and of what is in them.
func (d *Directory) settlePlaces(s *stale) {
	d.places.Forget(s.guilds...)
	d.channels.Forget(s.channels...)
	d.members.Forget(s.members...)
	d.userInstalls.Forget(s.installers...)
	if s.everyInstaller {
		d.userInstalls.Reset()
	}
	if len(s.crowds)+len(s.leavers) > 0 {
		crowds, leavers := setOf(s.crowds), setOf(s.leavers)
		d.members.ForgetIf(func(k memberKey, _ *store.Member) bool { return crowds[k.guild] || leavers[k.user] })
	}
	if len(s.goneGuilds) > 0 {
		gone := setOf(s.goneGuilds)
		d.channels.ForgetIf(func(_ snowflake.Channel, w *Where) bool { return gone[w.Guild] })
	}
	if d.Commands == nil {
		return
	}
	for _, k := range s.sets {
		d.Commands.ForgetOverwrites(k.app, k.guild)
	}
	for _, app := range s.goneApplications {
		d.Commands.ForgetApplication(app)
	}
	for _, guild := range s.goneGuilds {
		d.Commands.ForgetGuild(guild)
	}
}

func setOf[K comparable](keys []K) map[K]bool {
	m := make(map[K]bool, len(keys))
	for _, k := range keys {
		m[k] = true
	}
	return m
}
