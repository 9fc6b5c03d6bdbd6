package postgres

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"
)

const (
	// readInterval is the interval at which a node reads the log without a hint.
	readInterval = 100 * time.Millisecond
	// pageSize is the number of events that a node reads at a time. After a read with several events, the node pauses
	// for busyPause: then fewer reads get more events each.
	pageSize  = 256
	busyPause = 2 * time.Millisecond
	// A transaction of another program can hold events back for heldTime. passPause is the pause between two reads
	// that go past it.
	heldTime  = time.Second
	passPause = 20 * time.Millisecond
	// roomPause is the pause before looking again whether the bus has room, roomTries the number of attempts.
	roomPause = time.Millisecond
	roomTries = 5000
)

// EventLog delivers the events of all nodes to the bus of this node, in the order of PostgreSQL's transactions. Events are
// rows of the table events. A transaction gets its number when it writes first, and its events become visible when it
// commits. So a node reads only events of transactions that are older than every open one: nothing can appear behind the
// position of a reader, and all nodes see the same order.
type EventLog struct {
	db  *DB
	bus *events.Bus
	log *slog.Logger
	// Hint tells other nodes that there are new events of some partitions. It does not block. It may be nil, and is set before
	// Run.
	Hint func([]events.Partition)
	// Interest says which partitions this node reads. nil means all. It is set before Run.
	Interest *events.Interest
	// Keep is the time for which events stay in the log. It is set before Run.
	Keep time.Duration

	wake  chan struct{} // capacity 1
	begun chan struct{} // closed when the position is known

	// The state of the reader, which one goroutine uses.
	at        events.Position
	reader    events.EntryReader
	oldest    uint64    // the oldest open transaction at the last read
	held      bool      // there were events that could not be read, because a transaction was open
	since     time.Time // since when events are held, by the same transaction
	passed    uint64    // a transaction of another program that held events too long
	passedAt  time.Time // when a read last went past it
	failing   bool      // the last read failed
	pageLimit int

	unnamed  atomic.Bool   // the server does not tell the name of its history
	settled  atomic.Uint64 // no open transaction below it can record an event
	repeat   atomic.Bool   // deliver the position again
	lastRead atomic.Pointer[time.Time]
	removed  atomic.Pointer[events.Position] // position of the last event that was removed from the log

	mu         sync.Mutex
	unrecorded []events.Event // events of no change
	added      chan struct{}  // capacity 1

	lost    prometheus.Counter
	damaged prometheus.Counter
	read    prometheus.Counter
}

// NewEventLog returns the log of a database. It becomes the way by which the bus publishes events.
func NewEventLog(db *DB, bus *events.Bus, log *slog.Logger) *EventLog {
	l := &EventLog{
		db: db, bus: bus, log: log, Keep: keepEvents,
		wake: make(chan struct{}, 1), begun: make(chan struct{}), added: make(chan struct{}, 1), pageLimit: pageSize,
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_events_lost_total", Help: "Times that events were lost, so that the gateway sessions of this node had to identify again.",
		}),
		damaged: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_events_damaged_total", Help: "Rows of the event log that could not be read and were skipped.",
		}),
		read: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_events_read_bytes_total", Help: "Bytes of the events that this node has read from the event log.",
		}),
	}
	now := db.wall.Now()
	l.lastRead.Store(&now)
	bus.Outward = l.publish
	db.Subscribe(func(c *store.Change) {
		if len(c.Events) == 0 {
			return
		}
		var list []events.Partition
		for i := range c.Events {
			list = append(list, c.Events[i].Partitions()...)
		}
		l.announce(list)
	})
	return l
}

// Collectors returns the metrics of the log.
func (l *EventLog) Collectors() []prometheus.Collector {
	return []prometheus.Collector{l.lost, l.damaged, l.read, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "bellhop_events_read_age_seconds", Help: "Time since this node last read the event log.",
	}, func() float64 { return l.db.wall.Now().Sub(*l.lastRead.Load()).Seconds() })}
}

// Begun returns a channel that is closed once this node reads the log.
func (l *EventLog) Begun() <-chan struct{} { return l.begun }

// Wake makes the node read at once.
func (l *EventLog) Wake() { signal(l.wake) }

// Heard makes the node read at once if another node has recorded events of a partition that this node reads.
func (l *EventLog) Heard(list []events.Partition) {
	if l.Interest.Concerns(list) {
		l.Wake()
	}
}

// Repeat delivers the current position to the bus again, because other nodes may have lost what they know about this one.
func (l *EventLog) Repeat() {
	l.repeat.Store(true)
	l.Wake()
}

