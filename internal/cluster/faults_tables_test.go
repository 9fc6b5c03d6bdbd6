package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"github.com/jackc/pgx/v5"
)

// createVictims creates objects that the load does not use, after those that it uses: they have the highest keys.
func (c *faultTest) createVictims() {
	c.t.Helper()
	for _, r := range [][2]string{
		{"/api/v10/applications/130000000000000001/commands", `{"name":"victim","description":"Victim"}`},
		{"/api/v10/lobbies", `{"idle_timeout_seconds":604800,"members":[{"id":"200000000000000000"}]}`},
	} {
		status, text, err := c.node(1).SendUntilAvailable(c.t.Context(), "POST", r[0], "Bot bot-V7mQ2xK9tR4zL8pW3n-1", r[1])
		if err != nil || status >= 300 {
			c.t.Fatalf("%s: %d %s %v", r[0], status, text, err)
		}
	}
}

// connect connects to the database as an operator would.
func (c *faultTest) connect(ctx context.Context) (*pgx.Conn, error) {
	u, err := url.Parse(c.cluster.url)
	if err != nil {
		return nil, err
	}
	return pgx.Connect(ctx, c.cluster.postgres.URL(strings.Trim(u.Path, "/")))
}

// lockLobbies locks the table of lobbies for 10 s. Requests that do not use lobbies must succeed meanwhile.
func (c *faultTest) lockLobbies(ctx context.Context) error {
	ctx, unlock := context.WithCancel(ctx)
	var bystanders sync.WaitGroup
	for i := range c.nodes {
		bystanders.Go(func() {
			failed := 0
			for ctx.Err() == nil {
				status, text, err := c.node(i).Send(c.t.Context(), http.MethodGet, "/api/v10/applications/130000000000000002/commands", "Bot bot-V7mQ2xK9tR4zL8pW3n-2", "")
				if err != nil || status != http.StatusOK {
					if failed++; failed <= 2 {
						c.failf("lobbies is locked: node %d refuses to list commands: %d %s %v", i, status, text, err)
					}
				}
				pause(ctx, 5*time.Millisecond)
			}
		})
	}
	err := c.lock(ctx, "lobbies")
	unlock()
	bystanders.Wait()
	return err
}

func (c *faultTest) lockRandomTable(ctx context.Context) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	tables, err := listTables(ctx, conn)
	if err = errors.Join(err, conn.Close(ctx)); err != nil {
		return err
	}
	table := tables[c.random.IntN(len(tables))]
	c.t.Logf("%s is locked", table.name)
	return c.lock(ctx, table.name)
}

// lock locks a table for 10 s.
func (c *faultTest) lock(ctx context.Context, table string) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "BEGIN; LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE")
	time.Sleep(10 * time.Second)
	return errors.Join(err, conn.Close(ctx)) // rolls back
}

// table is a table of the database.
type table struct {
	name    string
	columns []string
	types   map[string]string // of the columns
	key     []string          // the columns of the primary key
}

// listTables returns the tables except the schema versions, by name.
func listTables(ctx context.Context, conn *pgx.Conn) ([]table, error) {
	rows, err := conn.Query(ctx, `SELECT c.table_name, c.column_name, c.data_type, COALESCE(k.ordinal_position, 0)
		FROM information_schema.columns c
		LEFT JOIN information_schema.table_constraints p ON p.table_schema = c.table_schema AND p.table_name = c.table_name AND p.constraint_type = 'PRIMARY KEY'
		LEFT JOIN information_schema.key_column_usage k ON k.constraint_name = p.constraint_name AND k.table_name = c.table_name AND k.column_name = c.column_name
		WHERE c.table_schema = 'public' AND c.table_name <> 'schema_versions' ORDER BY c.table_name, k.ordinal_position, c.ordinal_position`)
	if err != nil {
		return nil, err
	}
	var list []table
	var name, column, kind string
	var position int
	_, err = pgx.ForEachRow(rows, []any{&name, &column, &kind, &position}, func() error {
		if len(list) == 0 || list[len(list)-1].name != name {
			list = append(list, table{name: name, types: map[string]string{}})
		}
		t := &list[len(list)-1]
		t.columns, t.types[column] = append(t.columns, column), kind
		if position > 0 {
			t.key = append(t.key, column)
		}
		return nil
	})
	return list, err
}

