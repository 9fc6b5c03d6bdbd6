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
	// maxWaitingItems bounds the events that wait in memory while Redis is not available.
	maxWaitingItems = 1 << 14
	// maxItems bounds the items of an entry, entryBytes its size if it has more than one item.
	maxItems   = 256
	entryBytes = 64 << 10
	// sweepEvery is how often a node looks for events that another node recorded and did not publish, sweepAge their
	// minimum age.
	sweepEvery = 500 * time.Millisecond
	sweepAge   = time.Second
	// keepRows is how long published rows stay in the table: a node that does not know the outcome of a commit looks
	// for them. revisionLife is how long Redis keeps the last revision of a subject.
	keepRows     = 10 * time.Minute
	revisionLife = time.Hour
	// maxFills bounds how often missing events are read for one entry.
	maxFills = 8
)

// Publish queues an event that is not recorded. It does not block.
func (r *Relay) Publish(e events.Event) {
	r.enqueue(item{list: []events.Event{e}})
}

// Committed queues the recorded events of a committed change. It does not block.
func (r *Relay) Committed(c *store.Change) {
	for i, e := range c.Events {
		if slices.ContainsFunc(c.Events[:i], func(o store.Event) bool { return o.Subject == e.Subject }) {
			continue // already queued with the first event of the subject
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

// enqueue queues an item. A recorded item that finds no room is read from the outbox later. Others are replaced by one
// event that says that events were lost.
func (r *Relay) enqueue(it item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.waiting); n >= maxWaitingItems {
		if it.recorded || r.waiting[n-1].lost() {
			return
		}
		it = item{list: []events.Event{{Lost: true}}} // for all events that do not fit
	}
	r.waiting = append(r.waiting, it)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (it *item) lost() bool { return !it.recorded && it.list[0].Lost }

// send publishes queued items until ctx ends. It repeats a batch under the same number until Redis confirms it.
func (r *Relay) send(ctx context.Context) {
	for ctx.Err() == nil {
		batch, oldest := r.nextBatch()
		if len(batch) == 0 {
			select {
			case <-r.wake:
			case <-ctx.Done():
			}
			continue
		}
		r.batch++
		for r.addBatch(ctx, batch, oldest) != nil {
			clock.Wait(ctx, r.Client.clock, sendRetry)
			if ctx.Err() != nil {
				return
			}
		}
		r.mu.Lock()
		r.waiting = slices.Delete(r.waiting, 0, len(batch))
		r.mu.Unlock()
	}
}

// sendRetry is the pause after a failed attempt to publish.
const sendRetry = 100 * time.Millisecond

// nextBatch returns the items to publish next, and the oldest entry that the stream has to keep.
func (r *Relay) nextBatch() (batch []item, oldest string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, size := 0, 0
	for n < min(len(r.waiting), maxItems) {
		if size += sizeOf(r.waiting[n].list); n > 0 && size > entryBytes {
			break
		}
		n++
	}
	return slices.Clone(r.waiting[:n]), r.trimPoint.oldest()
}

// addBatch appends items to the stream as one entry. It leaves out items that the stream has already and adds missing
// ones before them.
func (r *Relay) addBatch(ctx context.Context, batch []item, oldest string) error {
	client, err := r.Client.conn()
	if err != nil {
		return err
	}
	queued := batch
	for range maxFills {
		var statuses []itemStatus
		if statuses, err = r.appendEntry(ctx, client, batch, oldest); err != nil {
			return err
		}
		if statuses == nil {
			r.markPublished(batch)
			r.markPublished(queued) // also those that the stream had already
			return nil
		}
		if batch, err = r.fillGaps(ctx, batch, statuses); err != nil {
			return err
		}
		if len(batch) == 0 {
			r.markPublished(queued)
			return nil
		}
	}
	return fmt.Errorf("%d entries in a row had missing events", maxFills)
}

// markPublished remembers that recorded items are in the stream, so that their rows get marked.
func (r *Relay) markPublished(batch []item) {
	for i := range batch {
		it := &batch[i]
		if !it.recorded {
			continue
		}
		select {
		case r.published <- store.RecordedEvents{Subject: it.subject, Revision: it.revision}:
		default: // the sweep finds the row
		}
	}
}

// itemStatus is what the script says about an item: it is new, the stream has it, or events may be missing between the
// revision since and the item.
type itemStatus struct {
	present, hasGap bool
	since           uint64
}

// fillGaps removes the items that the stream has, and inserts missing ones from the outbox before items that follow a
// gap.
func (r *Relay) fillGaps(ctx context.Context, batch []item, statuses []itemStatus) ([]item, error) {
	var filled []item
	for i, it := range batch {
		status := statuses[i]
		if status.present {
			continue
		}
		if status.hasGap {
			rows, err := r.Outbox.EventsBetween(ctx, it.subject, status.since, it.after)
			if err != nil {
				return nil, err
			}
			for _, row := range rows {
				if row.Published {
					continue // published before Redis lost the revision of the subject
				}
				missing, err := itemOf(&row)
				if err != nil {
					return nil, err
				}
				missing.gapChecked, missing.since = true, status.since
				filled = append(filled, missing)
			}
			it.gapChecked, it.since = true, status.since
		}
		filled = append(filled, it)
	}
	return filled, nil
}

func itemOf(row *store.RecordedEvents) (item, error) {
	var reader events.EntryReader
	list, err := reader.Read(nil, row.Entry, events.Position{})
	if err != nil {
		return item{}, fmt.Errorf("read recorded events of %v: %w", row.Subject, err)
	}
	return item{list: list, recorded: true, subject: row.Subject, revision: row.Revision, after: row.After}, nil
}

// addEntry appends an entry to the stream (KEYS[1]) if every recorded item in it, one for each key after the second, is
// the next one of its subject. An item has three arguments: its revision, the revision before it, and the revision after
// which the caller has checked for missing events. Revisions are decimal numbers of equal length, so they compare as
// text. KEYS[2] has the number of the caller's last batch: one whose confirmation came too late is not appended again.
// It returns nothing if the entry is in the stream; otherwise for each item "new", "have", or the revision after which
// events may be missing.
var addEntry = rueidis.NewLuaScript(`
local zero = '0000000000000000000'
local last, verdicts, fine = {}, {}, true
if redis.call('GET', KEYS[2]) == ARGV[6] then return {} end
for i = 3, #KEYS do
  local revision, after, checked = ARGV[3*i-2], ARGV[3*i-1], ARGV[3*i]
  local have = last[KEYS[i]] or redis.call('GET', KEYS[i]) or zero
  if revision <= have then
    verdicts[i-2], fine = 'have', false
  elseif after == zero or after == have or checked <= have then
    verdicts[i-2], last[KEYS[i]] = 'new', revision
  else
    verdicts[i-2], fine, last[KEYS[i]] = have, false, revision
  end
end
if not fine then return verdicts end
redis.call('XADD', KEYS[1], ARGV[2], '~', ARGV[3], '*', ARGV[4], ARGV[1])
redis.call('SET', KEYS[2], ARGV[6], 'EX', ARGV[5])
for key, revision in pairs(last) do redis.call('SET', key, revision, 'EX', ARGV[5]) end
return {}
`)

// appendEntry appends items as one entry. If it cannot, it returns the status of each item.
func (r *Relay) appendEntry(ctx context.Context, client rueidis.Client, batch []item, oldest string) ([]itemStatus, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Client.callTime())
	defer cancel()
	list, err := r.resolveSessions(ctx, client, batch)
	if err != nil {
		return nil, err
	}
	entry := rueidis.BinaryString(events.AppendEntry(make([]byte, 0, sizeOf(list)), list))
	trim, threshold := "MAXLEN", strconv.Itoa(streamLength)
	if oldest != "" {
		trim, threshold = "MINID", oldest
	}
	keys := []string{r.stream(), r.batchKey()}
	args := []string{entry, trim, threshold, entryField, strconv.Itoa(int(revisionLife.Seconds())), strconv.Itoa(r.batch)}
	for i := range batch {
		if it := &batch[i]; it.recorded {
			keys = append(keys, r.revisionKey(it.subject))
			checked := unchecked
			if it.gapChecked {
				checked = padded(it.since)
			}
			args = append(args, padded(it.revision), padded(it.after), checked)
		}
	}
	answers, err := addEntry.Exec(ctx, client, keys, args).AsStrSlice()
	if err != nil || len(answers) == 0 {
		return nil, err
	}
	return parseStatuses(batch, answers)
}

// unchecked is larger than every revision.
const unchecked = "9999999999999999999"

func padded(revision uint64) string { return fmt.Sprintf("%019d", revision) }

// parseStatuses parses the answers of addEntry, one for each recorded item.
func parseStatuses(batch []item, answers []string) ([]itemStatus, error) {
	statuses := make([]itemStatus, len(batch))
	for i := range batch {
		if !batch[i].recorded {
			continue
		}
		if len(answers) == 0 {
			return nil, fmt.Errorf("redis answered for too few of %d items", len(batch))
		}
		answer := answers[0]
		answers = answers[1:]
		switch answer {
		case "new":
		case "have":
			statuses[i].present = true
		default:
			since, err := strconv.ParseUint(answer, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("parse the status of an item: %w", err)
			}
			statuses[i] = itemStatus{hasGap: true, since: since}
		}
	}
	return statuses, nil
}

// resolveSessions returns the events of items. An event for a session that no node has goes to all sessions of its
// user.
func (r *Relay) resolveSessions(ctx context.Context, client rueidis.Client, batch []item) ([]events.Event, error) {
	var list []events.Event
	for i := range batch {
		list = append(list, batch[i].list...)
	}
	missing, err := r.missingSessions(ctx, client, list)
	for i := range list {
		if slices.Contains(missing, list[i].To.Session) {
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

// missingSessions returns the sessions that events name and no node has.
func (r *Relay) missingSessions(ctx context.Context, client rueidis.Client, list []events.Event) ([]string, error) {
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
	missing := ids[:0]
	for i, answer := range client.DoMulti(ctx, cmds...) {
		n, err := answer.AsInt64()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			missing = append(missing, ids[i])
		}
	}
	return missing, nil
}

// markRows marks published rows in the outbox, many at a time.
func (r *Relay) markRows(ctx context.Context) {
	for ctx.Err() == nil {
		var list []store.RecordedEvents
		select {
		case first := <-r.published:
			list = append(list, first)
		case <-ctx.Done():
			return
		}
		clock.Wait(ctx, r.Client.clock, markEvery)
		for len(list) < markAtOnce && len(r.published) > 0 {
			list = append(list, <-r.published)
		}
		if err := r.Outbox.PublishedEvents(context.WithoutCancel(ctx), list); err != nil {
			r.Client.log.WarnContext(ctx, "published events not marked", "err", err) // the sweep marks them
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
		clock.Wait(ctx, r.Client.clock, sweepEvery)
		r.mu.Lock()
		busy := len(r.waiting) > 0
		r.mu.Unlock()
		if busy || ctx.Err() != nil {
			continue // queued events come first, and Redis may not be available
		}
		if err := r.sweepOnce(ctx); err != nil {
			r.Client.log.WarnContext(ctx, "sweep of recorded events failed", "err", err)
			continue
		}
		if now := r.Client.clock.Now(); now.Sub(trimmed) > time.Minute {
			trimmed = now
			if _, err := r.Outbox.TrimEvents(ctx, now.Add(-keepRows), trimAtOnce); err != nil {
				r.Client.log.WarnContext(ctx, "old events not removed", "err", err)
			}
		}
	}
}

const trimAtOnce = 100_000

func (r *Relay) sweepOnce(ctx context.Context) error {
	rows, err := r.Outbox.UnpublishedEvents(ctx, sweepAge, maxItems)
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
