package audit

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// errHead says what a head looks like.
var errHead = errors.New("a head of the audit log is a number, a colon and 64 hexadecimal digits, as bellhop audit --head prints it")

// ParseHead reads the text of a Head.
func ParseHead(text string) (h Head, err error) {
	number, digits, _ := strings.Cut(strings.TrimSpace(text), ":")
	sum, err := hex.DecodeString(digits)
	block, numberErr := strconv.ParseUint(number, 10, 63)
	if err != nil || numberErr != nil || len(sum) != len(h.Link) {
		return h, errHead
	}
	return Head{block, store.AuditHash(sum)}, nil
}

// Verification compares the audit log with its chain.
type Verification struct {
	Reader store.Reader
	Sealer Sealer // the keys
	Heads  []Head // that the operator kept
	// Problem is called for each problem with its kind, and the entry or block.
	Problem func(kind, where string)
	// Note is called with what is not checked.
	Note func(text string)
	// Sealed and Pending are the numbers of entries in the chain, and of those that are not yet in it.
	Sealed, Pending int

	chain  store.AuditChain
	leaves []sealedEntry
}

// sealedEntry is an entry of a block.
type sealedEntry struct {
	store.AuditLeaf
	block uint64
}

// The kinds of problems.
const (
	chainProblem   = "the chain of the audit log was changed"
	deletedProblem = "deleted from the audit log"
	changedProblem = "changed in the audit log"
	addedProblem   = "added to the audit log"
)

// Run verifies the chain, and then all entries.
func (v *Verification) Run() error {
	chain, err := v.Reader.Audit.Chain()
	switch {
	case errors.Is(err, store.ErrNotFound):
		return v.withoutChain()
	case errors.Is(err, store.ErrDamaged):
		v.Problem(chainProblem, "its description cannot be read: "+err.Error())
		return nil
	case err != nil:
		return err
	}
	v.chain = chain
	if known := v.verifyDescription(); !known {
		return nil
	}
	if err := v.verifyBlocks(); err != nil {
		return err
	}
	return v.verifyEntries()
}

// withoutChain reports entries that a service should have sealed, and blocks without the description of their chain.
func (v *Verification) withoutChain() error {
	blocks, err := v.Reader.Audit.Blocks(0, 1)
	if err != nil && !errors.Is(err, store.ErrDamaged) {
		return err
	}
	first, last := uint64(0), uint64(0)
	err = v.Reader.Audit.Leaves(0, math.MaxInt64, math.MaxInt64, func(leaf store.AuditLeaf) error {
		first, last = cmp.Or(first, leaf.ID), leaf.ID
		v.Pending++
		return nil
	})
	switch {
	case len(blocks) > 0:
		v.Problem(chainProblem, "its description is missing")
	case len(v.Heads) > 0 || timeOf(last).Sub(timeOf(first)) > time.Hour:
		v.Problem(chainProblem, fmt.Sprintf("there is none for %d entries", v.Pending))
	}
	return err
}

// verifyDescription checks the description of the chain. It returns false when its key is not known.
func (v *Verification) verifyDescription() (known bool) {
	intact, err := v.Sealer.Verify(chainText(v.chain), v.chain.Tag, v.chain.Key)
	switch {
	case err != nil:
		v.Note("the audit log is not checked: name the key file of the service with --encryption-key-file (key " + v.chain.Key + ")")
		return false
	case !intact:
		v.Problem(chainProblem, "its description was not written by the service")
	case v.chain.Key == "" && !v.Sealer.IsCurrent(""):
		v.Problem(chainProblem, "it has no key. If the service ran with the key, the chain was replaced. Otherwise start the service once")
	}
	return true
}

// verifyBlocks checks that the blocks are complete and follow each other, and collects their entries.
func (v *Verification) verifyBlocks() error {
	next, before := v.chain.First, v.chain.Base
	v.verifyHead(next-1, before)
	for {
		blocks, err := v.Reader.Audit.Blocks(next, trimBatch)
		if errors.Is(err, store.ErrDamaged) {
			v.Problem(chainProblem, fmt.Sprintf("a block from %d on cannot be read: %v", next, err))
			return nil
		}
		if err != nil {
			return err
		}
		for _, b := range blocks {
			if b.Number != next {
				v.Problem(chainProblem, fmt.Sprintf("blocks %d to %d are missing", next, b.Number-1))
			} else if link(before, b) != b.Link {
				v.Problem(chainProblem, fmt.Sprintf("block %d does not follow the block before it", b.Number))
			}
			if intact, err := intactBlock(v.Sealer, v.chain, b); err != nil || !intact {
				v.Problem(chainProblem, fmt.Sprintf("block %d was not written by the service", b.Number))
			}
			for _, leaf := range b.Entries {
				v.leaves = append(v.leaves, sealedEntry{leaf, b.Number})
			}
			next, before = b.Number+1, b.Link
			v.verifyHead(b.Number, b.Link)
		}
		if len(blocks) < trimBatch {
			break
		}
	}
	if next-1 != v.chain.Last || before != v.chain.Head {
		v.Problem(chainProblem, fmt.Sprintf("it ends with block %d instead of %d", next-1, v.chain.Last))
	}
	for _, h := range v.Heads {
		switch {
		case h.Block > v.chain.Last:
			v.Problem(chainProblem, fmt.Sprintf("the head names block %d, but the last block is %d: an older state was restored", h.Block, v.chain.Last))
		case h.Block+1 < v.chain.First:
			v.Note(fmt.Sprintf("block %d of the head is older than the audit log", h.Block))
		}
	}
	return nil
}

// verifyHead compares the link of a block with the heads that the operator kept.
func (v *Verification) verifyHead(block uint64, l store.AuditHash) {
	for _, h := range v.Heads {
		if h.Block == block && h.Link != l {
			v.Problem(chainProblem, fmt.Sprintf("block %d is not the one that the head names", block))
		}
	}
}

// verifyEntries compares all entries with those of the blocks.
func (v *Verification) verifyEntries() error {
	slices.SortFunc(v.leaves, func(a, b sealedEntry) int { return cmp.Compare(a.ID, b.ID) })
	v.Sealed = len(v.leaves)
	rest := v.leaves
	pendingAfter := earlier(v.chain.Through)
	missing := func(e sealedEntry) {
		v.Problem(deletedProblem, fmt.Sprintf("entry %s of block %d", nameOf(e.ID), e.block))
	}
	err := v.Reader.Audit.Leaves(0, math.MaxInt64, math.MaxInt64, func(leaf store.AuditLeaf) error {
		for len(rest) > 0 && rest[0].ID < leaf.ID {
			missing(rest[0])
			rest = rest[1:]
		}
		switch {
		case len(rest) > 0 && rest[0].ID == leaf.ID:
			if rest[0].Hash != leaf.Hash {
				v.Problem(changedProblem, fmt.Sprintf("entry %s of block %d", nameOf(leaf.ID), rest[0].block))
			}
			rest = rest[1:]
		case leaf.ID > pendingAfter:
			v.Pending++
		default:
			v.Problem(addedProblem, "entry "+nameOf(leaf.ID))
		}
		return nil
	})
	for _, e := range rest {
		missing(e)
	}
	return err
}

// nameOf names an entry by its id and time.
func nameOf(id uint64) string { return fmt.Sprintf("%d of %s", id, timeOf(id).Format(time.RFC3339)) }

// timeOf returns the time of an id.
func timeOf(id uint64) time.Time {
	return time.UnixMilli(int64(id>>idTimeShift) + snowflake.Epoch).UTC()
}
