package store

import (
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// Listener says that a node has gateway clients of an application, so that events for these clients must be recorded.
// Only nodes that share a store write listeners.
type Listener struct {
	Application snowflake.Application
	Node        uint16
	Until       time.Time // when the record expires; the node renews it before
}

// ListenersSubject is the nodes that have clients of an application.
func ListenersSubject(app snowflake.Application) Subject {
	return Subject{KindListeners, uint64(app), 0}
}

func (l Listener) subjects() []Subject { return []Subject{ListenersSubject(l.Application)} }

func (l Listener) write(w *writes) {
	w.put(listenersTable, key(l.Application), int64(l.Node), micros(l.Until))
}

// ListenerKey names a listener that is out of date.
func ListenerKey(app snowflake.Application, node uint16) Key {
	return Key{
		subs: []Subject{ListenersSubject(app)},
		rows: []rowKey{{listenersTable, []string{"application_id", "node"}, []any{key(app), int64(node)}}},
	}
}

// Listeners returns the nodes that have clients of an application.
func (q NodeQueries) Listeners(app snowflake.Application) ([]Listener, error) {
	q.read(ListenersSubject(app))
	rows, err := q.rows(listenersTable, page{}, []string{"application_id"}, key(app))
	list := make([]Listener, len(rows))
	for i, row := range rows {
		list[i] = Listener{app, uint16(row.int(1)), fromMicros(row.int(2))}
	}
	return list, err
}
