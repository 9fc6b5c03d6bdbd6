-- The keys with which the service itself signs requests to other programs.

-- +goose Up

CREATE TABLE service_keys (
    name     TEXT   PRIMARY KEY,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL
);
