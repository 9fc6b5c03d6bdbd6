package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/rueidis"
	"golang.org/x/sync/errgroup"
)

const (
	// history is how many events are kept, roughly, for nodes that were away; outbox how many wait while Redis is away.
	history = 1 << 17
	outbox  = 1 << 14
	// together is how many events are sent or read at once, blockTime how long a read waits for the first.
	together  = 256
	blockTime = time.Second
)

// Relay carries events between nodes: what one of them publishes every one hears, all in the same order. While Redis is
// away events wait; when more wait than there is room for, or Redis comes back without its history, those who listen are
// told that they have missed some.
type Relay struct {
	Client *Client
	// Bus hears every event, also those of this node. Its Outward is set to Publish.
	Bus *events.Bus

	mu      sync.Mutex
	waiting []events.Event
	dropped bool // some did not fit into waiting
	wake    chan struct{}
	last    string        // of the events that were heard
	begun   chan struct{} // closed when the first can be

	lost prometheus.Counter
}

// NewRelay returns a relay that takes events of a bus from now on.
func NewRelay(c *Client, bus *events.Bus) *Relay {
	r := &Relay{Client: c, Bus: bus, wake: make(chan struct{}, 1), begun: make(chan struct{}), lost: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "bellhop_events_lost_total", Help: "How often events between nodes were lost, so that gateway sessions had to begin anew.",
	})}
	bus.Outward = r.Publish
	return r
}

// Collectors returns the relay's numbers for the registry.
func (r *Relay) Collectors() []prometheus.Collector {
	return []prometheus.Collector{r.lost, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "bellhop_events_waiting", Help: "Events that wait for Redis.",
	}, func() float64 {
		r.mu.Lock()
		defer r.mu.Unlock()
		return float64(len(r.waiting))
	})}
}

// Begun returns what is closed once this node hears what others publish.
func (r *Relay) Begun() <-chan struct{} { return r.begun }

// Publish takes an event that is to be heard everywhere. It does not wait.
func (r *Relay) Publish(e events.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) >= outbox {
		r.dropped = true
		return
	}
	r.waiting = append(r.waiting, e)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Run carries events until ctx ends.
func (r *Relay) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		r.send(ctx)
		return nil
	})
	g.Go(func() error {
		r.hear(ctx)
		return nil
	})
	return g.Wait()
}

func (r *Relay) stream() string { return r.Client.prefix + ":events" }

// send hands what waits to Redis.
func (r *Relay) send(ctx context.Context) {
	for ctx.Err() == nil {
		batch, dropped := r.next()
		if len(batch) == 0 && !dropped {
			select {
			case <-r.wake:
			case <-ctx.Done():
			}
			continue
		}
		sent, err := r.add(ctx, batch, dropped)
		r.mu.Lock()
		r.waiting = r.waiting[sent:]
		if err == nil && dropped {
			r.dropped = false
		}
		r.mu.Unlock()
		if err != nil {
			clock.Wait(ctx, clock.System{}, retry)
		}
	}
}

// next returns what is to be sent next, and whether those who listen have to be told that some was lost before it.
func (r *Relay) next() ([]events.Event, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting[:min(len(r.waiting), together)], r.dropped
}

// add appends events to the history and returns how many were.
func (r *Relay) add(ctx context.Context, batch []events.Event, dropped bool) (int, error) {
	client, err := r.Client.reach()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	absent, err := r.absent(ctx, client, batch)
	if err != nil {
		return 0, err
	}
	cmds := make(rueidis.Commands, 0, len(batch)+1)
	for i := range batch {
		e := batch[i]
		if absent[e.To.Session] {
			e.To.Session = ""
		}
		fields, err := write(&e)
		if err != nil {
			return 0, err
		}
		cmds = append(cmds, client.B().Xadd().Key(r.stream()).Maxlen().Almost().Threshold(strconv.Itoa(history)).Id("*").
			FieldValue().FieldValue("h", fields[0]).FieldValue("d", fields[1]).FieldValue("r", fields[2]).Build())
	}
	if dropped {
		cmds = append(cmds, client.B().Xadd().Key(r.stream()).Id("*").FieldValue().FieldValue("lost", "1").Build())
	}
	for i, answer := range client.DoMulti(ctx, cmds...) {
		if err := answer.Error(); err != nil {
			return min(i, len(batch)), err
		}
	}
	return len(batch), nil
}

// absent returns the sessions that events are for and that no node has.
func (r *Relay) absent(ctx context.Context, client rueidis.Client, batch []events.Event) (map[string]bool, error) {
	var ids []string
	var cmds rueidis.Commands
	for i := range batch {
		if id := batch[i].To.Session; id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
			cmds = append(cmds, client.B().Exists().Key(r.Client.sessionKey(id)).Build())
		}
	}
	if len(ids) == 0 {
		return nil, nil //nolint:nilnil // no session is absent
	}
	absent := map[string]bool{}
	for i, answer := range client.DoMulti(ctx, cmds...) {
		n, err := answer.AsInt64()
		if err != nil {
			return nil, err
		}
		absent[ids[i]] = n == 0
	}
	return absent, nil
}

// header is what an event consists of beside its texts.
type header struct {
	Name   string                  `json:"n,omitzero"`
	Full   []snowflake.Application `json:"f,omitzero"`
	To     events.Audience         `json:"t"`
	Change *events.Change          `json:"c,omitzero"`
	Bare   bool                    `json:"b,omitzero"` // there is no reduced form
}