// damage returns a statement that copies the row with the highest key to a key above it, without a new checksum. Times at which
// something is due are in the past, so that the loops of the nodes meet the row. The statement returns the new key.
func (t table) damage() string {
	values := make([]string, len(t.columns))
	for i, column := range t.columns {
		last := slices.Contains(t.key, column) && column == t.key[len(t.key)-1]
		switch {
		case last && t.types[column] == "bigint":
			values[i] = fmt.Sprintf("(SELECT max(%s) FROM %s) + 1", column, t.name)
		case last && t.types[column] == "bytea":
			values[i] = column + ` || '\x00'`
		case t.name == "events" && column == "doc":
			values[i] = `'\xff'`
		case column == "due" || column == "expires":
			values[i] = "1"
		case column == "user_code":
			values[i] = column + ` || '\x00'`
		case column == "channel_id" && t.name == "lobbies":
			values[i] = "0"
		default:
			values[i] = column
		}
	}
	var order, text []string
	for _, k := range t.key {
		order, text = append(order, k+" DESC"), append(text, k+"::text")
	}
	return fmt.Sprintf("INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s ORDER BY %s LIMIT 1 RETURNING ARRAY[%s]", t.name, strings.Join(t.columns, ", "),
		strings.Join(values, ", "), t.name, strings.Join(order, ", "), strings.Join(text, ", "))
}

// repair returns a statement that deletes the row with a key.
func (t table) repair(key []string) string {
	var conditions []string
	for i, k := range t.key {
		conditions = append(conditions, fmt.Sprintf("%s::text = '%s'", k, key[i]))
	}
	return "DELETE FROM " + t.name + " WHERE " + strings.Join(conditions, " AND ")
}

// damageRows adds a damaged row to each table for 5 s. The rows belong to objects that the load does not use, so all requests
// must succeed.
func (c *faultTest) damageRows(ctx context.Context) (err error) {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	tables, err := listTables(ctx, conn)
	if err != nil {
		return err
	}
	damaged, repairs := []string{}, []string{}
	for _, t := range tables {
		if _, checked := t.types["checksum"]; !checked && t.name != "events" || len(t.key) == 0 {
			continue
		}
		var key []string
		err := conn.QueryRow(ctx, t.damage()).Scan(&key)
		if errors.Is(err, pgx.ErrNoRows) {
			continue // the table is empty
		}
		if err != nil {
			c.failf("damage a row of %s: %v", t.name, err)
			continue
		}
		damaged, repairs = append(damaged, t.name), append(repairs, t.repair(key))
	}
	c.t.Logf("damaged: %s", strings.Join(damaged, ", "))
	time.Sleep(5 * time.Second)
	for _, statement := range repairs {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// stallClients connects clients that identify and then read nothing. They send pings, whose answers fill their connections, and
// then a close frame.
func (c *faultTest) stallClients(ctx context.Context) error {
	token := c.clients[0].token
	var stalled sync.WaitGroup
	problems := make(chan error, 6)
	for n := range cap(problems) {
		stalled.Go(func() {
			if err := stall(ctx, c.node(n%2), token); err != nil {
				problems <- err
			}
		})
	}
	stalled.Wait()
	close(problems)
	var err error
	for e := range problems {
		err = errors.Join(err, e)
	}
	return err
}

// stall is one client of stallClients. It holds its connection for 5 s.
func stall(ctx context.Context, p *process, token string) error {
	dialer := ws.Dialer{Timeout: 5 * time.Second, NetDial: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil {
			err = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		}
		return conn, err
	}}
	conn, _, _, err := dialer.Dial(ctx, "ws"+strings.TrimPrefix(p.Base, "http")+"/gateway/?v=10&encoding=json")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := wsutil.WriteClientText(conn, fmt.Appendf(nil, `{"op":2,"d":{"token":%q,"intents":0,"properties":{}}}`, token)); err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond) // until the session is ready
	if err := conn.SetWriteDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return err
	}
	for range 40_000 { // the node may close the connection, or stop reading it
		if err := ws.WriteFrame(conn, ws.MaskFrame(ws.NewPingFrame(make([]byte, 125)))); err != nil {
			break
		}
	}
	_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
	_ = ws.WriteFrame(conn, ws.MaskFrame(ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusNormalClosure, ""))))
	time.Sleep(5 * time.Second)
	return nil
}
