package control

import (
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/ledger"
	"github.com/bellhop/bellhop/internal/rest"
	"github.com/bellhop/bellhop/snowflake"
)

// The functions below read what a request for records has in its path and query, and hand it on.

// adminPage is how many records an answer lists when nothing is said.
const adminPage = 100

func listPage[ID ~uint64, R, T any](page func(*rest.Call, ID, int) ([]R, error), show func(R) T) func(*rest.Call) ([]T, error) {
	return func(c *rest.Call) ([]T, error) {
		q := c.Query()
		after, limit := rest.QueryID[ID](q, "after"), q.Limit(adminPage, directory.MaxPage)
		if err := q.Err(); err != nil {
			return nil, err
		}
		records, err := page(c, after, limit)
		return showAll(records, show), err
	}
}

func listOf[ID ~uint64, R, T any](list func(*rest.Call, ID) ([]R, error), name string, show func(R) T) func(*rest.Call) ([]T, error) {
	return byID(func(c *rest.Call, id ID) ([]T, error) {
		records, err := list(c, id)
		return showAll(records, show), err
	}, name)
}

func showAll[R, T any](records []R, show func(R) T) []T {
	list := make([]T, len(records))
	for i, r := range records {
		list[i] = show(r)
	}
	return list
}

func byID[ID ~uint64, T any](get func(*rest.Call, ID) (T, error), name string) func(*rest.Call) (T, error) {
	return func(c *rest.Call) (T, error) {
		id, err := rest.PathID[ID](c, name)
		if err != nil {
			var none T
			return none, err
		}
		return get(c, id)
	}
}

func within[A, B ~uint64, T any](outer, inner string, get func(*rest.Call, A, B) (T, error)) func(*rest.Call) (T, error) {
	return byID(func(c *rest.Call, a A) (T, error) {
		return byID(func(c *rest.Call, b B) (T, error) { return get(c, a, b) }, inner)(c)
	}, outer)
}

func deleteByID[ID ~uint64](remove func(*rest.Call, ID) error, name string) func(*rest.Call) error {
	return func(c *rest.Call) error {
		id, err := rest.PathID[ID](c, name)
		if err != nil {
			return err
		}
		return remove(c, id)
	}
}

func deleteWithin[A, B ~uint64](outer, inner string, remove func(*rest.Call, A, B) error) func(*rest.Call) error {
	return deleteByID(func(c *rest.Call, a A) error {
		return deleteByID(func(c *rest.Call, b B) error { return remove(c, a, b) }, inner)(c)
	}, outer)
}

func putInGuild[T any](
	put func(*rest.Call, snowflake.Guild, T) (ledger.Applied, error),
) func(*rest.Call, T) (ledger.Applied, error) {
	return func(c *rest.Call, record T) (ledger.Applied, error) {
		guild, err := rest.PathID[snowflake.Guild](c, "guild_id")
		if err != nil {
			return ledger.Applied{}, err
		}
		return put(c, guild, record)
	}
}

// orUnknown returns err, or unknown when a record is there that is not the one that was meant.
func orUnknown(err, unknown error) error {
	if err != nil {
		return err
	}
	return unknown
}
