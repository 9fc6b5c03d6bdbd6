package session

import (
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// IsIn reports whether a session is in a guild.
func (x *Index) IsIn(s *Session, guild snowflake.Guild) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, there := s.guilds[guild]
	return there
}

// HasBotIn reports whether a bot with an intent has a session in a guild.
func (x *Index) HasBotIn(guild snowflake.Guild, intent uint32) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for s := range x.guilds[guild] {
		if s.Kind == Bot && s.Intents&intent != 0 {
			return true
		}
	}
	return false
}

// AddGuilds adds a new session to the guilds that were read for it, except those that it has left since.
func (x *Index) AddGuilds(s *Session, guilds []snowflake.Guild) []snowflake.Guild {
	x.mu.Lock()
	defer x.mu.Unlock()
	kept := guilds[:0]
	for _, guild := range guilds {
		if _, left := s.left[guild]; !left {
			x.joinGuild(s, guild)
			kept = append(kept, guild)
		}
	}
	s.left = nil
	return kept
}

// JoinGuild adds the sessions of a user or bot to a guild and returns those that were not in it.
func (x *Index) JoinGuild(user snowflake.User, guild snowflake.Guild) (joined []*Session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.sessionsOf(user) {
		if (s.Kind != Bot || s.Shard.Owns(guild)) && x.joinGuild(s, guild) {
			joined = append(joined, s)
		}
	}
	return joined
}

// LeaveGuild removes the sessions of a user or bot from a guild and returns those that were in it.
func (x *Index) LeaveGuild(user snowflake.User, guild snowflake.Guild) (left []*Session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.sessionsOf(user) {
		if x.leaveGuild(s, guild) {
			left = append(left, s)
		}
	}
	return left
}

// RemoveGuild removes all sessions from a deleted guild.
func (x *Index) RemoveGuild(guild snowflake.Guild) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for s := range x.guilds[guild] {
		x.leaveGuild(s, guild)
	}
}

// AddToGuild adds one session to a guild.
func (x *Index) AddToGuild(s *Session, guild snowflake.Guild) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.joinGuild(s, guild)
}

// KeepOnlyGuilds removes one session from all guilds except the given ones and returns the guilds it was removed from.
func (x *Index) KeepOnlyGuilds(s *Session, guilds []snowflake.Guild) (left []snowflake.Guild) {
	keep := make(map[snowflake.Guild]struct{}, len(guilds))
	for _, guild := range guilds {
		keep[guild] = struct{}{}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for guild := range s.guilds {
		if _, stays := keep[guild]; !stays {
			x.leaveGuild(s, guild)
			left = append(left, guild)
		}
	}
	return left
}

// joinGuild adds a session to a guild and reports whether it was not in it. The index is locked.
func (x *Index) joinGuild(s *Session, guild snowflake.Guild) bool {
	if _, there := s.guilds[guild]; there || x.sessions[s.Session] != s {
		return false
	}
	if s.guilds == nil {
		s.guilds = make(map[snowflake.Guild]struct{}, 1)
	}
	s.guilds[guild] = struct{}{}
	s.guildChanges++
	x.openGuild(guild, s)
	return true
}

// leaveGuild removes a session from a guild and reports whether it was in it. The index is locked.
func (x *Index) leaveGuild(s *Session, guild snowflake.Guild) bool {
	if s.left != nil {
		s.left[guild] = struct{}{}
	}
	if _, there := s.guilds[guild]; !there {
		return false
	}
	delete(s.guilds, guild)
	s.guildChanges++
	x.closeGuild(guild, s)
	return true
}

// openGuild adds a session to those that get the events of a guild. The index is locked.
func (x *Index) openGuild(guild snowflake.Guild, s *Session) {
	if len(x.guilds[guild]) == 0 && x.Interest != nil {
		x.opened = append(x.opened, guild)
	}
	x.guilds.add(guild, s)
	x.Interest.Add(events.GuildPartition(guild))
}

// closeGuild removes a session from those that get the events of a guild. The index is locked.
func (x *Index) closeGuild(guild snowflake.Guild, s *Session) {
	x.guilds.remove(guild, s)
	x.Interest.Remove(events.GuildPartition(guild))
}

// TakeOpened returns the guilds that got their first session since the last call. What this node knows of them may be out of
// date.
func (x *Index) TakeOpened() []snowflake.Guild {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := x.opened
	x.opened = nil
	return list
}

// sessionsOf returns the sessions that follow a user or a bot into guilds. The index is locked.
func (x *Index) sessionsOf(user snowflake.User) []*Session {
	var list []*Session
	for s := range x.bots[snowflake.Application(user)] {
		list = append(list, s)
	}
	for s := range x.people[user] {
		list = append(list, s)
	}
	return list
}
