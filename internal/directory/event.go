package directory

import (
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// recordKind is the type of a changed record.
type recordKind uint8

const (
	userRecordKind recordKind = iota + 1 // a user or a bot
	guildRecordKind
	roleRecordKind
	channelRecordKind
	memberRecordKind
	installRecordKind // in a guild
)

// action says how a record changed.
type action uint8

const (
	recordCreated action = iota + 1
	recordUpdated
	recordDeleted
)

// choose returns the event name for the action.
func (a action) choose(onCreate, onUpdate, onDelete string) string {
	switch a {
	case recordCreated:
		return onCreate
	case recordDeleted:
		return onDelete
	case recordUpdated:
	}
	return onUpdate
}

// changedRecord names a record that a transaction changes. Deleted users are not among them.
type changedRecord struct {
	kind        recordKind
	action      action
	guild       snowflake.Guild // except of users and direct-message channels
	user        snowflake.User  // of users, bots and members
	role        snowflake.Role
	channel     snowflake.Channel
	application snowflake.Application // of installs
	before      *store.Channel        // of a deleted channel
}

// changes returns the changed records with their actions. It leaves out records that the transaction both created and
// deleted.
func (w *writer) changes() ([]changedRecord, error) {
	var list []changedRecord
	for _, c := range w.changed {
		before, err := c.exists(w.tx.Before.Directory)
		if err != nil {
			return nil, err
		}
		after, err := c.exists(w.tx.Directory)
		if err != nil {
			return nil, err
		}
		switch {
		case before && after:
			c.action = recordUpdated
		case after:
			c.action = recordCreated
		case before:
			c.action = recordDeleted
		default:
			continue
		}
		if c.action == recordDeleted && c.kind == channelRecordKind {
			channel, err := w.tx.Before.Directory.Channel(c.channel)
			if err != nil {
				return nil, err
			}
			c.before = &channel
		}
		list = append(list, c)
	}
	return list, nil
}

// exists reports whether the record exists in a snapshot. For users it is always true: a new user counts as updated.
func (c changedRecord) exists(r store.DirectoryQueries) (bool, error) {
	switch c.kind {
	case guildRecordKind:
		return found(r.Guild(c.guild))
	case roleRecordKind:
		return found(r.Role(c.guild, c.role))
	case channelRecordKind:
		return found(r.Channel(c.channel))
	case memberRecordKind:
		return found(r.Member(c.guild, c.user))
	case installRecordKind:
		return found(r.GuildInstall(c.guild, c.application))
	case userRecordKind:
	}
	return true, nil
}

// eventsOf returns the events of changes, in the order of the changes. r sees the records after the changes. Changes of
// records whose user or application was deleted have no events.
func eventsOf(r store.Reader, changes []changedRecord) ([]store.Event, error) {
	b := eventBuilder{Reader: r}
	for _, c := range changes {
		if err := b.addChange(c); err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
	}
	return b.list, nil
}

// eventBuilder collects events.
type eventBuilder struct {
	store.Reader

	list []store.Event
}

func (b *eventBuilder) addChange(c changedRecord) error {
	switch c.kind {
	case userRecordKind:
		return b.user(c)
	case guildRecordKind:
		return b.guild(c)
	case roleRecordKind:
		return b.role(c)
	case channelRecordKind:
		return b.channel(c)
	case memberRecordKind:
		return b.member(c)
	case installRecordKind:
		return b.install(c)
	}
	return nil
}

// add adds an event about a subject.
func (b *eventBuilder) add(about store.Subject, name string, value any, to events.Audience, change *events.Change) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	b.list = append(b.list, store.Event{
		Subject: about, Event: events.Event{Name: name, Data: data, To: to, Change: change},
	})
	return nil
}

// addToGuild adds an event for all sessions in a guild. The sessions compute again which channels they see.
func (b *eventBuilder) addToGuild(guild snowflake.Guild, intent uint32, name string, value any) error {
	to := events.Audience{Guild: guild, Intents: intent}
	return b.add(store.GuildSubject(guild), name, value, to, &events.Change{Guild: guild})
}

