package audit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

// Sealing of entries. A block of the chain has the hashes of entries, and a tag that the encryption key authenticates. Writers
// of entries do not wait for the chain: one node seals what the others wrote.
const (
	sealInterval = 10 * time.Second
	sealBatch    = 1024 // entries in one block
	trimBatch    = 64   // blocks in one commit
	// An entry that is committed late is sealed if its id is at most lateness older than the newest sealed one.
	lateness = time.Minute
)

// Sealer authenticates data with the encryption keys of the service. *auth.Sealer is one, also when it is nil.
type Sealer interface {
	// Tag returns a tag of the data and the name of the current key. The name is empty if there is no key.
	Tag(data []byte) (tag []byte, name string)
	// Verify reports whether Tag returned the tag. It fails if the named key is not known.
	Verify(data, tag []byte, name string) (bool, error)
	// IsCurrent reports whether the named key is the current one, or there is none.
	IsCurrent(name string) bool
}

// Errors of the chain.
var (
	// ErrChainBroken says that the stored chain is not the one that the service wrote.
	ErrChainBroken = errors.New("the chain of the audit log was changed: run bellhop doctor")
	errChainKey    = errors.New("the chain of the audit log has another key")
)

// RunSealing seals new entries every few seconds until ctx ends.
func (l *Log) RunSealing(ctx context.Context) error {
	last := "" // the last error, which is logged once
	for clock.Wait(ctx, l.Wall, sealInterval); ctx.Err() == nil; clock.Wait(ctx, l.Wall, sealInterval) {
		err := store.Exclusively(ctx, l.Store, store.AuditSealWork, 0, l.Seal)
		text := ""
		if err != nil && ctx.Err() == nil {
			if text = err.Error(); text != last {
				l.Logger.ErrorContext(ctx, "entries of the audit log not sealed", "err", err)
			}
		}
		last = text
	}
	return nil
}

