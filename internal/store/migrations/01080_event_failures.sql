-- The applications whose last event webhooks failed.

-- +goose Up

-- count is the number of failures in a row, at and why are those of the last one.
CREATE TABLE event_failures (
    application_id BIGINT PRIMARY KEY,
    count          BIGINT NOT NULL,
    at             BIGINT NOT NULL,
    why            TEXT   NOT NULL,
    checksum       BIGINT NOT NULL
);
