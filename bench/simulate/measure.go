package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/bench/process"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

const (
	firstUser = 1200000000000000001
	sessions  = 3000
	requests  = 3000
	workers   = 16
	botToken  = "bot-V7mQ2xK9tR4zL8pW3n-1"
	userToken = "user-H3kD8vB5yN0cF6jX2s-"
	app       = "1300000000000000001"
	channel   = "1300000000000000310"
	guild     = "1300000000000000300"
)

// world returns a world file with the users of the sessions, who are in no guild, and a user who invokes commands.
func world(endpoint string) []byte {
	var b strings.Builder
	b.WriteString("users:\n")
	for i := range sessions + 1 {
		fmt.Fprintf(&b, "  - {id: \"%d\", username: user%d, token: %s%d}\n", firstUser+i, i, userToken, i)
	}
	fmt.Fprintf(&b, `applications: [{id: "%s", name: Echo, owner: "%d", bot_token: %s, interactions_endpoint_url: "%s"}]
guilds:
  - id: "%s"
    name: Lab
    owner: "%d"
    channels: [{id: "%s", name: general}]
    installs: [{application: "%s", scopes: [bot, applications.commands], permissions: "8"}]
`, app, firstUser+sessions, botToken, endpoint, guild, firstUser+sessions, channel, app)
	return []byte(b.String())
}

// lab is a PostgreSQL, a Redis and nodes on this machine.
type lab struct {
	postgres *engines.Postgres
	redis    *engines.Redis
	admin    *pgx.Conn
	nodes    []*process.Process
	folder   string
	binary   string
	url      string
	world    string
	serial   atomic.Int64
	own      []int32 // PostgreSQL's processes for the first node, when there are others
}

// meter is the sum of all that was used so far.
type meter struct {
	use
	at time.Time
}

// settleTime is the time in which a node has nothing to do before it is measured. Its start is not measured.
const settleTime = 5 * time.Second

// measure measures the figures of the model.
func measure(ctx context.Context, binary string) (c costs, err error) {
	c.Machine = fmt.Sprintf("%d processors, %s", runtime.NumCPU(), runtime.Version())
	c.Date = time.Now().UTC().Format(time.DateOnly)
	if text, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output(); err == nil {
		c.Revision = strings.TrimSpace(string(text))
	}
	c.SessionBytes = sessionBytes
	return c, errors.Join(measureMessages(ctx, binary, &c), measureOthers(ctx, binary, &c), measureInvocations(ctx, binary, &c))
}

// sessionBytes is the memory of an idle session by the case gateway-idle of this benchmark, 10.6 KiB.
const sessionBytes = 10_854

// measureMessages measures all but invocations.
func measureMessages(ctx context.Context, binary string, c *costs) (err error) {
	l, err := openLab(ctx, binary, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close(ctx)) }()
	if err := l.send(ctx, requests/10, l.message); err != nil { // fills the caches
		return err
	}
	time.Sleep(settleTime)
	idle := func() error { time.Sleep(10 * time.Second); return nil }
	if c.Idle, err = l.cost(ctx, 10, use{}, idle); err != nil {
		return err
	}
	if c.Message, err = l.cost(ctx, requests, c.Idle, func() error { return l.send(ctx, requests, l.message) }); err != nil {
		return err
	}
	if err := l.admin.QueryRow(ctx, "SELECT CAST(avg(pg_column_size(e.*)) AS INT) FROM events e").Scan(&c.EventBytes); err != nil {
		return err
	}
	if c.Connect, err = l.cost(ctx, sessions, c.Idle, func() error { return l.connect(ctx) }); err != nil {
		return err
	}
	if c.Session, err = l.idleSessions(ctx, c.Idle); err != nil {
		return err
	}
	// The few commands take less time than the noise of an idle Redis: their time is that of the commands of a connect.
	c.Session.Redis = time.Duration(c.Session.Commands * float64(c.Connect.Redis) / c.Connect.Commands)
	return nil
}

// message creates a message.
func (l *lab) message(int) (path, authorization, body string) {
	return "/api/v10/channels/" + channel + "/messages", "Bot " + botToken, fmt.Sprintf(`{"content":"message %d"}`, l.serial.Add(1))
}

