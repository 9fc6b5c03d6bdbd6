package guild

import (
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// RuleInvalid is the code of a member that does not fit to the frequency of a recurrence rule.
const RuleInvalid jsonbody.Code = "GUILD_SCHEDULED_EVENT_RECURRENCE_RULE_INVALID"

// The frequencies of recurrence rules.
const (
	yearly  = 0
	monthly = 1
	weekly  = 2
	daily   = 3
)

// dailyWeekdays lists the sets of weekdays of events that take place on several days of a week. 0 is Monday.
var dailyWeekdays = [][]int{{0, 1, 2, 3, 4}, {1, 2, 3, 4, 5}, {0, 1, 2, 3, 6}, {4, 5}, {5, 6}, {0, 6}}

// readRecurrence reads a recurrence rule and returns it as the API shows it.
func readRecurrence(t *jsonbody.Tree, v jsonbody.Value) jsontext.Value {
	v, ok := jsonbody.AsObject(t, v)
	if !ok {
		return nil
	}
	for _, key := range []string{"start", "frequency"} {
		if !v.Get(key).IsSet() {
			t.At(key).Required()
		}
	}
	r := wire.RecurrenceRule{
		Start:      wire.Time(jsonbody.ReadGiven(t, v, "start", jsonbody.Time).Or(time.Time{})),
		Frequency:  jsonbody.ReadGiven(t, v, "frequency", jsonbody.OneOf(yearly, monthly, weekly, daily)).Or(daily),
		Interval:   jsonbody.ReadGiven(t, v, "interval", jsonbody.OneOf(1, 2)).Or(1),
		ByWeekday:  jsonbody.ReadGiven(t, v, "by_weekday", numbers(0, 6)).Or(nil),
		ByNWeekday: jsonbody.ReadGiven(t, v, "by_n_weekday", readNWeekdays).Or(nil),
		ByMonth:    jsonbody.ReadGiven(t, v, "by_month", numbers(1, 12)).Or(nil),
		ByMonthDay: jsonbody.ReadGiven(t, v, "by_month_day", numbers(1, 31)).Or(nil),
	}
	if !t.Failed() {
		checkRecurrence(t, &r)
	}
	text, err := json.Marshal(r, json.FormatNilSliceAsNull(true))
	if err != nil {
		return nil // it has only times and numbers
	}
	return text
}

// checkRecurrence applies the rules about the members that each frequency can have.
func checkRecurrence(t *jsonbody.Tree, r *wire.RecurrenceRule) {
	for _, row := range []struct {
		key  string
		ok   bool
		text string
	}{
		{"interval", r.Interval == 1 || r.Frequency == weekly, "Only weekly events have an interval other than 1"},
		{"by_weekday", r.ByWeekday == nil || r.Frequency == weekly || r.Frequency == daily, "Only daily and weekly events have weekdays"},
		{"by_weekday", r.Frequency != weekly || len(r.ByWeekday) <= 1, "A weekly event has one weekday"},
		{"by_weekday", r.Frequency != daily || r.ByWeekday == nil || isDailySet(r.ByWeekday), "Not a set of weekdays that daily events can have"},
		{"by_n_weekday", r.ByNWeekday == nil || r.Frequency == monthly, "Only monthly events have a weekday of the month"},
		{"by_n_weekday", len(r.ByNWeekday) <= 1, "A monthly event has one weekday of the month"},
		{"by_month", r.ByMonth == nil || r.Frequency == yearly, "Only yearly events have a month"},
		{"by_month_day", r.ByMonthDay == nil || r.Frequency == yearly, "Only yearly events have a day of a month"},
		{"by_month", len(r.ByMonth) == len(r.ByMonthDay) && len(r.ByMonth) <= 1, "A yearly event has one month with one day"},
	} {
		if !row.ok {
			t.At(row.key).Add(RuleInvalid, row.text)
		}
	}
}

func isDailySet(days []int) bool {
	days = slices.Clone(days)
	slices.Sort(days)
	return slices.ContainsFunc(dailyWeekdays, func(set []int) bool { return slices.Equal(set, days) })
}

// maxNumbers is the largest number of items in a list of a recurrence rule.
const maxNumbers = 33

// numbers returns a reader of lists of integers from low to high, each once.
func numbers(low, high int64) jsonbody.Reader[[]int] {
	return func(t *jsonbody.Tree, v jsonbody.Value) []int {
		items, ok := jsonbody.AsItems(t, v, maxNumbers)
		if !ok {
			return nil
		}
		jsonbody.CheckLength(t, len(items), 1, maxNumbers)
		list := make([]int, 0, len(items))
		for i, item := range items {
			if n, ok := jsonbody.AsInt(t.Index(i), item, low, high); ok && !slices.Contains(list, int(n)) {
				list = append(list, int(n))
			}
		}
		return list
	}
}

// readNWeekdays reads a list of weekdays of a month.
func readNWeekdays(t *jsonbody.Tree, v jsonbody.Value) []wire.NWeekday {
	items, ok := jsonbody.AsItems(t, v, maxNumbers)
	if !ok {
		return nil
	}
	jsonbody.CheckLength(t, len(items), 1, maxNumbers)
	list := make([]wire.NWeekday, len(items))
	for i, item := range items {
		item, _ = jsonbody.AsObject(t.Index(i), item)
		for _, m := range []struct {
			key       string
			low, high int64
			n         *int
		}{{"n", 1, 5, &list[i].N}, {"day", 0, 6, &list[i].Day}} {
			if !item.Get(m.key).IsSet() {
				t.Index(i).At(m.key).Required()
			}
			*m.n = int(jsonbody.ReadInt(t.Index(i), item, m.key, m.low, m.high))
		}
	}
	return list
}
