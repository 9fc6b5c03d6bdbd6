package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"

	"github.com/pressly/goose/v3"
)

// ErrNewerSchema says that the schema of the database belongs to a newer generation, which this version cannot use.
var ErrNewerSchema = errors.New("a newer version of the program has migrated the database")

// generation is the number of schema numbers in one generation. Within a generation, migrations only add tables and
// columns. So a program works with every later schema of its generation, and nodes of two versions can run at the same
// time.
const generation = 1000

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the schema up to date. The engine holds a lock, so that no other process migrates at the same time.
// replacer replaces the parts of the schema that the engine writes differently.
func Migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect, replacer *strings.Replacer, log *slog.Logger) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(dialect, db, translated{files, replacer},
		goose.WithSlog(log), goose.WithTableName("schema_versions"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	has, knows, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if has/generation > knows/generation {
		return fmt.Errorf("%w: the schema is %d, this version knows %d", ErrNewerSchema, has, knows)
	}
	if has > knows {
		log.WarnContext(ctx, "the database has a newer schema, which this version can work with", "schema", has, "known", knows)
		return nil
	}
	applied, err := p.Up(ctx)
	if err != nil {
		return err
	}
	for _, m := range applied {
		log.DebugContext(ctx, "schema migrated", "version", m.Source.Version)
	}
	return nil
}

// translated holds the migrations for one engine.
type translated struct {
	fs.FS
	replacer *strings.Replacer
}

// Open returns a migration for the engine.
func (t translated) Open(name string) (fs.File, error) {
	f, err := t.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return f, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return script{f, strings.NewReader(t.replacer.Replace(string(text)))}, nil
}

type script struct {
	fs.File
	text *strings.Reader
}

func (s script) Read(p []byte) (int, error) { return s.text.Read(p) }