func write(e *events.Event) ([3]string, error) {
	h, err := json.Marshal(header{Name: e.Name, Full: e.Full, To: e.To, Change: e.Change, Bare: e.Reduced == nil}, json.OmitZeroStructFields(true))
	return [3]string{rueidis.BinaryString(h), rueidis.BinaryString(e.Data), rueidis.BinaryString(e.Reduced)}, err
}

// errLost says that events are missing at some place in the history.
var errLost = errors.New("events were lost")

func read(entry rueidis.XRangeEntry) (events.Event, error) {
	if entry.FieldValues["lost"] != "" {
		return events.Event{}, errLost
	}
	at, err := position(entry.ID)
	if err != nil {
		return events.Event{}, err
	}
	var h header
	if err := json.Unmarshal([]byte(entry.FieldValues["h"]), &h); err != nil {
		return events.Event{}, fmt.Errorf("read event %s: %w", entry.ID, err)
	}
	e := events.Event{Name: h.Name, Full: h.Full, To: h.To, Change: h.Change, Data: []byte(entry.FieldValues["d"]), Position: at}
	if !h.Bare {
		e.Reduced = []byte(entry.FieldValues["r"])
	}
	return e, nil
}

// position reads the name of an entry, and place writes it.
func position(id string) (events.Position, error) {
	ms, n, _ := strings.Cut(id, "-")
	at, err := strconv.ParseUint(ms, 10, 64)
	if err != nil {
		return events.Position{}, fmt.Errorf("read the place of an event: %w", err)
	}
	count, err := strconv.ParseUint(n, 10, 64)
	if err != nil {
		return events.Position{}, fmt.Errorf("read the place of an event: %w", err)
	}
	return events.Position{Time: at, Count: count}, nil
}

func place(p events.Position) string {
	return strconv.FormatUint(p.Time, 10) + "-" + strconv.FormatUint(p.Count, 10)
}

// After returns the next events behind a position, in order. It fails when the position is no longer in the history, or
// events were lost behind it.
func (r *Relay) After(ctx context.Context, p events.Position) ([]events.Event, error) {
	client, err := r.Client.reach()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	found, err := client.Do(ctx, client.B().Xrange().Key(r.stream()).Start(place(p)).End("+").Count(together+1).Build()).AsXRange()
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || found[0].ID != place(p) {
		return nil, errTrimmed
	}
	list := make([]events.Event, 0, len(found)-1)
	for _, entry := range found[1:] {
		e, err := read(entry)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// errTrimmed says that a place in the history is there no longer.
var errTrimmed = errors.New("the history does not reach back that far")

// hear gives everything that is added to the history to the bus.
func (r *Relay) hear(ctx context.Context) {
	for ctx.Err() == nil {
		err := r.begin(ctx)
		if errors.Is(err, errAway) {
			clock.Wait(ctx, clock.System{}, look)
			continue
		}
		if err == nil {
			err = r.follow(ctx)
			if ctx.Err() != nil {
				return
			}
			r.Client.log.WarnContext(ctx, "events between nodes pause", "err", err)
		}
		clock.Wait(ctx, clock.System{}, retry)
	}
}

// look is how often it is looked whether Redis has been reached.
const look = 20 * time.Millisecond

// begin finds the place in the history from which on to listen: its end at first, then where it was left. When that is no
// longer there, events were lost.
func (r *Relay) begin(ctx context.Context) error {
	client, err := r.Client.reach()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	before := r.last
	if before != "" {
		found, err := client.Do(ctx, client.B().Xrange().Key(r.stream()).Start(r.last).End(r.last).Build()).AsXRange()
		if err != nil || len(found) > 0 {
			return err
		}
	}
	newest, err := client.Do(ctx, client.B().Xrevrange().Key(r.stream()).End("+").Start("-").Count(1).Build()).AsXRange()
	if err != nil {
		return err
	}
	if len(newest) > 0 {
		r.last = newest[0].ID
	} else {
		// A history begins with something that says nothing, so that everything has a place behind it.
		first, err := client.Do(ctx, client.B().Xadd().Key(r.stream()).Id("*").FieldValue().FieldValue("h", `{"t":{}}`).Build()).ToString()
		if err != nil {
			return err
		}
		r.last = first
	}
	r.Bus.Interrupt() // nobody who listens has heard what was up to here
	if before != "" {
		r.lost.Inc()
	}
	select {
	case <-r.begun:
	default:
		close(r.begun)
	}
	return nil
}

// follow listens from the place that begin has found, until Redis fails or ctx ends. Whoever listens here hears also where
// that is.
func (r *Relay) follow(ctx context.Context) error {
	client, err := r.Client.reach()
	if err != nil {
		return err
	}
	at, err := position(r.last)
	if err != nil {
		return err
	}
	r.Bus.Deliver(events.Event{Position: at})
	for ctx.Err() == nil {
		streams, err := client.Do(ctx, client.B().Xread().Count(together).Block(blockTime.Milliseconds()).Streams().Key(r.stream()).Id(r.last).Build()).AsXRead()
		if err != nil && !rueidis.IsRedisNil(err) {
			return err
		}
		for _, entry := range streams[r.stream()] {
			r.last = entry.ID
			e, err := read(entry)
			if errors.Is(err, errLost) {
				r.lost.Inc()
				r.Bus.Interrupt()
				continue
			}
			if err != nil {
				return err
			}
			r.Bus.Deliver(e)
		}
	}
	return errors.Join(ctx.Err())
}
