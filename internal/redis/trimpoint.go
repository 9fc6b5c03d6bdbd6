package redis

// streamLength is roughly how many events the stream keeps.
const streamLength = 1 << 17

// trimPoint finds the entry up to which the stream can be trimmed so that it keeps streamLength events. The number of
// entries is not enough for that, because entries hold different numbers of events. Until enough events were read, the
// stream is bounded by its number of entries, which keeps more than needed.
type trimPoint struct {
	keep  int    // events
	steps []step // in order
	count int    // events read
}

// step is an entry and the number of events read up to it.
type step struct {
	entry string
	count int
}

// maxSteps is the number of entries that a trimPoint remembers.
const maxSteps = 64

// advance records that an entry with so many events was read.
func (t *trimPoint) advance(entry string, events int) {
	t.count += events
	if n := len(t.steps); n > 0 && t.count-t.steps[n-1].count < t.keep/maxSteps {
		return
	}
	t.steps = append(t.steps, step{entry, t.count})
	for len(t.steps) > 1 && t.count-t.steps[1].count >= t.keep {
		t.steps = t.steps[1:]
	}
}

// oldest returns the entry up to which the stream can be trimmed, or "" if that is not known yet.
func (t *trimPoint) oldest() string {
	if len(t.steps) == 0 || t.count-t.steps[0].count < t.keep {
		return ""
	}
	return t.steps[0].entry
}

// reset forgets all entries.
func (t *trimPoint) reset() { t.steps, t.count = nil, 0 }
