package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"
)

// use is the cost of one operation, or of a second of it.
type use struct {
	Node     time.Duration `json:"node_cpu_ns"`     // processor time of the node that does it
	Postgres time.Duration `json:"postgres_cpu_ns"` // processor time of PostgreSQL
	Redis    time.Duration `json:"redis_cpu_ns"`    // processor time of Redis
	Commands float64       `json:"redis_commands"`
	Log      float64       `json:"wal_bytes"` // that PostgreSQL writes to its log
}

// plus returns the sum of u and n times v.
func (u use) plus(n float64, v use) use {
	times := func(d time.Duration) time.Duration { return time.Duration(n * float64(d)) }
	return use{u.Node + times(v.Node), u.Postgres + times(v.Postgres), u.Redis + times(v.Redis), u.Commands + n*v.Commands, u.Log + n*v.Log}
}

// positive returns u without what is below zero: the noise of a measurement.
func (u use) positive() use {
	return use{max(u.Node, 0), max(u.Postgres, 0), max(u.Redis, 0), max(u.Commands, 0), max(u.Log, 0)}
}

// costs are the measured figures.
type costs struct {
	Machine  string `json:"machine"`
	Revision string `json:"revision"`
	Date     string `json:"date"`

	Idle       use `json:"idle"`       // a node without clients, per second
	Connect    use `json:"connect"`    // a session that begins and ends
	Session    use `json:"session"`    // an idle session, per second
	Message    use `json:"message"`    // a message in a channel, with its event
	Invocation use `json:"invocation"` // an invocation and its answer over HTTP, with their events
	Foreign    use `json:"foreign"`    // an event, at each other node that has a session for it: read and delivered
	Passed     use `json:"passed"`     // an event, for each other node that has no session for it: only PostgreSQL looks at it
	EventBytes int `json:"event_bytes"`
	// InvocationEvents is the number of events of an invocation.
	InvocationEvents float64 `json:"invocation_events"`
	SessionBytes     int     `json:"session_bytes"` // memory of an idle session
}

// plan is the installation to calculate.
type plan struct {
	Nodes        int
	Sessions     float64
	SessionTime  time.Duration // how long a session lasts
	Active       float64       // share of the sessions that receive events
	Messages     float64       // per second and node
	Invocations  float64       // per second and node
	NodeCores    float64
	PostgresCore float64 // processors of PostgreSQL
	NodeMemory   float64 // bytes
	Network      float64 // bytes per second of PostgreSQL
	Disk         float64 // bytes per second of PostgreSQL's log
	Readers      int     // nodes with sessions for an event, 0 for all. The other nodes do not read it.
}

// load is the share of a resource that an installation needs: 1 is all of it.
type load struct {
	what   string
	share  float64
	engine bool // of PostgreSQL or Redis
}

// sessionBeat is the time between two stores of the progress of a session that receives events.
const sessionBeat = 5 * time.Second

// loads calculates the load of each resource.
func (c *costs) loads(p plan) []load {
	nodes := float64(p.Nodes)
	messages, invocations := nodes*p.Messages, nodes*p.Invocations
	events := messages + invocations*c.InvocationEvents
	others, readers := nodes-1, nodes-1 // nodes other than the one that records an event, and those of them that read it
	if p.Readers > 0 {
		readers = min(float64(p.Readers-1), others)
	}
	reads, passed := events*readers, events*(others-readers)
	command := use{Redis: time.Duration(float64(c.Connect.Redis) / c.Connect.Commands), Commands: 1}
	var sum use
	sum = sum.plus(nodes, c.Idle)
	sum = sum.plus(p.Sessions*p.Active/sessionBeat.Seconds(), command)
	sum = sum.plus(p.Sessions/p.SessionTime.Seconds(), c.Connect)
	sum = sum.plus(p.Sessions, c.Session)
	sum = sum.plus(messages, c.Message)
	sum = sum.plus(invocations, c.Invocation)
	sum = sum.plus(reads, c.Foreign)
	sum = sum.plus(passed, c.Passed)
	return []load{
		{"processors of a node", sum.Node.Seconds() / nodes / p.NodeCores, false},
		{"memory of a node", p.Sessions / nodes * float64(c.SessionBytes) / p.NodeMemory, false},
		{"processors of PostgreSQL", sum.Postgres.Seconds() / p.PostgresCore, true},
		{"network of PostgreSQL", (events + reads) * float64(c.EventBytes) / p.Network, true},
		{"log of PostgreSQL", sum.Log / p.Disk, true},
		{"thread of Redis", sum.Redis.Seconds(), true},
	}
}

// first returns the resource that is used up first.
func first(loads []load) load {
	return slices.MaxFunc(loads, func(a, b load) int { return cmp.Compare(a.share, b.share) })
}

// maxNodes is the largest number of nodes that an id can name.
const maxNodes = 1024

// usedUp returns the smallest number of nodes with which a resource is used up, 0 for none. The number of sessions stays the same.
func (c *costs) usedUp(p plan, what string) int {
	for p.Nodes = 1; p.Nodes <= maxNodes; p.Nodes++ {
		if slices.ContainsFunc(c.loads(p), func(l load) bool { return l.what == what && l.share >= 1 }) {
			return p.Nodes
		}
	}
	return 0
}

// writeLimits prints the number of nodes with which each resource of the engines is used up.
func (c *costs) writeLimits(w io.Writer, p plan) {
	for _, l := range c.loads(p) {
		if !l.engine {
			continue
		}
		limit := fmt.Sprintf("not with %d nodes", maxNodes)
		if n := c.usedUp(p, l.what); n > 0 {
			limit = "with " + strconv.Itoa(n)
		}
		_, _ = fmt.Fprintf(w, "%s used up: %s\n", l.what, limit) // what cannot be printed is lost
	}
}

// write prints the loads of installations, one column for each.
func (c *costs) write(w io.Writer, plans []plan) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, cell func(plan) string) {
		_, _ = fmt.Fprint(t, name) // Flush returns the error
		for _, p := range plans {
			_, _ = fmt.Fprint(t, "\t", cell(p))
		}
		_, _ = fmt.Fprintln(t, "\t")
	}
	row("nodes", func(p plan) string { return strconv.Itoa(p.Nodes) })
	row("sessions of a node", func(p plan) string { return fmt.Sprintf("%.0f", p.Sessions/float64(p.Nodes)) })
	for i, l := range c.loads(plans[0]) {
		row(l.what, func(p plan) string { return fmt.Sprintf("%.1f %%", 100*c.loads(p)[i].share) })
	}
	row("used up first", func(p plan) string { return first(c.loads(p)).what })
	return t.Flush()
}
