// Package release tests what a release consists of: the npm packages, the templates for CI, the systemd unit and the files
// for containers. It is a module of its own, so that the modules of goreleaser do not get into the others.
package release
