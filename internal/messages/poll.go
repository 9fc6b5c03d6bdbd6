package messages

import (
	"context"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
)

// openPoll adds the poll of a message to a change, if the message does not have it yet. No one votes in the poll of an
// ephemeral message, and it does not end. name is that of the event about the message.
func (s *Messages) openPoll(c *store.Change, name string, m *store.Message, content message.Content) {
	if !content.Poll.IsSet() || m.Poll != nil {
		return
	}
	from := m.ID.Time()
	if name == Edited { // the poll of a deferred response
		from = s.Clock.Now()
	}
	m.Poll = &store.Poll{Ends: from.Add(message.Poll{Value: content.Poll}.Duration())}
	if !m.Ephemeral {
		c.Put = append(c.Put, store.OpenPoll{Channel: m.Channel, Message: m.ID, Due: m.Poll.Ends})
	}
}

// checkPollEmoji checks whether the author of a message may use the emojis of its poll. A custom emoji that the service does not
// know counts as one of another guild.
func (s *Messages) checkPollEmoji(ctx context.Context, p *directory.Place, c *message.Content) error {
	if !c.Poll.IsSet() || p.Bits().Has(permission.UseExternalEmojis) {
		return nil
	}
	for _, id := range (message.Poll{Value: c.Poll}).CustomEmojis() {
		known, err := s.emoji(ctx, id)
		if err != nil {
			return err
		}
		if !belongsHere(p, &known) {
			return apierror.PollEmoji
		}
	}
	return nil
}

// PutResult ends the poll of a message. It adds the message with the final results to a change, and after it the message that
// announces them. The caller calls Announced for both after the commit.
func (s *Messages) PutResult(ctx context.Context, c *store.Change, m store.Message) (done [2]Announcement, err error) {
	content, err := message.ParseContent(m.Content)
	if err != nil {
		return done, err
	}
	state := *m.Poll
	state.Ended = true
	m.Poll = &state
	c.Delete = append(c.Delete, store.OpenPollKey(m.Channel, m.ID))
	if done[0], err = s.Put(ctx, c, Edited, &m, content, ""); err != nil {
		return done, err
	}
	notice := store.Message{
		Channel: m.Channel, Guild: m.Guild, Type: message.PollResult, User: m.Author(), Application: m.Application, Webhook: m.Webhook,
		Source: &store.Reference{Message: m.ID, Channel: m.Channel},
	}
	if notice.User != 0 {
		notice.Mentions = append(notice.Mentions, notice.User)
	}
	embeds := message.Poll{Value: content.Poll}.ResultEmbed(resultsOf(&m))
	done[1], err = s.PutNew(ctx, c, notice, message.Content{Embeds: embeds})
	return done, err
}

// resultsOf returns the votes for the poll of a message as a reader sees them who did not vote.
func resultsOf(m *store.Message) (r message.Results) {
	if m.Poll == nil {
		return r
	}
	r.Ends, r.Final = m.Poll.Ends, m.Poll.Ended
	for i, n := range m.Poll.Votes {
		if n > 0 {
			r.Counts = append(r.Counts, message.AnswerCount{Answer: i + 1, Votes: n})
		}
	}
	return r
}
