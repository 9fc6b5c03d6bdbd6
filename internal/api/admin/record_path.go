package admin

import (
	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
)

// The functions below wrap functions of the directory as functions of a record: they read the arguments from the path
// and the query.

// defaultPage is the number of records in a list without the parameter limit.
const defaultPage = 100

// listPage wraps a function that returns a page of records.
func listPage[ID ~uint64, R, T any](page func(*api.Call, ID, int) ([]R, error), show func(R) T) func(*api.Call) ([]T, error) {
	return func(c *api.Call) ([]T, error) {
		q := c.Query()
		after, limit := api.QueryID[ID](q, "after"), q.Limit(defaultPage, directory.MaxPage)
		if err := q.Err(); err != nil {
			return nil, err
		}
		records, err := page(c, after, limit)
		return showAll(records, show), err
	}
}

// listOf wraps a function that returns the records of the id under name.
func listOf[ID ~uint64, R, T any](list func(*api.Call, ID) ([]R, error), name string, show func(R) T) func(*api.Call) ([]T, error) {
	return byID(func(c *api.Call, id ID) ([]T, error) {
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

// byID wraps a function that returns the record of the id under name.
func byID[ID ~uint64, T any](get func(*api.Call, ID) (T, error), name string) func(*api.Call) (T, error) {
	return func(c *api.Call) (T, error) {
		id, err := api.PathID[ID](c, name)
		if err != nil {
			var none T
			return none, err
		}
		return get(c, id)
	}
}

// within wraps a function that returns the record of two ids.
func within[A, B ~uint64, T any](outer, inner string, get func(*api.Call, A, B) (T, error)) func(*api.Call) (T, error) {
	return func(c *api.Call) (T, error) {
		a, b, err := pathIDs[A, B](c, outer, inner)
		if err != nil {
			var none T
			return none, err
		}
		return get(c, a, b)
	}
}

// pathIDs returns two ids of the path.
func pathIDs[A, B ~uint64](c *api.Call, outer, inner string) (a A, b B, err error) {
	if a, err = api.PathID[A](c, outer); err != nil {
		return 0, 0, err
	}
	b, err = api.PathID[B](c, inner)
	return a, b, err
}

// orUnknown returns err, or unknown if there is no error.
func orUnknown(err, unknown error) error {
	if err != nil {
		return err
	}
	return unknown
}
