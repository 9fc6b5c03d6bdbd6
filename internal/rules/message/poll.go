package message

import (
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
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

// printPoll writes a poll as messages show it: with the time of its end instead of its duration.
func printPoll(p *wire.Printer, poll jsonbody.Value, from time.Time) {
	hours := defaultPollHours
	if v := poll.Get("duration"); v.IsSet() {
		if f, err := strconv.ParseFloat(v.Text(), 64); err == nil {
			hours = int(f)
		}
	}
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
	p.Time(`],"expiry":`, from.Add(time.Duration(hours)*time.Hour))
	p.Bool(`,"allow_multiselect":`, jsonbody.IsTrue(poll, "allow_multiselect"))
	p.Raw(`,"layout_type":1,"results":{"is_finalized":false,"answer_counts":[]}}`)
}