// user adds USER_UPDATE for the user's or bot's own sessions.
func (b *eventBuilder) user(c changedRecord) error {
	u, err := readUser(b.Reader, c.user)
	if err != nil {
		return err
	}
	about := store.UserSubject(u.ID)
	if u.Bot {
		about = store.ApplicationSubject(snowflake.Application(u.ID))
	}
	return b.add(about, "USER_UPDATE", convert.WireMe(u, true), ownSessions(u, 0), nil)
}

// ownSessions is the audience of a user's or bot's own sessions.
func ownSessions(u *store.User, guild snowflake.Guild) events.Audience {
	if u.Bot {
		return events.Audience{Application: snowflake.Application(u.ID), Guild: guild}
	}
	return events.Audience{Users: []snowflake.User{u.ID}}
}

// guild adds the event of a guild. A new guild has none: its members get GUILD_CREATE when they join.
func (b *eventBuilder) guild(c changedRecord) error {
	switch c.action {
	case recordDeleted:
		return b.add(store.GuildSubject(c.guild), "GUILD_DELETE", struct {
			ID snowflake.Guild `json:"id"`
		}{c.guild}, events.Audience{Guild: c.guild, Intents: events.Guilds}, &events.Change{Guild: c.guild, Closed: true})
	case recordUpdated:
		g, err := b.Directory.Guild(c.guild)
		if err != nil {
			return err
		}
		roles, err := readRoles(b.Reader, g)
		if err != nil {
			return err
		}
		return b.addToGuild(c.guild, events.Guilds, "GUILD_UPDATE", convert.WireGuild(g, roles, nil))
	case recordCreated:
	}
	return nil
}

func (b *eventBuilder) role(c changedRecord) error {
	if c.action == recordDeleted {
		return b.addToGuild(c.guild, events.Guilds, "GUILD_ROLE_DELETE", struct {
			Guild snowflake.Guild `json:"guild_id"`
			Role  snowflake.Role  `json:"role_id"`
		}{c.guild, c.role})
	}
	role, err := b.Directory.Role(c.guild, c.role)
	if err != nil {
		return err
	}
	return b.addToGuild(c.guild, events.Guilds, c.action.choose("GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", ""), struct {
		Guild snowflake.Guild `json:"guild_id"`
		Role  wire.Role       `json:"role"`
	}{c.guild, convert.WireRole(role)})
}

func (b *eventBuilder) channel(c changedRecord) error {
	record := c.before
	if c.action != recordDeleted {
		now, err := b.Directory.Channel(c.channel)
		if err != nil {
			return err
		}
		record = &now
	}
	switch {
	case c.guild == 0:
		return b.direct(c.action, record)
	case world.IsThread(record.Type):
		return b.thread(c.action, record)
	}
	name := c.action.choose("CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE")
	return b.addToGuild(c.guild, events.Guilds, name, convert.WireChannel(*record))
}

// thread adds the event of a thread. THREAD_DELETE holds only its ids and type.
func (b *eventBuilder) thread(a action, c *store.Channel) error {
	if a == recordDeleted {
		return b.addToGuild(c.Guild, events.Guilds, "THREAD_DELETE", struct {
			ID     snowflake.Channel `json:"id"`
			Guild  snowflake.Guild   `json:"guild_id"`
			Parent snowflake.Channel `json:"parent_id"`
			Type   int               `json:"type"`
		}{c.ID, c.Guild, c.Parent, c.Type})
	}
	g, err := b.Directory.Guild(c.Guild)
	if err != nil {
		return err
	}
	type thread struct {
		wire.Thread

		New bool `json:"newly_created,omitzero"`
	}
	return b.addToGuild(c.Guild, events.Guilds, a.choose("THREAD_CREATE", "THREAD_UPDATE", ""),
		thread{convert.WireThread(*c, g.Owner), a == recordCreated})
}

