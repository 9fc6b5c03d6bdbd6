package message

import (
	"slices"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Durations of a poll in hours.
const maxPollHours, defaultPollHours = 768, 24

// readPoll reads the poll of a message.
var readPoll = object(shape{
	{"question", true, object(shape{{"text", true, text(1, 300)}})},
	{"answers", true, list(1, 10, object(shape{
		{"poll_media", true, object(shape{{"text", true, text(1, 55)}, {"emoji", false, pollEmoji}})},
	}))},
	{"duration", false, whole(1, maxPollHours)},
	{"allow_multiselect", false, boolean},
	{"layout_type", false, oneOfInts(1)},
})

// pollEmoji accepts partial emoji. The emoji of a poll always has an id, which is null for standard emoji.
var pollEmoji = filled(emoji, jsonbody.Member{Name: "id", Value: null})

// Poll is the poll of a message: Content.Poll.
type Poll struct{ jsonbody.Value }

// Duration returns how long users can vote.
func (p Poll) Duration() time.Duration {
	hours := defaultPollHours
	if v := p.Get("duration"); v.IsSet() {
		if f, err := strconv.ParseFloat(v.Text(), 64); err == nil {
			hours = int(f)
		}
	}
	return time.Duration(hours) * time.Hour
}

// Multiple reports whether a user can vote for several answers.
func (p Poll) Multiple() bool { return jsonbody.IsTrue(p.Value, "allow_multiselect") }

// Answers returns the number of answers. Their ids are 1, 2, 3 and so on.
func (p Poll) Answers() int { return len(p.Get("answers").Items()) }

// ParseAnswer reads the id of an answer in a path.
func (p Poll) ParseAnswer(text string) (int, error) {
	var t jsonbody.Tree
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > p.Answers() {
		t.At("answer_id").Add(AnswerInvalid, "Unknown answer")
		return 0, t.Err()
	}
	return n, nil
}

// ReadVote reads the answers that a user votes for, in ascending order. An empty list takes the vote back.
func (p Poll) ReadVote(body jsonbody.Value) ([]int, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return nil, t.Err()
	}
	at, v := t.At("answer_ids"), body.Get("answer_ids")
	if !v.IsSet() {
		at.Required()
		return nil, t.Err()
	}
	items, _ := jsonbody.AsList(at, v)
	if !p.Multiple() && len(items) > 1 {
		at.Length(-1, 1)
		return nil, t.Err()
	}
	jsonbody.CheckLength(at, len(items), 0, p.Answers())
	var answers []int
	for i, item := range items[:min(len(items), p.Answers())] {
		n, ok := jsonbody.AsWhole(at.Index(i), item)
		if ok && (n < 1 || n > int64(p.Answers())) {
			at.Index(i).Add(AnswerInvalid, "Unknown answer")
		}
		answers = append(answers, int(n))
	}
	slices.Sort(answers)
	return slices.Compact(answers), t.Err()
}

// CustomEmojis returns the custom emojis of the answers.
func (p Poll) CustomEmojis() []snowflake.Emoji {
	var list []snowflake.Emoji
	for _, a := range p.Get("answers").Items() {
		if v := a.Get("poll_media").Get("emoji").Get("id"); v.IsSet() {
			var t jsonbody.Tree
			id, _ := jsonbody.AsID[snowflake.Emoji](&t, v) // it was read before
			list = append(list, id)
		}
	}
	return list
}

// Results are the votes for a poll.
type Results struct {
	Ends   time.Time // zero: the duration after the message was created
	Final  bool
	Counts []AnswerCount // answers without votes may be missing
}

// AnswerCount is the number of votes for an answer.
type AnswerCount struct {
	Answer int
	Votes  int
	Mine   bool // the reader of the message voted for it
}

// Total returns the number of all votes.
func (r Results) Total() int {
	total := 0
	for _, c := range r.Counts {
		total += c.Votes
	}
	return total
}

// Winner returns the answer with the most votes. It returns false if there are no votes or if several answers have the
// most.
func (r Results) Winner() (AnswerCount, bool) {
	var best AnswerCount
	alone := false
	for _, c := range r.Counts {
		if c.Votes > best.Votes {
			best, alone = c, true
		} else if c.Votes == best.Votes {
			alone = false
		}
	}
	return best, alone
}

// ResultEmbed returns the embeds of the message that announces the results of a poll.
func (p Poll) ResultEmbed(r Results) jsonbody.Value {
	best, alone := r.Winner()
	fields := []jsonbody.Value{
		embedField("poll_question_text", p.Get("question").Get("text").Text()),
		embedField("victor_answer_votes", strconv.Itoa(best.Votes)),
		embedField("total_votes", strconv.Itoa(r.Total())),
	}
	if items := p.Get("answers").Items(); alone && best.Answer >= 1 && best.Answer <= len(items) {
		media := items[best.Answer-1].Get("poll_media")
		fields = append(fields, embedField("victor_answer_id", strconv.Itoa(best.Answer)), embedField("victor_answer_text", media.Get("text").Text()))
		if id := media.Get("emoji").Get("id"); id.IsSet() {
			fields = append(fields, embedField("victor_answer_emoji_id", id.Text()))
		}
		if name := media.Get("emoji").Get("name"); name.IsSet() {
			fields = append(fields, embedField("victor_answer_emoji_name", name.Text()))
		}
	}
	return jsonbody.ListOf(jsonbody.ObjectOf(
		jsonbody.Member{Name: "type", Value: jsonbody.StringOf("poll_result")},
		jsonbody.Member{Name: "fields", Value: jsonbody.ListOf(fields...)},
	))
}

func embedField(name, value string) jsonbody.Value {
	return jsonbody.ObjectOf(
		jsonbody.Member{Name: "name", Value: jsonbody.StringOf(name)},
		jsonbody.Member{Name: "value", Value: jsonbody.StringOf(value)},
		jsonbody.Member{Name: "inline", Value: jsonbody.BoolOf(false)},
	)
}

// CheckEnd checks that a message has a poll that is still open: users can vote, and its author can end it.
func (c Content) CheckEnd(over bool) error {
	switch {
	case !c.Poll.IsSet():
		return apierror.NotAPoll
	case over:
		return apierror.PollExpired
	}
	return nil
}

// printPoll writes a poll as messages show it: with the time of its end instead of its duration.
func printPoll(p *wire.Printer, poll Poll, from time.Time, r Results) {
	p.Raw(`,"poll":{"question":`)
	p.Value(poll.Get("question"))
	p.Raw(`,"answers":[`)
	for i, a := range poll.Get("answers").Items() {
		p.Comma(i > 0)
		p.Integer(`{"answer_id":`, int64(i+1))
		p.Raw(`,"poll_media":`)
		p.Value(a.Get("poll_media"))
		p.Raw(`}`)
	}
	if r.Ends.IsZero() {
		r.Ends = from.Add(poll.Duration())
	}
	p.Time(`],"expiry":`, r.Ends)
	p.Bool(`,"allow_multiselect":`, poll.Multiple())
	p.Bool(`,"layout_type":1,"results":{"is_finalized":`, r.Final)
	p.Raw(`,"answer_counts":[`)
	for i, c := range r.Counts {
		p.Comma(i > 0)
		p.Integer(`{"id":`, int64(c.Answer))
		p.Integer(`,"count":`, int64(c.Votes))
		p.Bool(`,"me_voted":`, c.Mine)
		p.Raw(`}`)
	}
	p.Raw(`]}}`)
}
