package webhook

import "sync"

// taskGroup tracks deliveries, dials and open connections, so that close can end them all. The zero taskGroup is ready
// to use.
type taskGroup struct {
	mu     sync.Mutex
	closed bool
	tasks  map[*task]struct{}
	all    sync.WaitGroup
}

// task is a delivery, a dial or an open connection.
type task struct {
	group *taskGroup
	stop  func() // ends the task; may be called at any time and more than once
}

// start adds a task. It reports false if the group is closed. The caller calls end when the task is over.
func (g *taskGroup) start(stop func()) (*task, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, false
	}
	if g.tasks == nil {
		g.tasks = map[*task]struct{}{}
	}
	t := &task{group: g, stop: stop}
	g.tasks[t] = struct{}{}
	g.all.Add(1)
	return t, true
}

// end removes the task. Calls after the first do nothing.
func (t *task) end() {
	g := t.group
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, active := g.tasks[t]; active {
		delete(g.tasks, t)
		g.all.Done()
	}
}

// close stops all tasks and waits until they have ended. No task starts after it.
func (g *taskGroup) close() {
	g.mu.Lock()
	g.closed = true
	stops := make([]func(), 0, len(g.tasks))
	for t := range g.tasks {
		stops = append(stops, t.stop)
	}
	g.mu.Unlock()
	for _, stop := range stops {
		stop() // without the lock, because stop may call end
	}
	g.all.Wait()
}

func (g *taskGroup) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}
