package directory

import (
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// dropEntries removes what the permission sets of commands in a guild say about a role, a user or a channel that is gone
// from it.
func (w *work) dropEntries(guild snowflake.Guild, kind permission.EntryType, id snowflake.Target) error {
	sets, err := w.tx.Commands.GuildOverwrites(guild)
	if err != nil {
		return err
	}
	for _, s := range sets {
		rest := slices.DeleteFunc(slices.Clone(s.Entries), func(e store.OverwriteEntry) bool {
			return e.Type == uint8(kind) && e.ID == id
		})
		if len(rest) == len(s.Entries) {
			continue
		}
		s.Entries = rest
		if err := w.putSilently(s); err != nil {
			return err
		}
	}
	return nil
}
