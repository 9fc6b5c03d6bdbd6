package interaction

import (
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// Status is the status of an interaction.
type Status uint8

// The statuses.
const (
	Pending  Status = iota // waits for the first response
	Answered               // has a response
	Deferred               // the response is deferred
	Closed                 // answered, and no further request is allowed (autocomplete)
	Failed                 // no response in time, or the delivery failed
	Expired                // the token has expired
)

var statuses = [...]string{
	Pending: "pending", Answered: "answered", Deferred: "deferred", Closed: "closed", Failed: "failed", Expired: "expired",
}

// String returns the name of the status.
func (s Status) String() string {
	if int(s) >= len(statuses) {
		return "unknown"
	}
	return statuses[s]
}

// Time limits of an interaction, from its creation.
const (
	Deadline      = 3 * time.Second        // the first response must arrive
	Grace         = 250 * time.Millisecond // additional time to read the first response
	TokenLifetime = 15 * time.Minute
)

// MaxUserFollowUps is the maximum number of follow-ups if only a user install authorizes the interaction.
const MaxUserFollowUps = 5

// Reason tells the invoking user why an interaction failed.
type Reason uint8

// The reasons.
const (
	ReasonUnknown      Reason = 1
	ReasonTimeout      Reason = 2
	ReasonNoPermission Reason = 13 // the user may not launch an Activity
	ReasonNotEmbedded  Reason = 14 // the app has no Activity
)

// State is the state of an interaction. It is immutable: methods return a new State.
type State struct {
	Status    Status
	Created   time.Time
	UserOnly  bool         // only a user install authorizes the interaction
	Answer    CallbackType // type of the first response; 0: there is none yet
	FollowUps int          // number of follow-ups
	Deleted   bool         // the original response was deleted
}

// NewState returns the state of a new interaction. The creation time is part of its id.
func NewState(id snowflake.Interaction, owners Owners) State {
	return State{Created: id.Time(), UserOnly: owners.UserOnly()}
}

// Due returns when the state changes without a request. It reports false if it does not. busy says that a response has
// arrived in time and is being read.
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

// Fail returns the state after the deadline passed, the delivery failed, or the service lost the response.
func (s State) Fail() State {
	if s.Status == Pending {
		s.Status = Failed
	}
	return s
}

// Acknowledge returns the state after the first response. arrived is when it arrived, now when it has been read. The
// error is ErrAcknowledged or ErrUnknownInteraction.
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

// hasOriginal reports whether the first response is a message or updates one.
func (s State) hasOriginal() bool {
	switch s.Answer {
	case ChannelMessage, DeferredChannelMessage, DeferredUpdateMessage, UpdateMessage:
		return !s.Deleted
	default:
		return false
	}
}

// Messages checks that the token can be used to send and edit messages. The error is ErrUnknownWebhook or
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

// Original checks that there is an original response. The error is ErrUnknownWebhook, ErrTokenExpired or
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

// EditOriginal returns the state after an edit of the original response. The edit completes a deferred response.
func (s State) EditOriginal(now time.Time) (State, error) {
	if err := s.Original(now); err != nil {
		return s, err
	}
	s.Status = Answered
	return s, nil
}

// DeleteOriginal returns the state after the deletion of the original response. The token stays valid.
func (s State) DeleteOriginal(now time.Time) (State, error) {
	if err := s.Original(now); err != nil {
		return s, err
	}
	s.Deleted = true
	return s, nil
}

// FollowUp returns the state after a follow-up. fills says that it completes the deferred response instead of creating
// a message. The error is ErrUnknownWebhook, ErrTokenExpired or ErrTooManyFollowUps.
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
