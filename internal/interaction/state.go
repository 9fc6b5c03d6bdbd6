package interaction

import (
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// Status is how far an interaction has come.
type Status uint8

// The stages of an interaction.
const (
	Pending  Status = iota // nobody has answered
	Answered               // there is an answer
	Deferred               // there is one that promises more
	Closed                 // answered, and that is all: suggestions
	Failed                 // nobody answered in time, or the delivery failed
	Expired                // the token is too old
)

var statuses = [...]string{
	Pending: "pending", Answered: "answered", Deferred: "deferred", Closed: "closed", Failed: "failed", Expired: "expired",
}

// String returns the word for the status.
func (s Status) String() string {
	if int(s) >= len(statuses) {
		return "unknown"
	}
	return statuses[s]
}

// The clocks of an interaction. Both start when it is created.
const (
	Deadline      = 3 * time.Second // for the first answer to arrive
	Grace         = 250 * time.Millisecond
	TokenLifetime = 15 * time.Minute
)

// MaxUserFollowUps is how many follow-ups an app may send when it is there for a person alone.
const MaxUserFollowUps = 5

// Reason says to whoever invoked an interaction why it failed.
type Reason uint8

// The reasons that occur.
const (
	ReasonUnknown      Reason = 1
	ReasonTimeout      Reason = 2
	ReasonNoPermission Reason = 13 // to launch an Activity
	ReasonNotEmbedded  Reason = 14 // the app has no Activity
)

// State is where an interaction stands. It is a value: whatever happens makes a new one.
type State struct {
	Status    Status
	Created   time.Time
	UserOnly  bool         // the app is there for a person alone
	Answer    CallbackType // the first answer; 0 before it
	FollowUps int          // how many there were
	Deleted   bool         // the original answer was deleted
}

// NewState returns the state of an interaction that was just created. Its id carries the moment.
func NewState(id snowflake.Interaction, owners Owners) State {
	return State{Created: id.Time(), UserOnly: owners.UserOnly()}
}

// Due returns when time alone changes the state, and whether it ever does. busy says that an answer has arrived in time
// and is being read.
func (s State) Due(busy bool) (time.Time, bool) {
	switch s.Status {
	case Pending:
		due := s.Created.Add(Deadline)
		if busy {
			due = due.Add(Grace)
		}
		return due, true
	case Answered, Deferred:
		return s.Created.Add(TokenLifetime), true
	default:
		return time.Time{}, false
	}
}

// At returns the state at a later time.
func (s State) At(now time.Time, busy bool) State {
	due, ok := s.Due(busy)
	if !ok || now.Before(due) {
		return s
	}
	if s.Status == Pending {
		return s.Fail()
	}
	s.Status = Expired
	return s
}

// Fail returns the state after nobody answered, the delivery failed, or the service lost track of the answer.
func (s State) Fail() State {
	if s.Status == Pending {
		s.Status = Failed
	}
	return s
}

// Acknowledge returns the state after the first answer, which arrived at one time and has been read at another. An error
// is ErrAcknowledged or ErrUnknownInteraction.
func (s State) Acknowledge(c CallbackType, arrived, now time.Time) (State, error) {
	s = s.At(arrived, false).At(now, true)
	switch s.Status {
	case Pending:
	case Answered, Deferred, Closed:
		return s, ErrAcknowledged
	default:
		return s, ErrUnknownInteraction
	}
	s.Answer = c
	switch c {
	case DeferredChannelMessage, DeferredUpdateMessage:
		s.Status = Deferred
	case AutocompleteResult:
		s.Status = Closed
	default:
		s.Status = Answered
	}
	return s, nil
}

// hasOriginal reports whether the first answer is, or belongs to, a message.
func (s State) hasOriginal() bool {
	switch s.Answer {
	case ChannelMessage, DeferredChannelMessage, DeferredUpdateMessage, UpdateMessage:
		return !s.Deleted
	default:
		return false
	}
}

// Messages reports whether the routes for messages of the interaction's token are open. An error is ErrUnknownWebhook or
// ErrTokenExpired.
func (s State) Messages(now time.Time) error {
	switch s.At(now, false).Status {
	case Answered, Deferred:
		return nil
	case Expired:
		return ErrTokenExpired
	default:
		return ErrUnknownWebhook
	}
}

// Original reports whether there is an original answer to read. An error is ErrUnknownWebhook, ErrTokenExpired or
// ErrUnknownMessage.
func (s State) Original(now time.Time) error {
	if s.Status == Closed {
		return ErrUnknownMessage
	}
	if err := s.Messages(now); err != nil {
		return err
	}
	if !s.hasOriginal() {
		return ErrUnknownMessage
	}
	return nil
}

// EditOriginal returns the state after the original answer was edited, which fills a deferred one.
func (s State) EditOriginal(now time.Time) (State, error) {
	if err := s.Original(now); err != nil {
		return s, err
	}
	s.Status = Answered
	return s, nil
}

// DeleteOriginal returns the state after the original answer was deleted. The token stays as good as it was.
func (s State) DeleteOriginal(now time.Time) (State, error) {
	if err := s.Original(now); err != nil {
		return s, err
	}
	s.Deleted = true
	return s, nil
}

// FollowUp returns the state after a follow-up, and whether it fills the answer that is loading instead of making a new
// message. An error is ErrUnknownWebhook, ErrTokenExpired or ErrTooManyFollowUps.
func (s State) FollowUp(now time.Time) (next State, fills bool, err error) {
	if err := s.Messages(now); err != nil {
		return s, false, err
	}
	if s.Status == Deferred && s.Answer == DeferredChannelMessage && !s.Deleted {
		s.Status = Answered
		return s, true, nil
	}
	if s.UserOnly && s.FollowUps >= MaxUserFollowUps {
		return s, false, ErrTooManyFollowUps
	}
	s.Status = Answered
	s.FollowUps++
	return s, false, nil
}
