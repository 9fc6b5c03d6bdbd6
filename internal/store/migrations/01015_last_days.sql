-- The last day on which each user was active.

-- +goose Up

-- day counts the days since 1970 in UTC.
CREATE TABLE last_days (
    user_id  BIGINT PRIMARY KEY,
    day      BIGINT NOT NULL,
    checksum BIGINT NOT NULL
);
