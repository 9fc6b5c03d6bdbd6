-- The nonces of invocations, so that a request that a client repeats at another node does not invoke twice.

-- +goose Up

-- hash is that of the user and the nonce.
CREATE TABLE nonces (
    hash           BYTEA  NOT NULL PRIMARY KEY,
    interaction_id BIGINT NOT NULL,
    checksum       BIGINT NOT NULL
) /* by key */;
CREATE INDEX nonces_interaction ON nonces (interaction_id);
