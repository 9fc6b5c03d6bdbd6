-- Deliveries to other programs, which are stored with the change that they report.

-- +goose Up

-- The deliveries of a lane are made in the order of revision and id, one at a time; lane 0 has no order. due is when to try.
CREATE TABLE outbox (
    id       BIGINT PRIMARY KEY,
    queue    TEXT   NOT NULL,
    lane     BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    due      BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    payload  BYTEA  NOT NULL,
    checksum BIGINT NOT NULL
);
CREATE INDEX outbox_due ON outbox (queue, due);
CREATE INDEX outbox_lane ON outbox (lane, revision, id);
