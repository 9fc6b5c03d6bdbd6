package session

// asides counts when a session hears what stands in no history: begun those that have begun, done the same when none was
// under way.
type asides struct {
	begun, done uint64
	under       int // way
}

// asidesOf returns the asides of a session that has heard the last but for its end.
func asidesOf(begun uint64) asides { return asides{begun: begun, done: begun - 1, under: 1} }

// BeginAside notes that the session is about to hear something that stands in no history, and returns how often it has.
func (s *Session) BeginAside() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asides.begun++
	s.asides.under++
	return s.asides.begun
}

// EndAside notes that the session has heard it.
func (s *Session) EndAside() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asides.under--; s.asides.under == 0 {
		s.asides.done = s.asides.begun
	}
}

// Aside notes that the session has heard what others cannot count.
func (s *Session) Aside() {
	s.BeginAside()
	s.EndAside()
}