// Seal adds the entries that are not sealed to the chain, except those of the last seconds: an entry gets its id before it is
// committed. It first authenticates the chain with the current key, if that has changed.
func (l *Log) Seal(ctx context.Context) error {
	if err := l.rekey(ctx); err != nil {
		return err
	}
	for more := true; more && ctx.Err() == nil; {
		err := store.Decide(ctx, l.Store, func(tx *store.Tx) (err error) {
			more, err = l.sealBlock(ctx, tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// sealBlock adds a block to the chain. It reports whether there may be entries for another one.
func (l *Log) sealBlock(ctx context.Context, tx *store.Tx) (more bool, err error) {
	chain, err := l.chain(tx.Audit)
	if err != nil {
		return false, err
	}
	list, err := unsealed(tx.Audit, chain.Through, IDAt(l.Clock.Now().Add(-overlap)))
	if err != nil || len(list) == 0 {
		return false, err
	}
	if chain.Last == 0 { // the log shows when the chain begins
		if err := l.Add(ctx, tx, Entry{Action: "audit.chain", Target: "audit"}); err != nil {
			return false, err
		}
	}
	b := store.AuditBlock{
		Number: chain.Last + 1, Original: hashOf(list), FirstID: list[0].ID, LastID: list[len(list)-1].ID, Entries: list,
	}
	b.Link = link(chain.Head, b)
	chain.Last, chain.Head, chain.Through = b.Number, b.Link, max(chain.Through, b.LastID)
	return len(list) == sealBatch, tx.Put(l.tagBlock(b), l.tagChain(chain))
}

// chain returns the description of the chain, that of a new chain if there is none.
func (l *Log) chain(q store.AuditQueries) (store.AuditChain, error) {
	chain, err := q.Chain()
	if errors.Is(err, store.ErrNotFound) {
		return store.AuditChain{First: 1}, nil
	}
	if err != nil {
		return chain, err
	}
	intact, err := l.Sealer.Verify(chainText(chain), chain.Tag, chain.Key)
	switch {
	case err != nil:
		return chain, fmt.Errorf("%w: %w", errChainKey, err)
	case !intact:
		return chain, ErrChainBroken
	}
	return chain, nil
}

// unsealed returns up to sealBatch entries with ids up to last that no block has.
func unsealed(q store.AuditQueries, through, last uint64) (list []store.AuditLeaf, err error) {
	after := earlier(through)
	blocks, err := q.BlocksWith(after, through)
	if err != nil {
		return nil, err
	}
	sealed := map[uint64]bool{}
	for _, b := range blocks {
		for _, leaf := range b.Entries {
			sealed[leaf.ID] = true
		}
	}
	err = q.Leaves(after, last, sealBatch+len(sealed), func(leaf store.AuditLeaf) error {
		if !sealed[leaf.ID] && len(list) < sealBatch {
			list = append(list, leaf)
		}
		return nil
	})
	return list, err
}

// earlier returns the id that is older than another one by lateness.
func earlier(id uint64) uint64 {
	return id - min(id, uint64(lateness.Milliseconds())<<idTimeShift)
}

// hashOf returns the hash of the entries of a block.
func hashOf(list []store.AuditLeaf) store.AuditHash { return sha256.Sum256(appendLeaves(nil, list)) }

// appendLeaves appends the ids and hashes of entries to a text that is hashed.
func appendLeaves(text []byte, list []store.AuditLeaf) []byte {
	for _, leaf := range list {
		text = append(binary.BigEndian.AppendUint64(text, leaf.ID), leaf.Hash[:]...)
	}
	return text
}

// link returns the link of a block, which depends on all blocks before it.
func link(before store.AuditHash, b store.AuditBlock) store.AuditHash {
	text := append([]byte("bellhop audit block\n"), before[:]...)
	text = binary.BigEndian.AppendUint64(text, b.Number)
	return sha256.Sum256(append(text, b.Original[:]...))
}

func (l *Log) tagChain(c store.AuditChain) store.AuditChain {
	c.Tag, c.Key = l.Sealer.Tag(chainText(c))
	return c
}

func (l *Log) tagBlock(b store.AuditBlock) store.AuditBlock {
	b.Tag, b.Key = l.Sealer.Tag(blockText(b))
	return b
}

// chainText returns what the tag of a chain authenticates.
func chainText(c store.AuditChain) []byte {
	text := append([]byte("bellhop audit chain\n"), c.Base[:]...)
	text = append(text, c.Head[:]...)
	for _, n := range []uint64{c.First, c.Last, c.Through} {
		text = binary.BigEndian.AppendUint64(text, n)
	}
	return text
}

// blockText returns what the tag of a block authenticates.
func blockText(b store.AuditBlock) []byte {
	text := append([]byte("bellhop audit entries\n"), b.Link[:]...)
	text = append(text, b.Original[:]...)
	for _, n := range []uint64{b.Number, b.FirstID, b.LastID} {
		text = binary.BigEndian.AppendUint64(text, n)
	}
	return appendLeaves(text, b.Entries)
}

// intactBlock reports whether the service wrote a block of a chain. A block without a key belongs to a chain without one.
func intactBlock(s Sealer, c store.AuditChain, b store.AuditBlock) (bool, error) {
	if b.Key == "" && c.Key != "" {
		return false, nil
	}
	return s.Verify(blockText(b), b.Tag, b.Key)
}

// rekey authenticates the chain with the current key, if another key or none did. It leaves changed blocks as they are.
func (l *Log) rekey(ctx context.Context) error {
	for next, more := uint64(0), true; more && ctx.Err() == nil; {
		last := uint64(0)
		err := store.Decide(ctx, l.Store, func(tx *store.Tx) (err error) {
			last, more, err = l.rekeyBlocks(ctx, tx, next)
			return err
		})
		if err != nil {
			return err
		}
		next = last + 1
	}
	return ctx.Err()
}

// rekeyBlocks authenticates up to trimBatch blocks with the current key, and the description of the chain after the last one.
// It returns the number of the last block, and whether more blocks follow.
func (l *Log) rekeyBlocks(ctx context.Context, tx *store.Tx, first uint64) (last uint64, more bool, err error) {
	chain, err := l.chain(tx.Audit)
	if err != nil || chain.Last == 0 || l.Sealer.IsCurrent(chain.Key) {
		return 0, false, err
	}
	blocks, err := tx.Audit.Blocks(max(chain.First, first), trimBatch)
	if err != nil {
		return 0, false, err
	}
	for _, b := range blocks {
		intact, err := intactBlock(l.Sealer, chain, b)
		if err == nil && intact {
			err = tx.Put(l.tagBlock(b))
		}
		if err != nil {
			return 0, false, err
		}
		last = b.Number
	}
	if len(blocks) == trimBatch {
		return last, true, nil
	}
	return last, false, cmp.Or(tx.Put(l.tagChain(chain)), l.Add(ctx, tx, Entry{Action: "audit.rekey", Target: "audit"}))
}

// forget removes entries from their blocks, so that the chain does not miss them. It leaves changed blocks as they are.
func (l *Log) forget(tx *store.Tx, ids []uint64) error {
	if len(ids) == 0 {
		return nil
	}
	chain, err := l.chain(tx.Audit)
	if err != nil || chain.Last == 0 {
		return brokenIsFine(err)
	}
	blocks, err := tx.Audit.BlocksWith(slices.Min(ids), slices.Max(ids))
	if err != nil {
		return err
	}
	gone := map[uint64]bool{}
	for _, id := range ids {
		gone[id] = true
	}
	for _, b := range blocks {
		intact, err := intactBlock(l.Sealer, chain, b)
		kept := slices.DeleteFunc(slices.Clone(b.Entries), func(leaf store.AuditLeaf) bool { return gone[leaf.ID] })
		if err != nil || !intact || len(kept) == len(b.Entries) {
			continue
		}
		b.Entries = kept
		if err := tx.Put(l.tagBlock(b)); err != nil {
			return err
		}
	}
	return nil
}

// brokenIsFine returns errors other than those of a changed chain. Old entries are removed in any case, and Seal reports the
// chain.
func brokenIsFine(err error) error {
	if errors.Is(err, ErrChainBroken) || errors.Is(err, errChainKey) || errors.Is(err, store.ErrDamaged) {
		return nil
	}
	return err
}

// trim removes the first blocks of the chain that have no entries left.
func (l *Log) trim(ctx context.Context) error {
	for removed := trimBatch; removed == trimBatch && ctx.Err() == nil; {
		err := store.Decide(ctx, l.Store, func(tx *store.Tx) error {
			removed = 0
			chain, err := l.chain(tx.Audit)
			if err != nil || chain.Last == 0 {
				return brokenIsFine(err)
			}
			blocks, err := tx.Audit.Blocks(chain.First, trimBatch)
			if err != nil {
				return brokenIsFine(err)
			}
			for _, b := range blocks {
				intact, err := intactBlock(l.Sealer, chain, b)
				if err != nil || !intact || len(b.Entries) > 0 || b.Number != chain.First {
					break
				}
				tx.Delete(store.AuditBlockKey(b.Number))
				chain.First, chain.Base = b.Number+1, b.Link
				removed++
			}
			if removed == 0 {
				return nil
			}
			return tx.Put(l.tagChain(chain))
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Head names a block of the chain and all entries up to it. It can be kept elsewhere, and Verify compares it.
type Head struct {
	Block uint64
	Link  store.AuditHash
}

// String returns the head as text: "12:9f86d0…".
func (h Head) String() string { return fmt.Sprintf("%d:%x", h.Block, h.Link[:]) }

// Head returns the end of the chain. It is the zero Head if no entry is sealed.
func (l *Log) Head(ctx context.Context) (h Head, err error) {
	err = l.Store.Read(ctx, func(r store.Reader) error {
		chain, err := l.chain(r.Audit)
		h = Head{chain.Last, chain.Head}
		return err
	})
	return h, err
}
