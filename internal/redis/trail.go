package redis

// history is how many events are kept, roughly, for nodes that were away.
const history = 1 << 17

// trail knows where in the history an event stands that has so many behind it, so that as many are kept in however many
// entries they stand. Until so many were heard it does not know, and the history is bounded by its entries, of which there
// are never more than events: it is a little too long then, never too short. The oldest event is kept to a step.
type trail struct {
	keep  int
	steps []step // in order
	count int    // of events that were heard
}

// step is an entry, and how many events were heard up to it.
type step struct {
	entry string
	count int
}

// stepsKept is how many entries of a history a trail knows.
const stepsKept = 64

// heard notes an entry of so many events.
func (t *trail) heard(entry string, events int) {
	t.count += events
	if n := len(t.steps); n > 0 && t.count-t.steps[n-1].count < t.keep/stepsKept {
		return
	}
	t.steps = append(t.steps, step{entry, t.count})
	for len(t.steps) > 1 && t.count-t.steps[1].count >= t.keep {
		t.steps = t.steps[1:]
	}
}

// oldest returns the entry up to which the history can be forgotten, empty when that is not known.
func (t *trail) oldest() string {
	if len(t.steps) == 0 || t.count-t.steps[0].count < t.keep {
		return ""
	}
	return t.steps[0].entry
}

// forget begins anew.
func (t *trail) forget() { t.steps, t.count = nil, 0 }