// announce makes the nodes read that read one of some partitions.
func (l *EventLog) announce(list []events.Partition) {
	l.Heard(list)
	if l.Hint != nil {
		l.Hint(list)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run reads the log, records the events of no change, and removes old events, until ctx ends.
func (l *EventLog) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, work := range []func(context.Context){l.readAll, l.record, l.removeOld} {
		g.Go(func() error {
			work(ctx)
			return nil
		})
	}
	return g.Wait()
}

// readAll delivers everything that is added to the partitions of this node.
func (l *EventLog) readAll(ctx context.Context) {
	for ctx.Err() == nil {
		more, err := l.readOnce(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			if !l.failing {
				l.log.WarnContext(ctx, "event log not read", "err", err)
			}
			l.failing = true
			clock.Wait(ctx, l.db.wall, readInterval)
		case !more:
			l.wait(ctx)
		}
	}
}

// wait waits for a hint, at most as long as the interval.
func (l *EventLog) wait(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := l.db.wall.AfterFunc(readInterval, cancel)
	defer timer.Stop()
	select {
	case <-l.wake:
	case <-ctx.Done():
	}
}

// readOnce reads a page and delivers it. It reports whether there may be more.
func (l *EventLog) readOnce(ctx context.Context) (more bool, err error) {
	filter := l.Interest.Next(l.at)
	if l.at.IsZero() {
		return true, l.start(ctx)
	}
	limits := eventLimits{rows: l.pageLimit, filter: filter, settled: l.settled.Load(), unnamed: l.unnamed.Load(), ownOnly: l.mustPass()}
	if limits.ownOnly {
		l.pass(ctx)
	}
	page, settled, err := l.db.readEvents(ctx, l.at, limits)
	if errors.Is(err, store.ErrDamaged) {
		return true, l.readDamaged(ctx, limits)
	}
	if err != nil {
		return false, err
	}
	if err := page.check(l.at); err != nil {
		l.log.ErrorContext(ctx, "events lost", "err", err)
		l.lost.Inc()
		return true, l.start(ctx)
	}
	l.note(&page, settled)
	paused := l.deliver(ctx, &page)
	if l.repeat.Swap(false) {
		l.bus.Deliver(events.Event{Position: l.at})
	}
	if paused {
		l.waitHandled(ctx)
	}
	more = paused || len(page.rows) == l.pageLimit || l.mustPass()
	if !more && len(page.rows) > 1 {
		clock.Wait(ctx, l.db.wall, busyPause)
	}
	l.pageLimit = pageSize
	return more, nil
}

// start begins at the end of the log. All subscribers of the bus are interrupted, because they do not get the events up
// to there.
func (l *EventLog) start(ctx context.Context) error {
	limits := eventLimits{filter: events.AllPartitions, ownOnly: true, unnamed: l.unnamed.Load()}
	page, settled, err := l.db.readEvents(ctx, events.Position{}, limits)
	if isRefused(err) && !limits.unnamed {
		l.log.WarnContext(ctx, "PostgreSQL does not tell its timeline: a failover that loses writes may not be noticed", "err", err)
		l.unnamed.Store(true)
		return l.start(ctx)
	}
	if err != nil {
		return err
	}
	at := events.Position{History: page.history, Transaction: max(page.oldest, settled)}
	if at.Before(page.removed) {
		at = page.removed
	}
	l.at, l.oldest = at, 0
	l.Interest.Restart(at)
	l.settled.Store(0)
	l.note(&page, settled)
	l.bus.Interrupt()
	l.bus.Deliver(events.Event{Position: at})
	select {
	case <-l.begun:
	default:
		close(l.begun)
	}
	return nil
}

// note keeps what a read has told about the log.
func (l *EventLog) note(page *eventPage, settled uint64) {
	now := l.db.wall.Now()
	settled = max(settled, page.oldest)
	held := page.newest >= settled
	if !held || page.oldest != l.oldest {
		l.since = now
	}
	l.held, l.oldest = held, page.oldest
	l.settled.Store(settled)
	l.removed.Store(&page.removed)
	l.lastRead.Store(&now)
	l.failing = false
}

// mustPass reports whether the next read has to go past a transaction of another program that holds events too long.
func (l *EventLog) mustPass() bool {
	now := l.db.wall.Now()
	if !l.held || now.Sub(l.passedAt) < passPause {
		return false
	}
	return l.oldest == l.passed || now.Sub(l.since) >= heldTime
}

// pass records that a read goes past a transaction of another program.
func (l *EventLog) pass(ctx context.Context) {
	if l.passed != l.oldest {
		l.log.WarnContext(ctx, "another program has a transaction open on the PostgreSQL server: reading events past it", "transaction", l.oldest)
	}
	l.passed, l.passedAt = l.oldest, l.db.wall.Now()
}

// readDamaged handles a page that the server cannot read: it reads one event, or skips it.
func (l *EventLog) readDamaged(ctx context.Context, limits eventLimits) error {
	if l.pageLimit > 1 {
		l.pageLimit = 1
		return nil
	}
	l.pageLimit = pageSize
	limits.keys = true
	page, settled, err := l.db.readEvents(ctx, l.at, limits)
	if errors.Is(err, store.ErrDamaged) {
		l.log.ErrorContext(ctx, "events lost", "err", err)
		l.lost.Inc()
		return l.start(ctx)
	}
	if err != nil {
		return err
	}
	l.note(&page, settled)
	for _, row := range page.rows {
		l.skip(ctx, row.at, store.ErrDamaged)
	}
	return nil
}

// deliver delivers the events of a page, and then the position that the read has reached. It ends after an event that changes
// which partitions this node reads, and reports that.
func (l *EventLog) deliver(ctx context.Context, page *eventPage) (paused bool) {
	list := make([]events.Event, 0, len(page.rows)+1)
	for _, row := range page.rows {
		l.read.Add(float64(len(row.entry)))
		e, err := l.reader.Read(row.entry, row.at)
		if err == nil && !e.Lost {
			list = append(list, e)
			continue
		}
		if paused = l.deliverSelected(ctx, list, row.at); paused {
			return true
		}
		list = list[:0]
		if err != nil {
			l.skip(ctx, row.at, err)
		} else {
			l.interrupt(row.at)
		}
	}
	end := page.last
	if len(page.rows) > 0 && end.Before(page.rows[len(page.rows)-1].at) {
		end = page.rows[len(page.rows)-1].at
	}
	return l.deliverSelected(ctx, list, end)
}

// deliverSelected delivers the events that are for this node, and the position up to which there are no others.
func (l *EventLog) deliverSelected(ctx context.Context, list []events.Event, end events.Position) (paused bool) {
	list, paused = l.Interest.Select(list)
	if paused {
		end = list[len(list)-1].Position
	}
	if !l.at.Before(end) {
		return paused
	}
	if len(list) == 0 || list[len(list)-1].Position.Before(end) {
		list = append(list, events.Event{Position: end})
	}
	l.deliverPaced(ctx, list)
	l.at = end
	return paused
}

// waitHandled waits until the gateway has handled all that was delivered.
func (l *EventLog) waitHandled(ctx context.Context) {
	for ctx.Err() == nil && !l.Interest.HasHandled(l.at) {
		clock.Wait(ctx, l.db.wall, roomPause)
	}
}

// skip skips an event that cannot be read. No session can know whether the event was for it, so all are invalidated.
func (l *EventLog) skip(ctx context.Context, at events.Position, err error) {
	l.log.ErrorContext(ctx, "event not readable", "transaction", at.Transaction, "number", at.Number, "err", err)
	l.damaged.Inc()
	l.interrupt(at)
}

// interrupt invalidates the sessions of this node at a position.
func (l *EventLog) interrupt(at events.Position) {
	l.at = at
	l.lost.Inc()
	l.bus.Interrupt()
	l.bus.Deliver(events.Event{Position: at})
}

// deliverPaced delivers events as fast as the subscribers take them. The bus interrupts a subscriber that makes no room
// for long.
func (l *EventLog) deliverPaced(ctx context.Context, list []events.Event) {
	for tries := 0; len(list) > 0 && ctx.Err() == nil; {
		n := min(l.bus.Room(), len(list))
		if n == 0 && tries < roomTries {
			tries++
			clock.Wait(ctx, l.db.wall, roomPause)
			continue
		}
		n, tries = max(n, 1), 0
		l.bus.Deliver(list[:n]...)
		list = list[n:]
	}
}

// EventsAfter returns the next events of some partitions after a position, in order. The last event may only contain a position,
// up to which there are no others. It fails when one of the events after the position was removed or cannot be read.
func (l *EventLog) EventsAfter(ctx context.Context, p events.Position, list []events.Partition) ([]events.Event, error) {
	filter := events.NewFilter(list)
	page, _, err := l.db.readEvents(ctx, p, eventLimits{rows: pageSize, filter: filter, settled: l.settled.Load(), unnamed: l.unnamed.Load()})
	if err == nil {
		err = page.check(p)
	}
	if err != nil {
		return nil, err
	}
	var reader events.EntryReader
	found := make([]events.Event, len(page.rows), len(page.rows)+1)
	for i, row := range page.rows {
		if found[i], err = reader.Read(row.entry, row.at); err != nil {
			return nil, err
		}
		if found[i].Lost {
			return nil, errHistory
		}
		p = row.at
	}
	if p.Before(page.last) {
		found = append(found, events.Event{Position: page.last})
	}
	return found, nil
}
