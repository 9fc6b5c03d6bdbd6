package yardstick

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Postgres is the bare server with PostgreSQL. A request to /N stores its body in row N of a table, with one statement,
// and gets its response after the commit.
type Postgres struct {
	answer Answer
	pool   *pgxpool.Pool
}

// OpenPostgres opens a database and creates the table.
func OpenPostgres(ctx context.Context, url string, answer Answer) (*Postgres, error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("open postgres yardstick: %w", err)
	}
	if _, err := pool.Exec(ctx, "CREATE TABLE IF NOT EXISTS yardstick (id BIGINT PRIMARY KEY, body BYTEA NOT NULL)"); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open postgres yardstick: %w", err)
	}
	return &Postgres{answer, pool}, nil
}

// Close closes the connections. There must be no requests in progress.
func (p *Postgres) Close() { p.pool.Close() }

// ServeHTTP stores a request and responds.
func (p *Postgres) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/"), 10, 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		_, err = p.pool.Exec(r.Context(), "INSERT INTO yardstick (id, body) VALUES ($1, $2)"+
			" ON CONFLICT (id) DO UPDATE SET body = excluded.body", id, body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	p.answer.ServeHTTP(w, r)
}
