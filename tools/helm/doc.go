// Package helm tests the Helm chart in deploy/helm/bellhop with the packages of Helm. It is a module of its own, so that the
// modules of Helm do not get into the others.
package helm
