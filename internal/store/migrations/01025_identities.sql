-- The players of applications who have no account of their own, and the users who take the place of other users.

-- +goose Up

-- hash is the SHA-256 of the application, the provider and the player's id there. user_id is a provisional user, or the user
-- with whom that user was merged.
CREATE TABLE identities (
    hash           BYTEA  PRIMARY KEY,
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL
);
CREATE INDEX identities_user ON identities (user_id, application_id, hash);
CREATE INDEX identities_application ON identities (application_id);

-- A user whose lobbies another user takes over. The row is removed when all of them have been changed.
CREATE TABLE transfers (
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL,
    PRIMARY KEY (application_id, user_id)
);
