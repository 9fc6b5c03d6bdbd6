package lobbies_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/snowflake"
)

// request is one call on one lobby, or the clock moving by a second: "tick" moves the time, "sweep" deletes what is
// due.
type request struct {
	kind  string // create, put, remove, replace, retime, get, delete; tick, sweep
	user  snowflake.User
	value int // the metadata, the idle timeout, or the number of the second
	from  int // the second in which the call began
}

// outcome is the result of the call.
type outcome struct {
	unknown bool   // ErrUnknownLobby
	members string // result of get
}

// lobbyModel is a simple model of a lobby. Times are in seconds.
type lobbyModel struct {
	made, gone     bool
	members        string // users in the order of joining, each with its metadata
	since, timeout int
	now, swept     int
}

// step returns the possible states after a request with the given outcome, none if the outcome is impossible.
func (m lobbyModel) step(req request, got outcome) []any {
	switch {
	case req.kind == "tick":
		ok := m.now == req.value-1 && m.swept == m.now
		m.now = req.value
		return only(ok, m)
	case req.kind == "sweep":
		ok := m.now == req.value
		m.swept = req.value
		m.gone = m.gone || m.made && m.now >= m.since+m.timeout
		return only(ok, m)
	case req.kind == "create":
		m.made, m.timeout = true, req.value
		return m.active(req)
	case !m.made:
		return nil
	case m.gone:
		return only(got.unknown || req.kind == "delete", m)
	case got.unknown:
		return nil
	}
	return m.use(req, got)
}

// use implements step for a lobby that exists. Every call counts as activity except a read and the removal of a user
// who is not a member.
func (m lobbyModel) use(req request, got outcome) []any {
	before := m.members
	switch req.kind {
	case "get":
		return only(got.members == m.members, m)
	case "delete":
		m.gone = true
		return only(true, m)
	case "replace":
		m.members = withMember("", req)
	case "retime":
		m.timeout = req.value
	case "remove":
		m.members = withoutMember(m.members, req.user)
		if m.members == before {
			return only(true, m)
		}
	case "put":
		m.members = withMember(m.members, req)
	}
	return m.active(req)
}

// active returns the possible states after a write. The lobby was active at some moment between the beginning of the
// call and now.
func (m lobbyModel) active(req request) []any {
	var models []any
	for m.since = req.from; m.since <= m.now; m.since++ {
		models = append(models, m)
	}
	return models
}

func only(ok bool, m lobbyModel) []any {
	if !ok {
		return nil
	}
	return []any{m}
}

func withMember(members string, req request) string {
	member := fmt.Sprintf("%d=%d", req.user, req.value)
	list := strings.Fields(members)
	for i, old := range list {
		if strings.HasPrefix(old, fmt.Sprintf("%d=", req.user)) {
			list[i] = member
			return strings.Join(list, " ")
		}
	}
	return strings.Join(append(list, member), " ")
}

func withoutMember(members string, user snowflake.User) string {
	list := slices.DeleteFunc(strings.Fields(members), func(old string) bool { return strings.HasPrefix(old, fmt.Sprintf("%d=", user)) })
	return strings.Join(list, " ")
}

// call executes a request.
func (h *harness) call(id snowflake.Lobby, req request) (outcome, error) {
	ctx := h.t.Context()
	metadata := fmt.Sprintf(`{"metadata":{"v":"%d"}`, req.value)
	var err error
	var got outcome
	switch req.kind {
	case "put":
		_, err = h.Members.Put(ctx, game, id, req.user, body(h.t, metadata+"}"))
	case "remove":
		err = h.Members.Remove(ctx, game, id, req.user)
	case "replace":
		_, err = h.Edit(ctx, game, id, body(h.t, fmt.Sprintf(`{"members":[%s,"id":"%d"}]}`, metadata, req.user)))
	case "retime":
		_, err = h.Edit(ctx, game, id, body(h.t, fmt.Sprintf(`{"idle_timeout_seconds":%d}`, req.value)))
	case "delete":
		err = h.Delete(ctx, game, id)
	case "get":
		var st *lobbies.State
		if st, err = h.Lobby(ctx, game, id); err == nil {
			var list []string
			for _, m := range st.Members {
				list = append(list, fmt.Sprintf("%d=%s", m.ID, m.Metadata.Map()["v"]))
			}
			got.members = strings.Join(list, " ")
		}
	}
	if errors.Is(err, lobbies.ErrUnknownLobby) {
		return outcome{unknown: true}, nil
	}
	return got, err
}

