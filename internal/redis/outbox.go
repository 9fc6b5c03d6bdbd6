package redis

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/redis/rueidis"
)

const (
	// outbox is how many events wait in memory while Redis is away.
	outbox = 1 << 14
	// together is how many items make up an entry at most, entryBytes how large it becomes by more than one.
	together   = 256
	entryBytes = 64 << 10
	// sweepEvery is how often a node looks for events that another node recorded and did not publish, sweepAge how old they
	// are then.
	sweepEvery = 500 * time.Millisecond
	sweepAge   = time.Second
	// keepRows is how long published rows stay in the table. A node that does not know the outcome of a commit looks for them.
	// revisionLife is how long Redis knows the last revision of a subject.
	keepRows     = 10 * time.Minute
	revisionLife = time.Hour
	// maxFills bounds how often missing events are read for one entry.
	maxFills = 8
)

// Publish takes an event that is not recorded, to be heard on every node. It does not wait.
func (r *Relay) Publish(e events.Event) {
	r.enqueue(item{list: []events.Event{e}})
}

// Committed takes the events of a change that was committed. It does not wait.
func (r *Relay) Committed(c *store.Change) {
	for i, e := range c.Events {
		if slices.ContainsFunc(c.Events[:i], func(o store.Event) bool { return o.Subject == e.Subject }) {
			continue // taken with the first event of the subject
		}
		it := item{recorded: true, subject: e.Subject, revision: c.Revision}
		if x := c.Expects(e.Subject); x != nil {
			it.after = x.Revision
		}
		for _, o := range c.Events[i:] {
			if o.Subject == e.Subject {
				it.list = append(it.list, o.Event)
			}
		}
		r.enqueue(it)
	}
}

// enqueue puts an item in line. A recorded one that finds no room is read from the table later.
func (r *Relay) enqueue(it item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.waiting); n >= outbox {
		if it.recorded || r.waiting[n-1].lost() {
			return
		}
		it = item{list: []events.Event{{Lost: true}}} // in place of all that does not fit
	}
	r.waiting = append(r.waiting, it)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (it *item) lost() bool { return !it.recorded && it.list[0].Lost }

// send hands what waits to Redis.
func (r *Relay) send(ctx context.Context) {
	for ctx.Err() == nil {
		batch, oldest := r.next()
		if len(batch) == 0 {
			select {
			case <-r.wake:
			case <-ctx.Done():
			}
			continue
		}
		if err := r.add(ctx, batch, oldest); err != nil {
			clock.Wait(ctx, clock.System{}, sendRetry)
			continue
		}
		r.mu.Lock()
		r.waiting = slices.Delete(r.waiting, 0, len(batch))
		r.mu.Unlock()
	}
}

// sendRetry is how long a node waits after it could not publish.
const sendRetry = 100 * time.Millisecond

// next returns what is to be sent next, and the oldest entry that the stream has to keep.
func (r *Relay) next() (batch []item, oldest string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, size := 0, 0
	for n < min(len(r.waiting), together) {
		if size += sizeOf(r.waiting[n].list); n > 0 && size > entryBytes {
			break
		}
		n++
	}
	return slices.Clone(r.waiting[:n]), r.trail.oldest()
}

// add appends items to the stream, as one entry, without those that are in it already and with those that are missing
// before them.
func (r *Relay) add(ctx context.Context, batch []item, oldest string) error {
	client, err := r.Client.reach()
	if err != nil {
		return err
	}
	taken := batch
	for range maxFills {
		var verdicts []verdict
		if verdicts, err = r.append(ctx, client, batch, oldest); err != nil {
			return err
		}
		if verdicts == nil {
			r.note(batch)
			r.note(taken) // also those that the stream had already
			return nil
		}
		if batch, err = r.mend(ctx, batch, verdicts); err != nil {
			return err
		}
		if len(batch) == 0 {
			r.note(taken)
			return nil
		}
	}
	return fmt.Errorf("%d entries in a row had missing events", maxFills)
}

