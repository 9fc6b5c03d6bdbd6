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

// request is one call on one lobby, or a move of the clock by a second: the time comes first, then what is due goes.
type request struct {
	kind  string // make, put, remove, replace, retime, get, delete; tick, sweep
	user  snowflake.User
	value int // of metadata that is put, of the idle timeout, or the number of the second
	from  int // the second in which it began
}

// outcome is what the call returned.
type outcome struct {
	unknown bool   // ErrUnknownLobby
	members string // of get
}

// room is a lobby in the plainest form. Times are in seconds.
type room struct {
	made, gone     bool
	members        string // users in the order in which they joined, each with a value
	since, timeout int
	now, swept     int
}

// step returns what a room can be after a request with that outcome: nothing when it does not explain it.
func (r room) step(req request, got outcome) []any {
	switch {
	case req.kind == "tick":
		ok := r.now == req.value-1 && r.swept == r.now
		r.now = req.value
		return only(ok, r)
	case req.kind == "sweep":
		ok := r.now == req.value
		r.swept = req.value
		r.gone = r.gone || r.made && r.now >= r.since+r.timeout
		return only(ok, r)
	case req.kind == "make":
		r.made, r.timeout = true, req.value
		return r.active(req)
	case !r.made:
		return nil
	case r.gone:
		return only(got.unknown || req.kind == "delete", r)
	case got.unknown:
		return nil
	}
	return r.use(req, got)
}

// use is step for a call on a lobby that is there. Everything counts as activity but reading, and removing nobody.
func (r room) use(req request, got outcome) []any {
	before := r.members
	switch req.kind {
	case "get":
		return only(got.members == r.members, r)
	case "delete":
		r.gone = true
		return only(true, r)
	case "replace":
		r.members = seated("", req)
	case "retime":
		r.timeout = req.value
	case "remove":
		r.members = unseated(r.members, req.user)
		if r.members == before {
			return only(true, r)
		}
	case "put":
		r.members = seated(r.members, req)
	}
	return r.active(req)
}

// active returns a room after a write. It was active at some moment of the call, not later than others see the write.
func (r room) active(req request) []any {
	var rooms []any
	for r.since = req.from; r.since <= r.now; r.since++ {
		rooms = append(rooms, r)
	}
	return rooms
}

func only(ok bool, r room) []any {
	if !ok {
		return nil
	}
	return []any{r}
}

func seated(members string, req request) string {
	seat := fmt.Sprintf("%d=%d", req.user, req.value)
	seats := strings.Fields(members)
	for i, old := range seats {
		if strings.HasPrefix(old, fmt.Sprintf("%d=", req.user)) {
			seats[i] = seat
			return strings.Join(seats, " ")
		}
	}
	return strings.Join(append(seats, seat), " ")
}

func unseated(members string, user snowflake.User) string {
	seats := slices.DeleteFunc(strings.Fields(members), func(old string) bool { return strings.HasPrefix(old, fmt.Sprintf("%d=", user)) })
	return strings.Join(seats, " ")
}