func anyRequest(r *rand.Rand) request {
	req := request{user: snowflake.User(1 + r.IntN(3)), value: r.IntN(1000)}
	switch p := r.IntN(100); {
	case p < 2:
		req.kind = "delete"
	case p < 50:
		req.kind = "get"
	case p < 75:
		req.kind = "put"
	case p < 87:
		req.kind = "remove"
	case p < 95:
		req.kind = "replace"
	default:
		req.kind, req.value = "retime", 5+r.IntN(4)
	}
	return req
}

// history executes requests on a few lobbies from many goroutines and records them.
type history struct {
	h     *harness
	began time.Time

	mu      sync.Mutex
	history map[snowflake.Lobby][]porcupine.Operation
	slots   [6]snowflake.Lobby

	// clock is locked by a goroutine that moves the time, and by calls that shorten a deadline, so that the model knows
	// when the lobby is deleted.
	clock sync.Mutex
	ticks []porcupine.Operation
}

// record runs do and returns it as an operation.
func (w *history) record(worker int, req request, do func() outcome) porcupine.Operation {
	req.from = int(w.h.clock.Now().Sub(noon).Seconds())
	called := time.Since(w.began)
	got := do()
	return porcupine.Operation{ClientId: worker, Input: req, Call: int64(called), Output: got, Return: int64(time.Since(w.began))}
}

// tick moves the clock by a second.
func (w *history) tick(worker int) {
	w.clock.Lock()
	defer w.clock.Unlock()
	second := request{kind: "tick", value: len(w.ticks)/2 + 1}
	op := w.record(worker, second, func() outcome { w.h.advance(time.Second); return outcome{} })
	w.ticks = append(w.ticks, op)
	op.Input = request{kind: "sweep", value: second.value}
	w.ticks = append(w.ticks, op)
}

// open creates a lobby in a slot.
func (w *history) open(worker, slot, timeout int) {
	w.clock.Lock()
	defer w.clock.Unlock()
	var id snowflake.Lobby
	op := w.record(worker, request{kind: "create", value: timeout}, func() outcome {
		id = w.h.create(fmt.Sprintf(`{"idle_timeout_seconds":%d}`, timeout))
		return outcome{}
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slots[slot] = id
	w.history[id] = append(w.history[id], op)
}

// use executes a request on the lobby in a slot and reports whether the lobby exists.
func (w *history) use(worker, slot int, req request) bool {
	w.mu.Lock()
	id := w.slots[slot]
	w.mu.Unlock()
	if req.kind == "retime" {
		w.clock.Lock()
		defer w.clock.Unlock()
	}
	op := w.record(worker, req, func() outcome {
		got, err := w.h.call(id, req)
		if err != nil {
			w.h.t.Errorf("%+v: %v", req, err)
		}
		return got
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.history[id] = append(w.history[id], op)
	return !op.Output.(outcome).unknown
}

// TestLinearizable executes requests on a few lobbies at once while the clock moves, and checks that the results of
// each lobby are linearizable. The cache holds few states, so that many are read from the store.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.close()
	h.cacheBytes = 64 * 1200
	h.start(lobbies.Settings{})
	w := &history{h: h, began: time.Now(), history: map[snowflake.Lobby][]porcupine.Operation{}}
	const workers, each = 8, 150
	for slot := range w.slots {
		w.open(0, slot, 5)
	}
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(worker), 1))
			for range each {
				slot := r.IntN(len(w.slots))
				if !w.use(worker, slot, anyRequest(r)) {
					w.open(worker, slot, 5+r.IntN(4))
				}
				if r.IntN(4) == 0 {
					w.tick(worker)
				}
			}
		})
	}
	wg.Wait()
	expired := 0
	for id, calls := range w.history {
		deleted := slices.ContainsFunc(calls, func(o porcupine.Operation) bool { return o.Input.(request).kind == "delete" })
		if !deleted && w.h.describe(id) == "unknown lobby" {
			expired++
		}
		result := porcupine.CheckOperationsTimeout(roomModel, slices.Concat(calls, w.ticks), 20*time.Second)
		if result != porcupine.Ok {
			t.Errorf("%d calls on a lobby: %v", len(calls), result)
		}
		w.h.want(id, w.h.describe(id)) // the cache agrees with the store
	}
	if expired < len(w.slots) {
		t.Errorf("%d lobbies of %d have shut down, too few to tell", expired, len(w.history))
	}
}

var roomModel = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{lobbyModel{}} },
	Step: func(state, in, out any) []any { return state.(lobbyModel).step(in.(request), out.(outcome)) },
}).ToModel()
