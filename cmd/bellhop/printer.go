package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
)

// printer writes lines and keeps the first error.
type printer struct {
	out io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format+"\n", args...)
	}
}

// printSecrets prints the secrets that were just created. They cannot be shown again: the store keeps only hashes.
func printSecrets(p *printer, made client.Secrets) {
	for _, id := range slices.Sorted(maps.Keys(made.BotTokens)) {
		p.line("bot token of application %s, shown once: %s", id, made.BotTokens[id])
	}
	for _, id := range slices.Sorted(maps.Keys(made.ClientSecrets)) {
		p.line("client secret of application %s, shown once: %s", id, made.ClientSecrets[id])
	}
	for _, id := range slices.Sorted(maps.Keys(made.UserTokens)) {
		p.line("token of user %s, shown once: %s", id, made.UserTokens[id])
	}
}

// revealSecrets returns the secrets of an applied world as text.
func revealSecrets(applied directory.Applied) client.Secrets {
	return client.Secrets{
		BotTokens: reveal(applied.BotTokens), ClientSecrets: reveal(applied.ClientSecrets), UserTokens: reveal(applied.UserTokens),
	}
}

func reveal[K comparable](secrets map[K]auth.Secret) map[K]string {
	texts := make(map[K]string, len(secrets))
	for id, secret := range secrets {
		texts[id] = secret.Reveal()
	}
	return texts
}
