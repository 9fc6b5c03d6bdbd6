package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json"
)

// Target is a service with dev controls. All fields are required unless noted.
type Target struct {
	URL   string // of the service, without the path of the API
	Wait  string // answer: for the first answer of the app; final: also for the result of a deferred answer
	HTTP  *http.Client
	Clock clock.Clock
	// Watcher measures when apps see the messages of people. It may be nil.
	Watcher *Watcher
}

// NewTarget returns a target with a client that keeps as many connections as a plan can have invocations in progress.
func NewTarget(url, wait string, p Plan, now clock.Clock) *Target {
	count := max(p.InFlight, p.Concurrency)
	return &Target{URL: url, Wait: wait, Clock: now, HTTP: &http.Client{Transport: &http.Transport{
		MaxIdleConns: count, MaxIdleConnsPerHost: count, DisableCompression: true,
	}}}
}

// Test runs a plan against a service with dev controls. Progress and CPU may be nil: see Runner.
type Test struct {
	Service  string // its URL, without the path of the API
	Wait     string // see Target
	Plan     Plan   // completed
	Clock    clock.Clock
	Progress func(Progress)
	CPU      func() time.Duration
}

// seenWithin bounds how long the end of a run waits until apps have seen the messages.
const seenWithin = 2 * time.Second

// Run uses the commands and writes the messages of the plan. If there are messages, it also measures when apps see them.
func (l Test) Run(ctx context.Context) (report *Report, err error) {
	target := NewTarget(l.Service, l.Wait, l.Plan, l.Clock)
	defer target.HTTP.CloseIdleConnections()
	if l.Plan.Says() {
		if target.Watcher, err = Watch(ctx, target); err != nil {
			return nil, err
		}
	}
	report = (&Runner{Plan: l.Plan, Clock: l.Clock, Send: target.Send, Progress: l.Progress, CPU: l.CPU}).Run(ctx)
	report.Generator.Processors = runtime.NumCPU()
	if target.Watcher != nil {
		seen := target.Watcher.Close(ctx, seenWithin)
		report.Seen = &seen
	}
	return report, nil
}

// maxOutcome bounds the response to an invocation in bytes.
const maxOutcome = 16 << 20

// use is the request for a command.
type use struct {
	As      string `json:"as"`
	In      string `json:"in"`
	Command string `json:"command"`
	Wait    string `json:"wait"`
}

// message is the request for a message.
type message struct {
	As      string `json:"as"`
	In      string `json:"in"`
	Content string `json:"content"`
}

// Send uses a command and waits for the answer of the app, or writes a message. When a rate limit refuses it, it waits and tries
// again.
func (t *Target) Send(ctx context.Context, in Invocation) Outcome {
	path, request := "/_dev/invoke", any(use{in.As, in.In, in.Line, t.Wait})
	if in.Say {
		path, request = "/_dev/say", message{in.As, in.In, in.Line}
	}
	body, err := json.Marshal(request)
	if err != nil {
		return Outcome{Failure: err.Error()}
	}
	var out Outcome
	for {
		began := t.Clock.Now()
		status, header, answer, err := t.post(ctx, path, body)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			out.Failure = "timeout: no answer within the time limit"
			return out
		case err != nil:
			out.Failure = "no connection: " + connectionError(err)
			return out
		case status == http.StatusTooManyRequests:
			wait := retryAfter(header)
			out.Waits++
			out.Waited += wait
			clock.Wait(ctx, t.Clock, wait)
		case in.Say:
			out.Answer, out.Failure = t.readMessage(status, answer, began)
			return out
		default:
			out.Answer, out.Failure = readOutcome(status, answer)
			return out
		}
	}
}

func (t *Target) post(ctx context.Context, path string, body []byte) (status int, header http.Header, answer []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := t.HTTP.Do(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, maxOutcome))
	return resp.StatusCode, resp.Header, answer, err
}

// connectionError returns the cause of an error of an HTTP client, without addresses and ports that differ each time.
func connectionError(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// retryAfter returns how long a response asks to wait.
func retryAfter(header http.Header) time.Duration {
	for _, name := range []string{"X-RateLimit-Reset-After", "Retry-After"} {
		if seconds, err := strconv.ParseFloat(header.Get(name), 64); err == nil && seconds > 0 && seconds < maxLatency.Seconds() {
			return time.Duration(seconds * float64(time.Second))
		}
	}
	return time.Second
}

// requestNumber matches the number of a recorded request, which differs in each reason.
var requestNumber = regexp.MustCompile(` \(request \d+\)$`)

// readOutcome returns the type of an answer, or why the invocation failed.
func readOutcome(status int, body []byte) (answer, failure string) {
	if status >= http.StatusMultipleChoices {
		return "", refusal(status, body)
	}
	var out struct {
		Outcome  *string `json:"outcome"`
		Reason   string  `json:"reason"`
		Response struct {
			Type interaction.CallbackType `json:"type"`
		} `json:"response"`
	}
	if err := json.Unmarshal(body, &out); err != nil {
		return "", "the response of the service is not the outcome of an invocation"
	}
	switch {
	case out.Outcome == nil:
		return "sent", ""
	case *out.Outcome == "failed":
		return "", "failed: " + requestNumber.ReplaceAllString(out.Reason, "")
	}
	return answerName(out.Response.Type), ""
}

// answerName returns the name of a type of answers.
func answerName(t interaction.CallbackType) string {
	switch t {
	case interaction.ChannelMessage:
		return "message"
	case interaction.DeferredChannelMessage:
		return "deferred message"
	case interaction.OpenModal:
		return "modal"
	case interaction.LaunchActivity:
		return "activity"
	default:
		return "type " + strconv.Itoa(int(t))
	}
}

// readMessage returns how a message was taken, or why it was refused.
func (t *Target) readMessage(status int, body []byte, began time.Time) (answer, failure string) {
	if status >= http.StatusMultipleChoices {
		return "", refusal(status, body)
	}
	v, err := jsonbody.Parse(body)
	id := v.Get("message").Get("id").Text()
	if err != nil || id == "" {
		return "", "the response of the service is not a message"
	}
	if t.Watcher != nil {
		t.Watcher.wrote(id, began)
	}
	return "written", ""
}

// refusal describes a response with an error status.
func refusal(status int, body []byte) string {
	v, err := jsonbody.Parse(body)
	if err != nil || v.Get("message").Text() == "" {
		return fmt.Sprintf("status %d", status)
	}
	text := v.Get("message").Text()
	if inner := firstError(v.Get("errors")); inner != "" {
		text = inner
	}
	return fmt.Sprintf("refused: %s (%d, code %s)", text, status, v.Get("code").Text())
}

// firstError returns the first message of an error tree.
func firstError(tree jsonbody.Value) string {
	for _, m := range tree.Members() {
		if m.Name == "_errors" {
			if items := m.Value.Items(); len(items) > 0 {
				return items[0].Get("message").Text()
			}
			continue
		}
		if text := firstError(m.Value); text != "" {
			return m.Name + ": " + text
		}
	}
	return ""
}
