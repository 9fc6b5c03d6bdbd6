package store

import (
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// OpenPoll is a poll that has not ended. The message has the rest.
type OpenPoll struct {
	Channel snowflake.Channel
	Message snowflake.Message
	Due     time.Time // when it ends
}

func (p OpenPoll) subjects() []Subject { return []Subject{MessagesSubject(p.Channel)} }

func (p OpenPoll) write(w *writes) { w.put(pollsTable, key(p.Message), key(p.Channel), micros(p.Due)) }

// OpenPollKey names a poll that has not ended.
func OpenPollKey(channel snowflake.Channel, id snowflake.Message) Key {
	return Key{subs: []Subject{MessagesSubject(channel)}, rows: []rowKey{{pollsTable, []string{"message_id"}, []any{key(id)}}}}
}

// DuePolls returns up to limit polls that have not ended, ordered by Due.
func (q MessageQueries) DuePolls(limit int) ([]DueRecord[snowflake.Message], error) {
	return dueRecords[snowflake.Message](q.reader, "SELECT message_id, due FROM polls WHERE due >= 0 ORDER BY due LIMIT ?", limit)
}

// Vote is the vote of a user for an answer of a poll. The message has the number of votes of each answer.
type Vote struct {
	Channel snowflake.Channel // of the message
	Message snowflake.Message
	Answer  int
	User    snowflake.User
}

func (v Vote) subjects() []Subject { return []Subject{MessagesSubject(v.Channel)} }

func (v Vote) write(w *writes) { w.put(pollVotesTable, key(v.Message), int64(v.Answer), key(v.User)) }

// VoteKey names a vote.
func VoteKey(v Vote) Key {
	return Key{subs: v.subjects(), rows: []rowKey{{
		pollVotesTable, []string{"message_id", "answer", "user_id"}, []any{key(v.Message), int64(v.Answer), key(v.User)},
	}}}
}

// Voted reports whether a user voted for an answer.
func (q MessageQueries) Voted(id snowflake.Message, answer int, user snowflake.User) (bool, error) {
	_, err := q.row(pollVotesTable, key(id), int64(answer), key(user))
	return err == nil, except(err, ErrNotFound)
}

// Voters returns up to limit users with ids above after who voted for an answer.
func (q MessageQueries) Voters(id snowflake.Message, answer int, after snowflake.User, limit int) ([]snowflake.User, error) {
	rows, err := q.rows(pollVotesTable, page{"user_id", key(after), limit}, []string{"message_id", "answer"}, key(id), int64(answer))
	return users(rows, 2), err
}
