package session

// privateEvents counts the private sends of a session. A private send is a group of events that only this session gets,
// such as GUILD_MEMBERS_CHUNK or RESUMED. They are not in the event history, so another node cannot count them.
type privateEvents struct {
	begun uint64 // sends that have begun
	done  uint64 // the value of begun when no send was in progress
	open  int    // sends in progress
}

// restoredPrivate returns the counts of a session whose last private send, the resume itself, is in progress.
func restoredPrivate(begun uint64) privateEvents {
	return privateEvents{begun: begun, done: begun - 1, open: 1}
}

// BeginPrivate counts the beginning of a private send and returns the number of private sends so far.
func (s *Session) BeginPrivate() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.private.begun++
	s.private.open++
	return s.private.begun
}

// EndPrivate counts the end of a private send.
func (s *Session) EndPrivate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.private.open--; s.private.open == 0 {
		s.private.done = s.private.begun
	}
}

// CountPrivate counts a complete private send.
func (s *Session) CountPrivate() {
	s.BeginPrivate()
	s.EndPrivate()
}
