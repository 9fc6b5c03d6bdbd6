package ratelimit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Who says whose requests a limit adds up.
type Who uint8

// Who can be counted. A caller that lacks what is asked for is counted as itself, by its token.
const (
	PerCaller         Who = iota // a token's identity: an application, a person, or a person through an application
	PerCallerAndGuild            // the same, apart for every guild
	PerApplication               // an application with all that act through it
	PerUser                      // a person through whatever application
	PerInteraction               // an interaction token
	PerAddress                   // a network address
)

// whoNames are the words of a limits file.
var whoNames = [...]string{
	PerCaller:         "caller",
	PerCallerAndGuild: "caller and guild",
	PerApplication:    "application",
	PerUser:           "user",
	PerInteraction:    "interaction",
	PerAddress:        "address",
}

// String returns the word for w in a limits file.
func (w Who) String() string { return whoNames[w] }

// Rule is one limit: at most Limit requests in a Window. The zero Rule limits nothing.
type Rule struct {
	Limit  int
	Window time.Duration
	Per    Who
}

// The bounds of a rule. Some client libraries drop the fraction of the time they are told to wait, so that a window
// below a second would send them into the next refusal.
const (
	maxLimit  = 1_000_000_000
	minWindow = time.Second
	maxWindow = 30 * 24 * time.Hour
)

// none is the word for no limit in a limits file.
const none = "none"

// IsZero reports whether the rule limits nothing.
func (r Rule) IsZero() bool { return r.Limit == 0 }

// String returns the rule as a limits file writes it: "500 per 10s per application".
func (r Rule) String() string {
	if r.IsZero() {
		return none
	}
	return strconv.Itoa(r.Limit) + " per " + shortDuration(r.Window) + " per " + r.Per.String()
}

// shortDuration leaves out the units that are zero: 2h and not 2h0m0s.
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

// parseRule reads what String writes. Without its last part the rule counts per otherwise.
func parseRule(s string, otherwise Who) (Rule, error) {
	if s == none {
		return Rule{}, nil
	}
	count, rest, ok := strings.Cut(s, " per ")
	if !ok {
		return Rule{}, fmt.Errorf("%q is not a limit such as %q or %q", s, "50 per 10s per user", none)
	}
	window, who, named := strings.Cut(rest, " per ")
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
		r.Per, err = parseWho(who)
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

func parseWho(s string) (Who, error) {
	for w, name := range whoNames {
		if s == name {
			return Who(w), nil
		}
	}
	return 0, fmt.Errorf("%q is not who can be counted; known are %s", s, strings.Join(whoNames[:], ", "))
}
