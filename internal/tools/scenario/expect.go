package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Mismatch is an expectation that does not hold.
type Mismatch struct {
	What string // such as content, or at.embeds.0.title
	Want string
	Got  string
}

// ephemeralFlag is the flag of messages that one user sees.
const ephemeralFlag = 1 << 6

// mismatches collects expectations that do not hold.
type mismatches []Mismatch

func (ms *mismatches) match(what string, m *Matcher, got jsonbody.Value) {
	if m == nil {
		return
	}
	for _, want := range m.check(got) {
		*ms = append(*ms, Mismatch{what, want, shown(got)})
	}
}

func (ms *mismatches) add(what, want, got string) { *ms = append(*ms, Mismatch{what, want, got}) }

// expectations returns the expectations of a step that do not hold.
func (x *execution) expectations(ctx context.Context, s *Step, got answer) []Mismatch {
	e := s.Expect
	if e == nil {
		e = &Expect{}
	}
	var ms mismatches
	ms.refusal(e, got)
	if len(ms) > 0 || got.refused != nil {
		return ms
	}
	ms.match("status", e.Status, jsonbody.IntOf(got.status))
	if s.interacts() {
		ms.outcome(e, got)
	}
	if s.action() != "" && !s.expectsMessage() && e.In == "" {
		ms.answer(e, got)
	}
	if len(ms) > 0 {
		return ms
	}
	return x.eventually(ctx, func() mismatches { return x.later(ctx, s, e) })
}

// eventually calls check until it finds nothing wrong, or the time of a step is over.
func (x *execution) eventually(ctx context.Context, check func() mismatches) []Mismatch {
	end := x.clock.Now().Add(x.file.timeout())
	for {
		wrong := check()
		if len(wrong) == 0 || x.clock.Now().After(end) || ctx.Err() != nil {
			return wrong
		}
		clock.Pause(ctx, lookEvery)
	}
}

// refusal checks whether the action was to be refused, and why.
func (ms *mismatches) refusal(e *Expect, got answer) {
	r := got.refused
	switch {
	case e.Refused == nil && r == nil:
	case e.Refused == nil && e.Status != nil:
		ms.match("status", e.Status, jsonbody.IntOf(got.status))
		for _, path := range slices.Sorted(maps.Keys(e.At)) {
			m := e.At[path]
			ms.match("at."+path, &m, valueAt(got.subject, path))
		}
	case e.Refused == nil:
		ms.add("the action", "succeeds", "refused with status "+strconv.Itoa(got.status)+": "+r.message)
	case r == nil:
		ms.add("the action", "refused", "succeeds")
	default:
		if want := e.Refused.Reason; want != "" && !slices.ContainsFunc(r.reasons, func(s string) bool { return plainReason(s) == plainReason(want) }) {
			ms.add("refused.reason", want, strings.Join(r.reasons, ", ")+": "+r.message)
		}
		ms.match("refused.status", e.Refused.Status, jsonbody.IntOf(got.status))
		ms.match("refused.message", e.Refused.Message, jsonbody.StringOf(r.message))
	}
}

// plainReason makes reasons comparable: "denied by default" and denied_by_default are the same.
func plainReason(s string) string {
	return strings.ToLower(strings.NewReplacer(" ", "_", "-", "_").Replace(s))
}

// outcome checks how an interaction ended.
func (ms *mismatches) outcome(e *Expect, got answer) {
	result := got.body.Get("outcome").Text()
	reason := got.body.Get("reason").Text()
	switch {
	case e.Outcome != "":
		if e.Outcome != result {
			ms.add("outcome", e.Outcome, strings.TrimSuffix(result+": "+reason, ": "))
		}
	case e.Failed != nil:
		if result != "failed" {
			ms.add("outcome", "failed", result)
		}
	case result == "failed":
		ms.add("outcome", "an answer", "failed: "+reason)
	}
	if e.Failed != nil {
		ms.match("failed", e.Failed, jsonbody.StringOf(reason))
	}
	if e.Update != nil {
		kind := got.body.Get("response").Get("type").Text()
		if isUpdate := kind == "6" || kind == "7"; isUpdate != *e.Update {
			ms.add("update", strconv.FormatBool(*e.Update), strconv.FormatBool(isUpdate))
		}
	}
	if took, err := strconv.ParseFloat(got.body.Get("timings_ms").Get("answered").Text(), 64); e.Within > 0 && err == nil {
		if limit := time.Duration(e.Within); took > limit.Seconds()*1000 {
			ms.add("within", limit.String(), fmt.Sprintf("%.0f ms", took))
		}
	}
}

// answer checks the message, the form or the suggestions.
func (ms *mismatches) answer(e *Expect, got answer) {
	ms.match("content", e.Content, got.subject.Get("content"))
	if e.Ephemeral != nil {
		flags, err := strconv.Atoi(got.subject.Get("flags").Text())
		if is := err == nil && flags&ephemeralFlag != 0; is != *e.Ephemeral {
			ms.add("ephemeral", strconv.FormatBool(*e.Ephemeral), strconv.FormatBool(is))
		}
	}
	ms.match("form", e.Form, got.body.Get("modal").Get("title"))
	if e.Choices != nil {
		var names []jsonbody.Value
		for _, c := range got.body.Get("choices").Items() {
			names = append(names, c.Get("name"))
		}
		ms.match("choices", e.Choices, jsonbody.ListOf(names...))
	}
	for _, path := range slices.Sorted(maps.Keys(e.At)) {
		m := e.At[path]
		ms.match("at."+path, &m, valueAt(got.subject, path))
	}
}

// later checks what may take a moment: the messages of the channel and the requests of the app.
func (x *execution) later(ctx context.Context, s *Step, e *Expect) (ms mismatches) {
	if s.expectsMessage() || s.looksAtApp() {
		ms = x.appDid(ctx, s, e)
	}
	if s.seesChannel() || s.action() == "" && (e.Content != nil || e.At != nil || e.Ephemeral != nil) {
		one, err := x.currentUser(ctx)
		if err != nil {
			ms.add("messages", "a user who sees them", err.Error())
			return ms
		}
		seen := one.Seen(x.in)
		ms.match("messages", e.Messages, jsonbody.IntOf(len(seen)))
		var newest jsonbody.Value
		if len(seen) > 0 {
			newest = seen[len(seen)-1]
		}
		if s.action() == "" && e.In == "" {
			ms.answer(e, answer{subject: newest})
		}
		for _, path := range slices.Sorted(maps.Keys(e.Last)) {
			m := e.Last[path]
			ms.match("last."+path, &m, valueAt(newest, path))
		}
	}
	if e.App == nil {
		return ms
	}
	counts, err := x.traffic(ctx)
	if err != nil {
		ms.add("app", "its requests", err.Error())
		return ms
	}
	ms.match("app.requests", e.App.Requests, jsonbody.IntOf(counts["requests"]))
	ms.match("app.rate_limited", e.App.RateLimited, jsonbody.IntOf(counts["rate_limited"]))
	ms.match("app.wrong_answers", e.App.WrongAnswers, jsonbody.IntOf(counts["wrong_answers"]))
	ms.match("app.double_answers", e.App.DoubleAnswers, jsonbody.IntOf(counts["double_answers"]))
	return ms
}
