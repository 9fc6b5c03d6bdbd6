package store

import (
	"crypto/sha256"
	"encoding/binary"
)

// AuditHash is the SHA-256 of an entry of the audit log, of a block, or of all blocks up to one.
type AuditHash [sha256.Size]byte

// AuditLeaf is an entry of the audit log as a block knows it.
type AuditLeaf struct {
	ID   uint64    `json:"i"`
	Hash AuditHash `json:"h"`
}

// AuditChain describes the chain of blocks as a whole.
type AuditChain struct {
	First   uint64    `json:"first"`   // number of the first block that is kept; the blocks before had no entries left
	Base    AuditHash `json:"base"`    // link of the block before First
	Last    uint64    `json:"last"`    // number of the last block
	Head    AuditHash `json:"head"`    // link of the block Last
	Through uint64    `json:"through"` // the largest id of an entry in a block
	Key     string    `json:"key"`     // name of the key of Tag; empty: Tag is a hash without a key
	Tag     []byte    `json:"tag"`     // authenticates the other fields
}

// AuditBlock is a block of the chain.
type AuditBlock struct {
	Number   uint64      `json:"number"` // from 1 on
	Link     AuditHash   `json:"link"`   // hash of the link of the block before, Number and Original
	Original AuditHash   `json:"original"`
	FirstID  uint64      `json:"first_id"` // the smallest id of Original
	LastID   uint64      `json:"last_id"`  // the largest id of Original
	Entries  []AuditLeaf `json:"entries"`  // of Original, without those that the retention removed
	Key      string      `json:"key"`      // as in AuditChain
	Tag      []byte      `json:"tag"`      // authenticates the other fields
}

func (AuditChain) subjects() []Subject { return []Subject{AuditChainSubject()} }

func (c AuditChain) write(w *writes) { w.put(auditSealsTable, int64(0), int64(0), int64(0), w.doc(c)) }

func (AuditBlock) subjects() []Subject { return []Subject{AuditChainSubject()} }

func (b AuditBlock) write(w *writes) {
	w.put(auditSealsTable, key(b.Number), key(b.FirstID), key(b.LastID), w.doc(b))
}

// AuditChainSubject is the chain of the audit log. Only the work that seals and removes entries depends on it.
func AuditChainSubject() Subject { return Subject{Kind: KindAuditChain} }

// AuditBlockKey names a block.
func AuditBlockKey(number uint64) Key {
	return Key{subs: []Subject{AuditChainSubject()}, rows: []rowKey{{auditSealsTable, []string{"number"}, []any{key(number)}}}}
}

// Chain returns the description of the chain, or ErrNotFound.
func (q AuditQueries) Chain() (c AuditChain, err error) {
	q.read(AuditChainSubject())
	row, err := q.row(auditSealsTable, int64(0))
	if err != nil {
		return c, err
	}
	return c, decode(row.bytes(3), &c)
}

// Blocks returns up to limit blocks with numbers from first on.
func (q AuditQueries) Blocks(first uint64, limit int) ([]AuditBlock, error) {
	return q.blocks(auditSealsTable.all+" WHERE number >= ? ORDER BY number LIMIT ?", key(max(first, 1)), int64(limit))
}

// BlocksWith returns the blocks that may have entries with ids from first to last.
func (q AuditQueries) BlocksWith(first, last uint64) ([]AuditBlock, error) {
	return q.blocks(auditSealsTable.all+" WHERE last_id >= ? AND first_id <= ? AND number > 0 ORDER BY number", key(first), key(last))
}

func (q AuditQueries) blocks(query string, args ...any) ([]AuditBlock, error) {
	q.read(AuditChainSubject())
	rows, err := q.intact(auditSealsTable, false, query, args)
	list := make([]AuditBlock, len(rows))
	for i, row := range rows {
		if err := decode(row.bytes(3), &list[i]); err != nil {
			return nil, err
		}
	}
	return list, err
}

// Leaves passes the entries with ids above after and up to last to fn, in the order of their ids, at most limit of them. It
// hashes the columns as they are, also those of damaged entries.
func (q AuditQueries) Leaves(after, last uint64, limit int, fn func(AuditLeaf) error) error {
	const query = "SELECT id, actor, action, target, doc FROM audit WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"
	return q.q.Query(query, []any{key(after), key(last), int64(limit)}, func(row Row) error {
		text := binary.BigEndian.AppendUint64([]byte("bellhop audit entry\n"), uint64(row.int(0)))
		for i := 1; i < len(row); i++ {
			value := row.text(i)
			text = append(binary.BigEndian.AppendUint64(text, uint64(len(value))), value...)
		}
		return fn(AuditLeaf{uint64(row.int(0)), sha256.Sum256(text)})
	})
}
