package sqlstore

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

// ErrNewerSchema says that a later version of the program has written the database, which this one cannot work with.
var ErrNewerSchema = errors.New("the database was written by a newer version of the program")

// generation is how many schemas, by their numbers, follow on one another without taking away or changing anything that the
// first of them has: a program works with every later schema of its own generation. What takes something away begins the
// next one. So nodes of two versions can run side by side, and one of the older version can start again meanwhile.
const generation = 1000

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the schema up to date. It runs under a lock that keeps other processes out; words replaces the phrases
// that the engine spells differently.
func Migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect, words *strings.Replacer, log *slog.Logger) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(dialect, db, translated{files, words},
		goose.WithSlog(log), goose.WithTableName("schema_versions"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	has, knows, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if has/generation > knows/generation {
		return fmt.Errorf("%w: its schema is %d, this version knows %d", ErrNewerSchema, has, knows)
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
		log.InfoContext(ctx, "schema migrated", "version", m.Source.Version)
	}
	return nil
}

// translated is the migrations in the words of an engine.
type translated struct {
	fs.FS
	words *strings.Replacer
}

// Open returns a file with its words replaced.
func (t translated) Open(name string) (fs.File, error) {
	f, err := t.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return f, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return script{f, strings.NewReader(t.words.Replace(string(text)))}, nil
}

type script struct {
	fs.File
	text *strings.Reader
}

func (s script) Read(p []byte) (int, error) { return s.text.Read(p) }