// note remembers that recorded items are in the stream, so that their rows are marked.
func (r *Relay) note(batch []item) {
	for i := range batch {
		it := &batch[i]
		if !it.recorded {
			continue
		}
		select {
		case r.published <- store.RecordedEvents{Subject: it.subject, Revision: it.revision}:
		default: // the sweep finds it
		}
	}
}

// verdict is what the script says of an item: it is new, the stream has it, or events may be missing between the revision
// since and the one before the item.
type verdict struct {
	have, gap bool
	since     uint64
}

// mend drops the items that the stream has and puts missing ones, as the table knows them, before those that follow a gap.
func (r *Relay) mend(ctx context.Context, batch []item, verdicts []verdict) ([]item, error) {
	var mended []item
	for i, it := range batch {
		v := verdicts[i]
		if v.have {
			continue
		}
		if v.gap {
			rows, err := r.Outbox.EventsBetween(ctx, it.subject, v.since, it.after)
			if err != nil {
				return nil, err
			}
			for _, row := range rows {
				if row.Published {
					continue // it was in the stream before Redis forgot the subject
				}
				missing, err := itemOf(&row)
				if err != nil {
					return nil, err
				}
				missing.checked, missing.since = true, v.since
				mended = append(mended, missing)
			}
			it.checked, it.since = true, v.since
		}
		mended = append(mended, it)
	}
	return mended, nil
}

func itemOf(row *store.RecordedEvents) (item, error) {
	var reader events.EntryReader
	list, err := reader.Read(nil, row.Entry, events.Position{})
	if err != nil {
		return item{}, fmt.Errorf("read recorded events of %v: %w", row.Subject, err)
	}
	return item{list: list, recorded: true, subject: row.Subject, revision: row.Revision, after: row.After}, nil
}

// addEntry appends an entry to the stream (KEYS[1]) if every recorded item in it, one for each other key, is the next one of
// its subject. An item has three arguments: its revision, the revision before it, and the revision after which the publisher
// has checked that none is missing. Revisions are decimal numbers of equal length, so that they compare as text. It returns
// nothing when the entry was appended, else for each item "new", "have", or the revision after which events may be missing.
var addEntry = rueidis.NewLuaScript(`
local zero = '0000000000000000000'
local last, verdicts, fine = {}, {}, true
for i = 2, #KEYS do
  local revision, after, checked = ARGV[3*i], ARGV[3*i+1], ARGV[3*i+2]
  local have = last[KEYS[i]] or redis.call('GET', KEYS[i]) or zero
  if revision <= have then
    verdicts[i-1], fine = 'have', false
  elseif after == zero or after == have or checked <= have then
    verdicts[i-1], last[KEYS[i]] = 'new', revision
  else
    verdicts[i-1], fine, last[KEYS[i]] = have, false, revision
  end
end
if not fine then return verdicts end
redis.call('XADD', KEYS[1], ARGV[2], '~', ARGV[3], '*', ARGV[4], ARGV[1])
for key, revision in pairs(last) do redis.call('SET', key, revision, 'EX', ARGV[5]) end
return {}
`)

// append appends items as one entry. It returns nil when it did, else what keeps it from doing so.
func (r *Relay) append(ctx context.Context, client rueidis.Client, batch []item, oldest string) ([]verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	list, err := r.addressed(ctx, client, batch)
	if err != nil {
		return nil, err
	}
	entry := rueidis.BinaryString(events.AppendEntry(make([]byte, 0, sizeOf(list)), list))
	trim, threshold := "MAXLEN", strconv.Itoa(history)
	if oldest != "" {
		trim, threshold = "MINID", oldest
	}
	keys, args := []string{r.stream()}, []string{entry, trim, threshold, entryField, strconv.Itoa(int(revisionLife.Seconds()))}
	for i := range batch {
		if it := &batch[i]; it.recorded {
			keys = append(keys, r.revisionKey(it.subject))
			checked := unchecked
			if it.checked {
				checked = padded(it.since)
			}
			args = append(args, padded(it.revision), padded(it.after), checked)
		}
	}
	answers, err := addEntry.Exec(ctx, client, keys, args).AsStrSlice()
	if err != nil || len(answers) == 0 {
		return nil, err
	}
	return verdictsOf(batch, answers)
}

// unchecked is larger than every revision.
const unchecked = "9999999999999999999"