// direct adds an event for each user in a direct-message channel, with the other recipients. Bots get no event before
// the channel is used.
func (b *eventBuilder) direct(a action, c *store.Channel) error {
	users := make([]*store.User, 0, len(c.Recipients))
	for _, id := range c.Recipients {
		u, err := readUser(b.Reader, id)
		if err != nil {
			return err
		}
		users = append(users, u)
	}
	name := a.choose("CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE")
	for _, u := range users {
		if u.Bot {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(users), func(o *store.User) bool { return o.ID == u.ID })
		to := events.Audience{Users: []snowflake.User{u.ID}}
		if err := b.add(store.ChannelSubject(c.ID), name, convert.WireDirect(*c, others), to, nil); err != nil {
			return err
		}
	}
	return nil
}

// member adds the events of a member. A new member gets GUILD_CREATE instead, and a removed one GUILD_DELETE: the
// gateway session makes both of the change.
func (b *eventBuilder) member(c changedRecord) error {
	guild := store.GuildSubject(c.guild)
	others := events.Audience{Guild: c.guild, Intents: events.GuildMembers, Except: []snowflake.User{c.user}}
	if c.action == recordDeleted {
		u, err := readUser(b.Reader, c.user)
		if errors.Is(err, store.ErrNotFound) { // the user was deleted too
			u, err = &store.User{ID: c.user}, nil
		}
		if err != nil {
			return err
		}
		return b.add(guild, "GUILD_MEMBER_REMOVE", struct {
			Guild snowflake.Guild `json:"guild_id"`
			User  wire.User       `json:"user"`
		}{c.guild, convert.WireUser(u)}, others, &events.Change{Guild: c.guild, Left: c.user})
	}
	record, err := b.Directory.Member(c.guild, c.user)
	if err != nil {
		return err
	}
	u, err := readUser(b.Reader, c.user)
	if err != nil {
		return err
	}
	value := struct {
		Guild snowflake.Guild `json:"guild_id"`
		wire.Member
	}{c.guild, convert.WireMember(record, u)}
	if c.action == recordCreated {
		return b.add(guild, "GUILD_MEMBER_ADD", value, others, &events.Change{Guild: c.guild, Joined: c.user})
	}
	if err := b.add(guild, "GUILD_MEMBER_UPDATE", value, others, &events.Change{Guild: c.guild}); err != nil {
		return err
	}
	return b.add(guild, "GUILD_MEMBER_UPDATE", value, ownSessions(u, c.guild), nil)
}

// guildID is the body of events that hold only a guild.
type guildID struct {
	Guild snowflake.Guild `json:"guild_id"`
}

// install adds the events of an install in a guild: two for bots, and one that makes users' clients load commands
// again.
func (b *eventBuilder) install(c changedRecord) error {
	if err := b.integration(c); err != nil {
		return err
	}
	if err := b.addToGuild(c.guild, events.GuildIntegrated, "GUILD_INTEGRATIONS_UPDATE", guildID{c.guild}); err != nil {
		return err
	}
	return b.add(store.GuildSubject(c.guild), "GUILD_APPLICATION_COMMAND_INDEX_UPDATE", guildID{c.guild},
		events.Audience{Guild: c.guild, Kinds: events.People}, nil)
}

func (b *eventBuilder) integration(c changedRecord) error {
	if c.action == recordDeleted {
		return b.addToGuild(c.guild, events.GuildIntegrated, "INTEGRATION_DELETE", struct {
			guildID

			ID          snowflake.Application `json:"id"`
			Application snowflake.Application `json:"application_id"`
		}{guildID{c.guild}, c.application, c.application})
	}
	app, err := b.Directory.Application(c.application)
	if err != nil {
		return err
	}
	in, err := b.Directory.GuildInstall(c.guild, c.application)
	if err != nil {
		return err
	}
	bot, err := readUser(b.Reader, snowflake.User(c.application))
	if err != nil {
		return err
	}
	name := c.action.choose("INTEGRATION_CREATE", "INTEGRATION_UPDATE", "")
	return b.addToGuild(c.guild, events.GuildIntegrated, name, struct {
		guildID
		wire.Integration
	}{guildID{c.guild}, convert.WireIntegration(&app, in, bot)})
}
