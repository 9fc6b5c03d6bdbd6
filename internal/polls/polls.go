// Package polls counts the votes for the polls of messages, and ends polls. Package messages stores a poll with its message.
package polls

import (
	"context"
	"log/slog"
	"slices"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Names of the events about votes.
const (
	voteAdded   = "MESSAGE_POLL_VOTE_ADD"
	voteRemoved = "MESSAGE_POLL_VOTE_REMOVE"
)

// Sizes of a page of voters.
const (
	DefaultVoters = 25
	MaxVoters     = 100
)

// VotersPage selects users who voted for an answer.
type VotersPage struct {
	After snowflake.User
	Limit int // 1 to MaxVoters
}

// Path names a poll by its message.
type Path struct {
	Channel snowflake.Channel
	Message snowflake.Message
}

// Config contains the dependencies of Polls. All fields are required.
type Config struct {
	Cache    *cache.Cache // of the store
	Clock    clock.Clock
	Messages *messages.Messages
	Log      *slog.Logger
}

// Polls counts votes and ends polls. It is safe for concurrent use.
type Polls struct {
	Config
	*clock.Sweeper // ends polls that are due
}

// New returns the service. It must be called before the first commit.
func New(c Config) *Polls {
	s := &Polls{Config: c}
	due := &store.Sweep[snowflake.Message]{
		Store: c.Cache.Store(), Work: store.PollWork, Now: c.Clock.Now, Log: c.Log, Handle: s.expire, Concurrency: sweepConcurrency,
		List: func(r store.Reader, limit int) ([]store.DueRecord[snowflake.Message], error) {
			return r.Messages.DuePolls(limit)
		},
	}
	s.Sweeper = clock.NewSweeper(c.Clock, c.Log, "polls", due.Run)
	c.Cache.Store().Subscribe(s.committed)
	return s
}

// opened is a poll in a decision.
type opened struct {
	place   *directory.Place
	m       *store.Message
	content message.Content
	poll    message.Poll
}

// open returns a poll. The viewer sees the channel. A message without a poll has no answers.
func (s *Polls) open(ctx context.Context, viewer directory.Viewer, at Path) (o opened, err error) {
	if o.place, o.m, err = s.Messages.Open(ctx, viewer, at.Channel, at.Message); err != nil {
		return o, err
	}
	o.content, err = message.ParseContent(o.m.Content)
	o.poll = message.Poll{Value: o.content.Poll}
	return o, err
}

// checkOpen checks that there is a poll that has not ended.
func (s *Polls) checkOpen(o opened) error {
	p := o.m.Poll
	return o.content.CheckEnd(p != nil && (p.Ended || !s.Clock.Now().Before(p.Ends)))
}

// Vote replaces the votes of a user for a poll by those for the answers that a request names.
func (s *Polls) Vote(ctx context.Context, viewer directory.Viewer, at Path, body jsonbody.Value) error {
	return s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		o, err := s.open(ctx, viewer, at)
		if err != nil {
			return c, err
		}
		if err := o.place.Allow(permission.OpVote, true); err != nil {
			return c, err
		}
		if err := o.place.AllowState(channel.ThreadReact); err != nil {
			return c, err
		}
		if err := s.checkOpen(o); err != nil {
			return c, err
		}
		answers, err := o.poll.ReadVote(body)
		if err != nil {
			return c, err
		}
		before, err := s.votes(ctx, o, viewer.User)
		if err != nil || slices.Equal(before, answers) {
			return c, err
		}
		return c, s.putVotes(ctx, &c, o.m, viewer.User, before, answers)
	})
}

// votes returns the answers that a user voted for, in ascending order.
func (s *Polls) votes(ctx context.Context, o opened, user snowflake.User) (answers []int, err error) {
	err = s.Cache.Store().Read(ctx, func(r store.Reader) error {
		answers = nil
		for i := range o.poll.Answers() {
			voted, err := r.Messages.Voted(o.m.ID, i+1, user)
			if err != nil {
				return err
			}
			if voted {
				answers = append(answers, i+1)
			}
		}
		return nil
	})
	return answers, err
}

