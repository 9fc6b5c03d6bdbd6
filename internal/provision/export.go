package provision

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of an exported world.
const (
	// MaxExported is the number of messages that an exported channel or thread has at most: the newest ones.
	MaxExported = 100
	// maxExportedInGuild is the number of messages that an exported guild has at most.
	maxExportedInGuild = 10_000
)

// Export returns the directory as a world, with the webhooks, threads and newest messages of channels, the emojis, and the
// scheduled events that have not ended. It leaves out tokens, secrets, images, files, polls, forwards, system messages and ephemeral
// messages.
func Export(ctx context.Context, d *directory.Directory) (w world.World, err error) {
	err = d.Read(ctx, func(r store.Reader) error {
		gone, err := directory.ReadTombstones(r.Directory)
		if err == nil {
			w, err = readWorld(r.Directory, gone)
		}
		return err
	})
	if err != nil {
		return w, fmt.Errorf("read the directory: %w", err)
	}
	for i := range w.Applications {
		if a := &w.Applications[i]; a.Intents == nil {
			a.Intents = []string{} // a new application without the key may get all of them
		}
	}
	for i := range w.Guilds {
		err := d.Read(ctx, func(r store.Reader) error {
			e := exporter{r, maxExportedInGuild}
			return e.guild(&w.Guilds[i])
		})
		if err != nil {
			return w, err
		}
	}
	return w, nil
}

// readWorld returns the records of the directory, ordered by ids, without direct-message channels.
func readWorld(r store.DirectoryQueries, gone directory.Tombstones) (world.World, error) {
	var w world.World
	err := eachPage(r.Users, func(u store.User) (snowflake.User, error) {
		if u.Provisional != 0 {
			return u.ID, nil // the players of an application sign in again
		}
		w.Users = append(w.Users, convert.WorldUser(u))
		installs, err := r.UserInstalls(u.ID)
		for _, i := range slices.DeleteFunc(installs, gone.Install) {
			w.UserInstalls = append(w.UserInstalls, convert.WorldUserInstall(i))
		}
		return u.ID, err
	})
	if err != nil {
		return w, err
	}
	err = eachPage(r.Applications, func(a store.Application) (snowflake.Application, error) {
		w.Applications = append(w.Applications, convert.WorldApplication(a))
		return a.ID, nil
	})
	if err != nil {
		return w, err
	}
	err = eachPage(r.Guilds, func(g store.Guild) (snowflake.Guild, error) {
		guild, err := readGuild(r, gone, g)
		w.Guilds = append(w.Guilds, guild)
		return g.ID, err
	})
	return w, err
}

// readGuild returns the records of a guild. Threads with a state are not among its channels: each is below its channel.
func readGuild(r store.DirectoryQueries, gone directory.Tombstones, record store.Guild) (world.Guild, error) {
	g := convert.WorldGuild(record)
	roles, err := r.Roles(g.ID)
	if err != nil {
		return g, err
	}
	for _, role := range roles {
		g.Roles = append(g.Roles, convert.WorldRole(role))
	}
	channels, err := r.Channels(g.ID)
	if err != nil {
		return g, err
	}
	for _, c := range channels {
		if c.Thread == nil {
			g.Channels = append(g.Channels, convert.WorldChannel(c))
		}
	}
	installs, err := r.GuildInstalls(g.ID)
	if err != nil {
		return g, err
	}
	for _, i := range slices.DeleteFunc(installs, gone.Install) {
		g.Installs = append(g.Installs, convert.WorldGuildInstall(i))
	}
	members := func(after snowflake.User, limit int) ([]store.Member, error) { return r.Members(g.ID, after, limit) }
	err = eachPage(members, func(m store.Member) (snowflake.User, error) {
		if !gone.Member(m) {
			g.Members = append(g.Members, convert.WorldMember(gone.WithoutRoles(m)))
		}
		return m.User, nil
	})
	return g, err
}

