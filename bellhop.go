// Package bellhop is the root of a self-hosted service that keeps application commands and lobbies, decides who may use
// what where, and carries an invocation from a person to an app and the answer back. It contains only the documentation;
// ARCHITECTURE.md says where everything is.
package bellhop

import "embed"

// Documentation holds the sources of the documentation: Markdown, pictures, and docs/nav.yaml, which is the order of the
// pages.
//
//go:embed ARCHITECTURE.md CONTRIBUTING.md SECURITY.md docs/*.md docs/*/*.md docs/nav.yaml docs/diagrams/*
var Documentation embed.FS