func padded(revision uint64) string { return fmt.Sprintf("%019d", revision) }

// verdictsOf reads the answers of addEntry, which has one for each recorded item.
func verdictsOf(batch []item, answers []string) ([]verdict, error) {
	verdicts := make([]verdict, len(batch))
	for i := range batch {
		if !batch[i].recorded {
			continue
		}
		if len(answers) == 0 {
			return nil, fmt.Errorf("redis judged too few of %d items", len(batch))
		}
		answer := answers[0]
		answers = answers[1:]
		switch answer {
		case "new":
		case "have":
			verdicts[i].have = true
		default:
			since, err := strconv.ParseUint(answer, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("read a verdict: %w", err)
			}
			verdicts[i] = verdict{gap: true, since: since}
		}
	}
	return verdicts, nil
}

// addressed returns the events of items. One that is for a session that no node has is for all sessions of its user.
func (r *Relay) addressed(ctx context.Context, client rueidis.Client, batch []item) ([]events.Event, error) {
	var list []events.Event
	for i := range batch {
		list = append(list, batch[i].list...)
	}
	absent, err := r.absent(ctx, client, list)
	for i := range list {
		if slices.Contains(absent, list[i].To.Session) {
			list[i].To.Session = ""
		}
	}
	return list, err
}

func sizeOf(list []events.Event) int {
	size := 16
	for i := range list {
		size += list[i].Size()
	}
	return size
}

// absent returns the sessions that events are for and that no node has.
func (r *Relay) absent(ctx context.Context, client rueidis.Client, list []events.Event) ([]string, error) {
	var ids []string
	var cmds rueidis.Commands
	for i := range list {
		if id := list[i].To.Session; id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
			cmds = append(cmds, client.B().Exists().Key(r.Client.sessionKey(id)).Build())
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	absent := ids[:0]
	for i, answer := range client.DoMulti(ctx, cmds...) {
		n, err := answer.AsInt64()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			absent = append(absent, ids[i])
		}
	}
	return absent, nil
}

// mark notes in the table which events are in the stream, many at a time.
func (r *Relay) mark(ctx context.Context) {
	for ctx.Err() == nil {
		var list []store.RecordedEvents
		select {
		case first := <-r.published:
			list = append(list, first)
		case <-ctx.Done():
			return
		}
		clock.Wait(ctx, clock.System{}, markEvery)
		for len(list) < markAtOnce && len(r.published) > 0 {
			list = append(list, <-r.published)
		}
		if err := r.Outbox.PublishedEvents(context.WithoutCancel(ctx), list); err != nil {
			r.Client.log.WarnContext(ctx, "published events not marked", "err", err) // the sweep tries again
		}
	}
}

const (
	markEvery  = 20 * time.Millisecond
	markAtOnce = 1024
)

// sweep publishes events whose node has not done so, and removes old rows.
func (r *Relay) sweep(ctx context.Context) {
	var trimmed time.Time
	for ctx.Err() == nil {
		clock.Wait(ctx, clock.System{}, sweepEvery)
		r.mu.Lock()
		busy := len(r.waiting) > 0
		r.mu.Unlock()
		if busy || ctx.Err() != nil {
			continue // what is in line comes first, and Redis may be away
		}
		if err := r.sweepOnce(ctx); err != nil {
			r.Client.log.WarnContext(ctx, "sweep of recorded events failed", "err", err)
			continue
		}
		if now := (clock.System{}).Now(); now.Sub(trimmed) > time.Minute {
			trimmed = now
			if _, err := r.Outbox.TrimEvents(ctx, now.Add(-keepRows), trimAtOnce); err != nil {
				r.Client.log.WarnContext(ctx, "old events not removed", "err", err)
			}
		}
	}
}

const trimAtOnce = 100_000

func (r *Relay) sweepOnce(ctx context.Context) error {
	rows, err := r.Outbox.UnpublishedEvents(ctx, sweepAge, together)
	if err != nil {
		return err
	}
	for i := range rows {
		it, err := itemOf(&rows[i])
		if err != nil {
			return err
		}
		r.swept.Inc()
		r.enqueue(it)
	}
	return nil
}
