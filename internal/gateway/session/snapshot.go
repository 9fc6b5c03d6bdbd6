package session

import "github.com/bellhop/bellhop/snowflake"

// Snapshot is the state of a session at one moment.
type Snapshot struct {
	Seq          uint64            // sequence number of the last event
	Acked        uint64            // sequence number of the last event that the client has acknowledged
	PrivateBegun uint64            // private sends that have begun
	PrivateDone  uint64            // the same when no send was in progress
	GuildChanges uint64            // number of changes to the list of guilds
	Guilds       []snowflake.Guild // the guilds that the session is in
	Detached     bool              // no client is connected
	Expires      int64             // when a detached session ends, in nanoseconds since 1970
}

// Snapshot returns the state of a session. It returns false for a session that is starting, has ended or was handed
// over. It leaves Guilds out if the caller knows them already, as they were after the given number of changes.
func (x *Index) Snapshot(s *Session, known bool, guildChanges uint64) (Snapshot, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != live {
		return Snapshot{}, false
	}
	now := Snapshot{
		Seq: s.seq, Acked: s.acked, PrivateBegun: s.private.begun, PrivateDone: s.private.done, GuildChanges: s.guildChanges,
		Detached: s.conn == nil, Expires: s.expires,
	}
	if !known || guildChanges != s.guildChanges {
		now.Guilds = s.listGuilds()
	}
	return now, true
}

// listGuilds returns the guilds that the session is in. The index is locked.
func (s *Session) listGuilds() []snowflake.Guild {
	if len(s.guilds) == 0 {
		return nil
	}
	list := make([]snowflake.Guild, 0, len(s.guilds))
	for guild := range s.guilds {
		list = append(list, guild)
	}
	return list
}