// measureInvocations measures invocations of a command whose app is on this machine. Only a service with dev controls sends
// requests to such an address, and it records each request, so the processor time of the node is a bit too high.
func measureInvocations(ctx context.Context, binary string, c *costs) (err error) {
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":4,"data":{"content":"pong"}}`)
	}))
	defer endpoint.Close()
	l, err := openLab(ctx, binary, endpoint.URL, "--dev")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close(ctx)) }()
	body, err := l.register(ctx)
	if err != nil {
		return err
	}
	invoke := func(int) (string, string, string) {
		return "/api/v10/interactions", userToken + strconv.Itoa(sessions), body
	}
	if err := l.send(ctx, requests/10, invoke); err != nil {
		return err
	}
	time.Sleep(settleTime)
	var before, after int
	const count = "SELECT COUNT(*) FROM events"
	if err := l.admin.QueryRow(ctx, count).Scan(&before); err != nil {
		return err
	}
	if c.Invocation, err = l.cost(ctx, requests, c.Idle, func() error { return l.send(ctx, requests, invoke) }); err != nil {
		return err
	}
	if err := l.admin.QueryRow(ctx, count).Scan(&after); err != nil {
		return err
	}
	c.InvocationEvents = float64(after-before) / requests
	return nil
}

// openLab starts the engines and a node.
func openLab(ctx context.Context, binary, endpoint string, args ...string) (l *lab, err error) {
	l = &lab{binary: binary}
	if l.folder, err = os.MkdirTemp("", "bellhop-simulate-"); err != nil {
		return nil, err
	}
	if l.postgres, err = engines.StartPostgres(ctx); err != nil {
		return nil, err
	}
	if l.redis, err = engines.StartRedis(ctx); err != nil {
		return nil, errors.Join(err, l.postgres.Stop())
	}
	if l.url, err = l.postgres.Database(ctx); err != nil {
		return nil, errors.Join(err, l.close(ctx))
	}
	l.world = filepath.Join(l.folder, "world.yaml")
	if err := os.WriteFile(l.world, world(endpoint), 0o600); err != nil {
		return nil, errors.Join(err, l.close(ctx))
	}
	if l.admin, err = pgx.Connect(ctx, l.url); err != nil {
		return nil, errors.Join(err, l.close(ctx))
	}
	return l, l.addNode(ctx, append(args, "--world", l.world)...)
}

// addNode starts a node.
func (l *lab) addNode(ctx context.Context, args ...string) error {
	data := filepath.Join(l.folder, strconv.Itoa(len(l.nodes)))
	p, err := process.Start(ctx, l.binary, append([]string{
		"serve", "--data", data, "--listen", "127.0.0.1:0", "--postgres", l.url, "--redis", l.redis.URL(), "--limits", "off",
	}, args...)...)
	if err == nil {
		l.nodes = append(l.nodes, p)
	}
	return err
}

func (l *lab) close(ctx context.Context) error {
	var errs []error
	for _, p := range l.nodes {
		errs = append(errs, p.Stop())
	}
	if l.admin != nil {
		errs = append(errs, l.admin.Close(ctx))
	}
	return errors.Join(append(errs, l.redis.Stop(), l.postgres.Stop(), os.RemoveAll(l.folder))...)
}

// read returns what was used until now.
func (l *lab) read(ctx context.Context) (m meter, err error) {
	m.at = time.Now()
	if m.Node, err = process.TreeCPU(l.nodes[0].PID()); err != nil {
		return m, err
	}
	if m.Postgres, err = process.TreeCPU(l.postgres.PID()); err != nil {
		return m, err
	}
	if m.Redis, err = process.TreeCPU(l.redis.PID()); err != nil {
		return m, err
	}
	stats, err := l.redis.Ask(ctx, "INFO stats\r\n")
	if err != nil {
		return m, err
	}
	_, rest, _ := strings.Cut(stats, "total_commands_processed:")
	if m.Commands, err = strconv.ParseFloat(strings.SplitN(rest, "\r", 2)[0], 64); err != nil {
		return m, err
	}
	return m, l.admin.QueryRow(ctx, "SELECT pg_current_wal_insert_lsn() - '0/0'").Scan(&m.Log)
}

// cost runs something and returns its cost divided by count, without base for each second.
func (l *lab) cost(ctx context.Context, count float64, base use, run func() error) (use, error) {
	before, err := l.read(ctx)
	if err != nil {
		return use{}, err
	}
	if err := run(); err != nil {
		return use{}, err
	}
	after, err := l.read(ctx)
	spent := after.plus(-1, before.use).plus(-after.at.Sub(before.at).Seconds(), base)
	return use{}.plus(1/count, spent).positive(), err
}

