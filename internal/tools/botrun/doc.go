// Package botrun runs a bot that was written for Discord, unchanged, against a service on this machine.
//
// A front is a TLS server with a certificate authority that is made for one run. It answers as each of Discord's hosts and forwards
// requests to the service. Connections reach it in one of three ways: Node.js programs load preload.mjs, which sends connections to
// port 443 there; Python programs load sitecustomize.py, which does the same; all other programs use it as an HTTPS proxy. Nothing is
// forwarded to another machine, so a token of Discord that a bot sends stays here.
package botrun
