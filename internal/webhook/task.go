package webhook

import "sync"

// life knows everything that is under way, so that it can be ended: deliveries, dials and open connections. The zero
// life is ready.
type life struct {
	mu     sync.Mutex
	closed bool
	tasks  map[*task]struct{}
	all    sync.WaitGroup
}

// task is something under way.
type task struct {
	life *life
	stop func() // ends it; may be called at any time, more than once
}

// begin notes a task, or reports that nothing begins any more. Its owner calls end when it is over.
func (l *life) begin(stop func()) (*task, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, false
	}
	if l.tasks == nil {
		l.tasks = map[*task]struct{}{}
	}
	t := &task{life: l, stop: stop}
	l.tasks[t] = struct{}{}
	l.all.Add(1)
	return t, true
}

// end notes that the task is over. Only the first call counts.
func (t *task) end() {
	l := t.life
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, under := l.tasks[t]; under {
		delete(l.tasks, t)
		l.all.Done()
	}
}

// close stops all tasks and returns when they are over.
func (l *life) close() {
	l.mu.Lock()
	l.closed = true
	stops := make([]func(), 0, len(l.tasks))
	for t := range l.tasks {
		stops = append(stops, t.stop)
	}
	l.mu.Unlock()
	for _, stop := range stops {
		stop() // outside of the lock: it may end the task
	}
	l.all.Wait()
}

func (l *life) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}