// eachPage reads a list page by page and calls each with every record. each returns the key of the record.
func eachPage[K, R any](page func(after K, limit int) ([]R, error), each func(R) (K, error)) error {
	var after K
	for {
		records, err := page(after, directory.MaxPage)
		if err != nil {
			return err
		}
		for _, r := range records {
			if after, err = each(r); err != nil {
				return err
			}
		}
		if len(records) < directory.MaxPage {
			return nil
		}
	}
}

// exporter reads the contents of the channels of a guild.
type exporter struct {
	store.Reader

	left int // messages
}

func (e *exporter) guild(g *world.Guild) error {
	for i := range g.Channels {
		if err := e.channel(&g.Channels[i]); err != nil {
			return fmt.Errorf("channel %s: %w", g.Channels[i].ID, err)
		}
	}
	if err := e.emojis(g); err != nil {
		return err
	}
	return e.scheduledEvents(g)
}

func (e *exporter) channel(c *world.Channel) (err error) {
	const incoming = 1
	hooks, err := e.Webhooks.OfChannel(c.ID)
	if err != nil {
		return err
	}
	for _, h := range hooks {
		if h.Type == incoming {
			c.Webhooks = append(c.Webhooks, world.Webhook{ID: h.ID, Name: h.Name, Creator: h.User})
		}
	}
	if c.Messages, err = e.messages(c.ID, c.Webhooks); err != nil {
		return err
	}
	threads, err := e.Threads.Of(c.ID, world.MaxThreads)
	if err != nil {
		return err
	}
	for _, t := range threads {
		h := world.Thread{ID: t.ID, Name: t.Name, Type: t.Type, Owner: t.Owner, Archived: t.Archived, Locked: t.Thread.Locked}
		members, err := e.Threads.Members(t.ID)
		if err != nil {
			return err
		}
		for _, m := range members {
			if m.User != t.Owner {
				h.Members = append(h.Members, m.User)
			}
		}
		if h.Messages, err = e.messages(t.ID, c.Webhooks); err != nil {
			return err
		}
		c.Threads = append(c.Threads, h)
	}
	return nil
}

// messages returns the newest messages of a channel that a world can have, the oldest first.
func (e *exporter) messages(channel snowflake.Channel, hooks []world.Webhook) ([]world.Message, error) {
	const newest = 1<<63 - 1
	records, err := e.Messages.Before(channel, newest, min(MaxExported, e.left))
	if err != nil {
		return nil, err
	}
	var list []world.Message
	for i := range records {
		m, ok, err := exported(&records[i])
		if err != nil {
			return nil, err
		}
		if ok && (m.Webhook == 0 || slices.ContainsFunc(hooks, func(h world.Webhook) bool { return h.ID == m.Webhook })) {
			list = append(list, m)
		}
	}
	e.left -= len(list)
	slices.SortFunc(list, func(a, b world.Message) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

// exported returns a message as a world record. It reports false for a message that a world cannot have.
func exported(r *store.Message) (world.Message, bool, error) {
	if r.Ephemeral || r.Poll != nil || r.Snapshot != nil || !r.Type.Written() {
		return world.Message{}, false, nil
	}
	c, err := message.ParseContent(r.Content)
	if err != nil {
		return world.Message{}, false, err
	}
	m := world.Message{ID: r.ID, Author: r.Author(), Content: c.Text, ReplyTo: r.Reference, Flags: int(c.Flags & settable), Pinned: !r.Pinned.IsZero()}
	if r.Webhook != nil {
		m.Author, m.Webhook = 0, r.Webhook.ID
	}
	v, err := jsonbody.Parse(r.Content)
	if err != nil {
		return world.Message{}, false, err
	}
	m.Embeds, m.Components = world.Definitions(v.Get("embeds")), world.Definitions(v.Get("components"))
	_, err = m.Parse()
	return m, err == nil, nil // a message with only files is empty without them
}

// settable are the flags that a request can set.
const settable = message.SuppressEmbeds | message.SuppressNotifications | message.IsComponentsV2