// putVotes adds the difference between two votes of a user to a change: first what the user takes back, then what is new.
func (s *Polls) putVotes(
	ctx context.Context, c *store.Change, m *store.Message, user snowflake.User, before, after []int,
) error {
	var list []events.Event
	for _, n := range before {
		if !slices.Contains(after, n) {
			c.Delete = append(c.Delete, store.VoteKey(store.Vote{Channel: m.Channel, Message: m.ID, Answer: n, User: user}))
			count(m.Poll, n, -1)
			list = append(list, events.Event{Name: voteRemoved, Data: voteData(m, user, n)})
		}
	}
	for _, n := range after {
		if !slices.Contains(before, n) {
			c.Put = append(c.Put, store.Vote{Channel: m.Channel, Message: m.ID, Answer: n, User: user})
			count(m.Poll, n, 1)
			list = append(list, events.Event{Name: voteAdded, Data: voteData(m, user, n)})
		}
	}
	return s.Messages.PutState(ctx, c, m, list, events.GuildPolls, events.DirectPolls)
}

// count adds to the number of votes for an answer.
func count(p *store.Poll, answer, add int) {
	for len(p.Votes) < answer {
		p.Votes = append(p.Votes, 0)
	}
	p.Votes[answer-1] = max(p.Votes[answer-1]+add, 0)
}

// voteData returns the data of an event about a vote.
func voteData(m *store.Message, user snowflake.User, answer int) []byte {
	var p wire.Printer
	p.ID(`{"user_id":`, uint64(user))
	p.ID(`,"channel_id":`, uint64(m.Channel))
	p.ID(`,"message_id":`, uint64(m.ID))
	if m.Guild != 0 {
		p.ID(`,"guild_id":`, uint64(m.Guild))
	}
	p.Integer(`,"answer_id":`, int64(answer))
	p.Raw(`}`)
	return p.Out
}

// Voters returns the JSON of the users who voted for an answer, by ascending id. It leaves out users that no longer exist.
func (s *Polls) Voters(ctx context.Context, viewer directory.Viewer, at Path, answer string, page VotersPage) ([]byte, error) {
	o, err := s.open(ctx, viewer, at)
	if err != nil {
		return nil, err
	}
	if err := o.place.Allow(permission.OpListVoters, false); err != nil {
		return nil, err
	}
	n, err := o.poll.ParseAnswer(answer)
	if err != nil {
		return nil, err
	}
	var ids []snowflake.User
	err = s.Cache.Store().Read(ctx, func(r store.Reader) (err error) {
		ids, err = r.Messages.Voters(o.m.ID, n, page.After, page.Limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	users, err := s.Messages.Users(ctx, ids)
	if err != nil {
		return nil, err
	}
	return append(append([]byte(`{"users":`), users...), '}'), nil
}

// End ends a poll of the viewer. It returns the message with the final results as JSON.
func (s *Polls) End(ctx context.Context, viewer directory.Viewer, at Path) (text []byte, err error) {
	var done [2]messages.Announcement
	err = s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		o, err := s.open(ctx, viewer, at)
		if err != nil {
			return c, err
		}
		if err := o.place.Allow(permission.OpEndPoll, o.m.Author() == viewer.User); err != nil {
			return c, err
		}
		if err := s.checkOpen(o); err != nil {
			return c, err
		}
		if done, err = s.Messages.PutResult(ctx, &c, *o.m); err != nil {
			return c, err
		}
		text, err = s.Messages.Render(ctx, done[0].Message, viewer.User)
		return c, err
	})
	if err != nil {
		return nil, err
	}
	s.announced(ctx, done)
	return text, nil
}

// announced is called after the commit of the end of a poll.
func (s *Polls) announced(ctx context.Context, done [2]messages.Announcement) {
	for i := range done {
		if done[i].Message != nil {
			s.Messages.Announced(ctx, &done[i])
		}
	}
}
