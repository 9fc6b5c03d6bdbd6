package ratelimit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Per says what a limit counts by.
type Per uint8

// What a limit can count by. If a caller lacks it, the caller's identity is counted.
const (
	PerCaller           Per = iota // the identity of the token: an application, a user, or a user through an application
	PerCallerAndGuild              // the same, separately for every guild
	PerCallerAndChannel            // the same, separately for every channel
	PerApplication                 // an application with all its users
	PerUser                        // a user with all applications
	PerInteraction                 // an interaction token
	PerAddress                     // a network address
	PerAddressAndUser              // a network address, separately for every user
	PerChannel                     // a channel with all callers
)

// perNames are the words in a limits file.
var perNames = [...]string{
	PerCaller:           "caller",
	PerCallerAndGuild:   "caller and guild",
	PerCallerAndChannel: "caller and channel",
	PerApplication:      "application",
	PerUser:             "user",
	PerInteraction:      "interaction",
	PerAddress:          "address",
	PerAddressAndUser:   "address and user",
	PerChannel:          "channel",
}

// String returns the word in a limits file.
func (w Per) String() string { return perNames[w] }

// Rule is one limit: at most Limit requests in a Window. The zero Rule is no limit.
type Rule struct {
	Limit  int
	Window time.Duration
	Per    Per
}

// The bounds of a rule. Some client libraries drop the fraction of the time to wait, so windows below a second would
// make them retry too early.
const (
	maxLimit  = 1_000_000_000
	minWindow = time.Second
	maxWindow = 30 * 24 * time.Hour
)

// none is the word for no limit in a limits file.
const none = "none"

// IsZero reports whether r is no limit.
func (r Rule) IsZero() bool { return r.Limit == 0 }

// String returns the rule as in a limits file: "500 per 10s per application".
func (r Rule) String() string {
	if r.IsZero() {
		return none
	}
	return strconv.Itoa(r.Limit) + " per " + shortDuration(r.Window) + " per " + r.Per.String()
}

// shortDuration formats a duration without zero units: 2h instead of 2h0m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// parseRule parses a rule. Without the last part, the rule counts per otherwise.
func parseRule(s string, otherwise Per) (Rule, error) {
	if s == none {
		return Rule{}, nil
	}
	count, rest, ok := strings.Cut(s, " per ")
	if !ok {
		return Rule{}, fmt.Errorf("%q is not a limit such as %q or %q", s, "50 per 10s per user", none)
	}
	window, per, named := strings.Cut(rest, " per ")
	limit, err := parseCount(count)
	if err != nil {
		return Rule{}, err
	}
	length, err := parseWindow(window)
	if err != nil {
		return Rule{}, err
	}
	r := Rule{Limit: limit, Window: length, Per: otherwise}
	if named {
		r.Per, err = parsePer(per)
	}
	return r, err
}

func parseCount(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxLimit {
		return 0, fmt.Errorf("%q is not a count between 1 and %d", s, maxLimit)
	}
	return n, nil
}

func parseWindow(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < minWindow || d > maxWindow {
		return 0, fmt.Errorf("%q is not a time between %s and %s", s, shortDuration(minWindow), shortDuration(maxWindow))
	}
	return d, nil
}

func parsePer(s string) (Per, error) {
	for w, name := range perNames {
		if s == name {
			return Per(w), nil
		}
	}
	return 0, fmt.Errorf("%q cannot be counted; want one of %s", s, strings.Join(perNames[:], ", "))
}