// register registers a command and returns the body that invokes it.
func (l *lab) register(ctx context.Context) (string, error) {
	text, err := l.post(ctx, "/api/v10/applications/"+app+"/commands", "Bot "+botToken, `{"name":"ping","description":"Ping","type":1}`)
	if err != nil {
		return "", err
	}
	var c struct{ ID, Version string }
	if err := json.Unmarshal(text, &c); err != nil {
		return "", err
	}
	return fmt.Sprintf(`{"type":2,"application_id":"%s","guild_id":"%s","channel_id":"%s","data":{"id":"%s","version":"%s","name":"ping","type":1}}`,
		app, guild, channel, c.ID, c.Version), nil
}

// post sends a request to the first node.
func (l *lab) post(ctx context.Context, path, authorization, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+l.nodes[0].Addr+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", authorization)
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(answer.Body)
	if answer.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("POST %s: %s %s", path, answer.Status, text)
	}
	return text, errors.Join(err, answer.Body.Close())
}

var client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: workers}}

// request returns the nth request to send.
type request func(n int) (path, authorization, body string)

// send sends requests, some at the same time, and waits until the nodes have nothing more to do for them.
func (l *lab) send(ctx context.Context, count int, next request) error {
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for i := range count {
		g.Go(func() error {
			path, authorization, body := next(i)
			_, err := l.post(within, path, authorization, body)
			return err
		})
	}
	err := g.Wait()
	time.Sleep(500 * time.Millisecond)
	return err
}

// connect opens and closes a session for each user.
func (l *lab) connect(ctx context.Context) error {
	stop, err := l.openSessions(ctx)
	return errors.Join(err, stop())
}

// openSessions opens a session for each user. The caller calls stop.
func (l *lab) openSessions(ctx context.Context) (stop func() error, err error) {
	conns := make([]net.Conn, sessions)
	stop = func() (err error) {
		for _, c := range conns {
			if c != nil {
				err = errors.Join(err, c.Close())
			}
		}
		time.Sleep(time.Second) // the node ends the sessions
		return err
	}
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for i := range sessions {
		g.Go(func() error {
			conn, _, err := open(within, l.nodes[0].Addr, userToken+strconv.Itoa(i), 0)
			conns[i] = conn
			return err
		})
	}
	return stop, g.Wait()
}

// open opens a session and waits for READY. The caller reads what follows from the reader, and closes the connection.
func open(ctx context.Context, addr, token string, intents int) (net.Conn, io.Reader, error) {
	conn, early, _, err := ws.Dialer{}.Dial(ctx, "ws://"+addr+"/gateway/?v=10&encoding=json")
	if err != nil {
		return nil, nil, err
	}
	from := io.Reader(conn)
	if early != nil {
		from = io.MultiReader(early, conn)
	}
	identify := fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":%d,"properties":{}}}`, token, intents)
	if err := wsutil.WriteClientText(conn, []byte(identify)); err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	for {
		text, err := wsutil.ReadServerText(struct {
			io.Reader
			io.Writer
		}{from, conn})
		if err != nil {
			return nil, nil, errors.Join(err, conn.Close())
		}
		if bytes.Contains(text, []byte(`"READY"`)) {
			return conn, from, nil
		}
	}
}

// idleSessions returns the cost of an idle session per second.
func (l *lab) idleSessions(ctx context.Context, idle use) (u use, err error) {
	stop, err := l.openSessions(ctx)
	defer func() { err = errors.Join(err, stop()) }()
	if err != nil {
		return u, err
	}
	time.Sleep(settleTime)
	const d = 20 * time.Second // with the time before, less than a client may leave out heartbeats
	return l.cost(ctx, sessions*d.Seconds(), idle, func() error { time.Sleep(d); return nil })
}

// otherNodes is the number of nodes to which no message is sent.
const otherNodes = 2

