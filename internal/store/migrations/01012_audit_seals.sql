-- The chain of hashes that shows whether entries of the audit log were deleted or changed.

-- +goose Up

-- Row 0 describes the chain as a whole. The others are its blocks: doc has the hash of each entry, first_id and last_id bound
-- the ids of these entries.
CREATE TABLE audit_seals (
    number   BIGINT PRIMARY KEY,
    first_id BIGINT NOT NULL,
    last_id  BIGINT NOT NULL,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL
);
CREATE INDEX audit_seals_last ON audit_seals (last_id);
