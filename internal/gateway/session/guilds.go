package session

import "github.com/bellhop/bellhop/snowflake"

// IsIn reports whether a session is in a guild.
func (x *Index) IsIn(s *Session, guild snowflake.Guild) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, there := s.guilds[guild]
	return there
}

// Settle puts a session into the guilds that were read for it, but for those that it has left since.
func (x *Index) Settle(s *Session, guilds []snowflake.Guild) []snowflake.Guild {
	x.mu.Lock()
	defer x.mu.Unlock()
	kept := guilds[:0]
	for _, guild := range guilds {
		if _, left := s.left[guild]; !left {
			x.join(s, guild)
			kept = append(kept, guild)
		}
	}
	s.left = nil
	return kept
}

// Join puts the sessions of a user or bot into a guild, and returns those that were not there.
func (x *Index) Join(user snowflake.User, guild snowflake.Guild) (come []*Session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.of(user) {
		if (s.Kind != Bot || s.Shard.Owns(guild)) && x.join(s, guild) {
			come = append(come, s)
		}
	}
	return come
}

// Quit takes the sessions of a user or bot out of a guild, and returns those that were there.
func (x *Index) Quit(user snowflake.User, guild snowflake.Guild) (gone []*Session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.of(user) {
		if x.quit(s, guild) {
			gone = append(gone, s)
		}
	}
	return gone
}

// Vacate takes everybody out of a guild that is no more.
func (x *Index) Vacate(guild snowflake.Guild) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for s := range x.guilds[guild] {
		x.quit(s, guild)
	}
}

// Enlist puts one session into a guild.
func (x *Index) Enlist(s *Session, guild snowflake.Guild) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.join(s, guild)
}

// LeaveAllBut takes one session out of all guilds but the given ones and returns which those were.
func (x *Index) LeaveAllBut(s *Session, guilds []snowflake.Guild) (left []snowflake.Guild) {
	keep := make(map[snowflake.Guild]struct{}, len(guilds))
	for _, guild := range guilds {
		keep[guild] = struct{}{}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for guild := range s.guilds {
		if _, stays := keep[guild]; !stays {
			x.quit(s, guild)
			left = append(left, guild)
		}
	}
	return left
}

// join puts a session into a guild, and reports whether it was not there. The index is locked.
func (x *Index) join(s *Session, guild snowflake.Guild) bool {
	if _, there := s.guilds[guild]; there || x.sessions[s.Session] != s {
		return false
	}
	if s.guilds == nil {
		s.guilds = make(map[snowflake.Guild]struct{}, 1)
	}
	s.guilds[guild] = struct{}{}
	s.moves++
	x.guilds.add(guild, s)
	return true
}

// quit takes a session out of a guild, and reports whether it was there. The index is locked.
func (x *Index) quit(s *Session, guild snowflake.Guild) bool {
	if s.left != nil {
		s.left[guild] = struct{}{}
	}
	if _, there := s.guilds[guild]; !there {
		return false
	}
	delete(s.guilds, guild)
	s.moves++
	x.guilds.remove(guild, s)
	return true
}

// of returns the sessions that hear what happens to a user or a bot in guilds. The index is locked.
func (x *Index) of(user snowflake.User) []*Session {
	var list []*Session
	for s := range x.bots[snowflake.Application(user)] {
		list = append(list, s)
	}
	for s := range x.people[user] {
		list = append(list, s)
	}
	return list
}