// measureOthers measures what an event costs at each other node: first without a session for it, then with one. No other session
// has ended before, because its node forgets it only after a while.
func measureOthers(ctx context.Context, binary string, c *costs) (err error) {
	l, err := openLab(ctx, binary, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close(ctx)) }()
	if err := l.send(ctx, requests, l.message); err != nil { // opens the connections of the first node
		return err
	}
	if l.own, err = l.backends(ctx); err != nil {
		return err
	}
	for range otherNodes {
		if err := l.addNode(ctx); err != nil {
			return err
		}
	}
	time.Sleep(settleTime)
	if c.Passed, err = l.elsewhere(ctx); err != nil {
		return err
	}
	if c.Passed.Postgres, err = l.lookCost(ctx); err != nil {
		return err
	}
	stop, err := l.openOnOthers(ctx)
	defer func() { err = errors.Join(err, stop()) }()
	if err != nil {
		return err
	}
	time.Sleep(settleTime)
	c.Foreign, err = l.elsewhere(ctx)
	return err
}

// openOnOthers opens a session of the bot on each other node and reads its events. The caller calls stop.
func (l *lab) openOnOthers(ctx context.Context) (stop func() error, err error) {
	var conns []net.Conn
	var reading sync.WaitGroup
	stop = func() (err error) {
		for _, c := range conns {
			err = errors.Join(err, c.Close())
		}
		reading.Wait()
		return err
	}
	for _, p := range l.nodes[1:] {
		conn, from, err := open(ctx, p.Addr, botToken, 1|1<<9) // guilds and their messages
		if err != nil {
			return stop, err
		}
		conns = append(conns, conn)
		reading.Go(func() { _, _ = io.Copy(io.Discard, from) }) // until it is closed
	}
	return stop, nil
}

// backends returns PostgreSQL's processes for clients.
func (l *lab) backends(ctx context.Context) ([]int32, error) {
	rows, err := l.admin.Query(ctx, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int32])
}

// othersUse returns the processor time of the other nodes so far, and that of PostgreSQL for them.
func (l *lab) othersUse(ctx context.Context) (u use, err error) {
	for _, p := range l.nodes[1:] {
		cpu, err := process.TreeCPU(p.PID())
		if err != nil {
			return u, err
		}
		u.Node += cpu
	}
	list, err := l.backends(ctx)
	for _, pid := range list {
		if slices.Contains(l.own, pid) {
			continue
		}
		if cpu, err := process.TreeCPU(int(pid)); err == nil { // otherwise it has just ended
			u.Postgres += cpu
		}
	}
	return u, err
}

// lookCost returns PostgreSQL's processor time to see that a node does not need an event. It takes the condition by which nodes
// read (selectEvents in internal/store/postgres), because in a running node the time is lost in that of its other queries.
func (l *lab) lookCost(ctx context.Context) (time.Duration, error) {
	const count, look = "SELECT COUNT(*) FROM events",
		" WHERE EXISTS (SELECT 1 FROM UNNEST(partitions) AS p WHERE GET_BIT(DECODE(REPEAT('00', 1024), 'hex'), p & 8191) = 1)"
	var rows, none, looked int
	if err := l.admin.QueryRow(ctx, count).Scan(&rows); err != nil {
		return 0, err
	}
	pid := int(l.admin.PgConn().PID())
	before, err := process.TreeCPU(pid)
	if err != nil {
		return 0, err
	}
	for range 20 {
		if err := l.admin.QueryRow(ctx, count+look).Scan(&none); err != nil {
			return 0, err
		}
		looked += rows
	}
	after, err := process.TreeCPU(pid)
	return (after - before) / time.Duration(max(looked, 1)), err
}

// othersDuring returns what the other nodes use while run runs, and the seconds that it takes.
func (l *lab) othersDuring(ctx context.Context, run func() error) (u use, seconds float64, err error) {
	before, err := l.othersUse(ctx)
	if err != nil {
		return u, 0, err
	}
	began := time.Now()
	if err := run(); err != nil {
		return u, 0, err
	}
	seconds = time.Since(began).Seconds()
	after, err := l.othersUse(ctx)
	return after.plus(-1, before), seconds, err
}

// elsewhere returns what a message costs at each other node: its processor time and that of PostgreSQL's processes for it, without those
// of the same time without messages. The small share of Redis would be lost in the noise of what the first node causes there.
func (l *lab) elsewhere(ctx context.Context) (u use, err error) {
	idle, idleSeconds, err := l.othersDuring(ctx, func() error { time.Sleep(settleTime); return nil })
	if err != nil {
		return u, err
	}
	all, seconds, err := l.othersDuring(ctx, func() error { return l.send(ctx, requests, l.message) })
	u = all.plus(-seconds/idleSeconds, idle)
	return use{}.plus(1./otherNodes/requests, u).positive(), err
}