// call makes a request.
func (h *hall) call(id snowflake.Lobby, req request) (outcome, error) {
	ctx := h.t.Context()
	metadata := fmt.Sprintf(`{"metadata":{"v":"%d"}`, req.value)
	var err error
	var got outcome
	switch req.kind {
	case "put":
		_, err = h.PutMember(ctx, game, id, req.user, body(h.t, metadata+"}"))
	case "remove":
		err = h.RemoveMember(ctx, game, id, req.user)
	case "replace":
		_, err = h.Edit(ctx, game, id, body(h.t, fmt.Sprintf(`{"members":[%s,"id":"%d"}]}`, metadata, req.user)))
	case "retime":
		_, err = h.Edit(ctx, game, id, body(h.t, fmt.Sprintf(`{"idle_timeout_seconds":%d}`, req.value)))
	case "delete":
		err = h.Delete(ctx, game, id)
	case "get":
		var st *lobbies.State
		if st, err = h.Lobby(ctx, game, id); err == nil {
			var seats []string
			for _, m := range st.Members {
				seats = append(seats, fmt.Sprintf("%d=%s", m.ID, m.Metadata.Map()["v"]))
			}
			got.members = strings.Join(seats, " ")
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

// witness lets many act on a few lobbies at once, and writes down what happened when.
type witness struct {
	h     *hall
	began time.Time

	mu      sync.Mutex
	history map[snowflake.Lobby][]porcupine.Operation
	rooms   [6]snowflake.Lobby

	// clock is held by whoever moves the time, and by calls that bring a deadline nearer: of those that return after it,
	// nothing is said but that the lobby goes then.
	clock sync.Mutex
	ticks []porcupine.Operation
}

// note runs something and returns it as an operation.
func (w *witness) note(worker int, req request, do func() outcome) porcupine.Operation {
	req.from = int(w.h.clock.Now().Sub(noon).Seconds())
	called := time.Since(w.began)
	got := do()
	return porcupine.Operation{ClientId: worker, Input: req, Call: int64(called), Output: got, Return: int64(time.Since(w.began))}
}

// tick moves the clock by a second.
func (w *witness) tick(worker int) {
	w.clock.Lock()
	defer w.clock.Unlock()
	second := request{kind: "tick", value: len(w.ticks)/2 + 1}
	op := w.note(worker, second, func() outcome { w.h.advance(time.Second); return outcome{} })
	w.ticks = append(w.ticks, op)
	op.Input = request{kind: "sweep", value: second.value}
	w.ticks = append(w.ticks, op)
}

// open makes a lobby in place of the one in a room.
func (w *witness) open(worker, room, timeout int) {
	w.clock.Lock()
	defer w.clock.Unlock()
	var id snowflake.Lobby
	op := w.note(worker, request{kind: "make", value: timeout}, func() outcome {
		id = w.h.make(fmt.Sprintf(`{"idle_timeout_seconds":%d}`, timeout))
		return outcome{}
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rooms[room] = id
	w.history[id] = append(w.history[id], op)
}

// use makes a call on the lobby in a room and reports whether it is there.
func (w *witness) use(worker, room int, req request) bool {
	w.mu.Lock()
	id := w.rooms[room]
	w.mu.Unlock()
	if req.kind == "retime" {
		w.clock.Lock()
		defer w.clock.Unlock()
	}
	op := w.note(worker, req, func() outcome {
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

// TestLinearizable makes many calls on a few lobbies at once while the clock is moved, and checks that some order of the calls
// on each lobby explains every answer. The cache has room for few of the states, so that many are read from the store.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.end()
	h.cacheBytes = 64 * 1200
	h.begin(lobbies.Settings{})
	w := &witness{h: h, began: time.Now(), history: map[snowflake.Lobby][]porcupine.Operation{}}
	const workers, each = 8, 150
	for room := range w.rooms {
		w.open(0, room, 5)
	}
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(worker), 1))
			for range each {
				room := r.IntN(len(w.rooms))
				if !w.use(worker, room, anyRequest(r)) {
					w.open(worker, room, 5+r.IntN(4))
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
		if !deleted && w.h.show(id) == "unknown lobby" {
			expired++
		}
		result := porcupine.CheckOperationsTimeout(roomModel, slices.Concat(calls, w.ticks), 20*time.Second)
		if result != porcupine.Ok {
			t.Errorf("%d calls on a lobby: %v", len(calls), result)
		}
		w.h.want(id, w.h.show(id)) // what is in memory is what is on disk
	}
	if expired < len(w.rooms) {
		t.Errorf("%d lobbies of %d have shut down, too few to tell", expired, len(w.history))
	}
}

var roomModel = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{room{}} },
	Step: func(state, in, out any) []any { return state.(room).step(in.(request), out.(outcome)) },
}).ToModel()
