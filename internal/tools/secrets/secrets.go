// Package secrets saves and prints the secrets that a service has just created. They cannot be shown again: the store keeps only
// their hashes.
package secrets

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// NewFile is the name of the file in the data folder that holds the secrets which a world file did not name and a
// start has created.
const NewFile = "new-secrets"

// Save appends the secrets that the start has created to a file that only the user of the process can read, and
// logs the path. Log lines go to other systems, so the secrets are not among them.
func Save(ctx context.Context, data string, made client.Secrets, log *slog.Logger) (err error) {
	count := len(made.BotTokens) + len(made.ClientSecrets) + len(made.UserTokens)
	if count == 0 {
		return nil
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	path := filepath.Join(data, NewFile)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	p := terminal.Printer{Out: file}
	if Print(&p, made); p.Err != nil {
		return p.Err
	}
	log.InfoContext(ctx, "the new secrets of the world file are in a file", "path", path, "secrets", count)
	return nil
}

// Print prints the secrets that were just created.
func Print(p *terminal.Printer, made client.Secrets) {
	for _, id := range slices.Sorted(maps.Keys(made.BotTokens)) {
		p.Line("bot token of application %s, shown once: %s", id, made.BotTokens[id])
	}
	for _, id := range slices.Sorted(maps.Keys(made.ClientSecrets)) {
		p.Line("client secret of application %s, shown once: %s", id, made.ClientSecrets[id])
	}
	for _, id := range slices.Sorted(maps.Keys(made.UserTokens)) {
		p.Line("token of user %s, shown once: %s", id, made.UserTokens[id])
	}
}

// Reveal returns the secrets of an applied world as text.
func Reveal(applied provision.Applied) client.Secrets {
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

// OperatorFile is the name of the file in the data folder that holds the token which the first start creates.
const OperatorFile = "operator-token"

// SaveOperator writes a new token into a file that only the user of the process can read. It returns the path.
func SaveOperator(data string, token auth.Secret) (path string, err error) {
	path = filepath.Join(data, OperatorFile)
	defer func() {
		if err != nil {
			err = fmt.Errorf("save the operator's token, create another one with bellhop token admin --data: %w", err)
		}
	}()
	if err := os.MkdirAll(data, 0o700); err != nil { // a node with --postgres and --attachments has no folder yet
		return "", err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintln(file, token.Reveal())
	return path, errors.Join(err, file.Close())
}
