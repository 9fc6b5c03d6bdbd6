package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// newSealer returns the sealer of Config.EncryptionKey. It is nil if there is none.
func newSealer(key auth.Secret) (*auth.Sealer, error) {
	if key == "" {
		return nil, nil
	}
	s, err := auth.NewSealer(key.Reveal())
	if err != nil {
		return nil, fmt.Errorf("read the encryption key: %w", err)
	}
	return s, nil
}

// openKeyFile returns the sealer of the key file in the data folder. It creates the file if there is none, unless stored keys are
// encrypted with another key.
func (s *Server) openKeyFile(ctx context.Context, cfg Config) (*auth.Sealer, error) {
	file := filepath.Join(cfg.Data, auth.KeyFileName)
	key, err := auth.ReadKeyFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.checkUnsealed(ctx, cfg); err != nil {
			return nil, fmt.Errorf("%w\nPut the key into %s, or name it with --encryption-key-file: see docs/operations.md", err, file)
		}
		key, err = auth.CreateKeyFile(file)
		switch {
		case err == nil:
			cfg.Log.InfoContext(ctx, "the encryption key is in a file: keep a copy of it apart from the backups", "path", file)
		case s.ReadOnly():
			cfg.Log.WarnContext(ctx, "keys are not encrypted: the encryption key cannot be stored", "err", err)
			return nil, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	if err := auth.CheckKeyFile(file); err != nil {
		cfg.Log.WarnContext(ctx, "the encryption key is not protected", "err", err)
	}
	return newSealer(key)
}

// checkUnsealed returns an error if a stored key is encrypted.
func (s *Server) checkUnsealed(ctx context.Context, cfg Config) error {
	var none *auth.Sealer // it opens only keys that are not encrypted
	if _, _, err := attachments.CheckKey(cmp.Or(cfg.Attachments, filepath.Join(cfg.Data, AttachmentsFolder)), none); err != nil {
		return err
	}
	return s.store.Read(ctx, func(r store.Reader) error {
		keys, err := r.Grants.SigningKeys()
		if err != nil {
			return err
		}
		for _, k := range keys {
			if _, err := none.Open(k.Private, k.Sealed, "ID tokens "+k.ID); err != nil {
				return err
			}
		}
		own, err := r.Grants.ServiceKeys()
		if err != nil {
			return err
		}
		for _, k := range own {
			if _, err := none.Open(k.Seed, k.Sealed, k.SealLabel()); err != nil {
				return err
			}
		}
		return checkUnsealedApplications(r, none)
	})
}

// checkUnsealedApplications returns an error if the stored key of an application is encrypted.
func checkUnsealedApplications(r store.Reader, none *auth.Sealer) error {
	const page = 1000
	for last := snowflake.Application(0); ; {
		apps, err := r.Directory.Applications(last, page)
		if err != nil || len(apps) == 0 {
			return err
		}
		for _, app := range apps {
			last = app.ID
			if _, err := none.ApplicationKey(&app); err != nil {
				return err
			}
		}
	}
}

// errKeysDiffer says that two nodes cannot decrypt what the other one encrypts.
var errKeysDiffer = errors.New("the nodes have different encryption keys")

// holderOf returns the text that identifies a process in its lease: its name, and the names of its encryption keys. The first one
// encrypts.
func holderOf(name string, keys []string) string { return name + " " + strings.Join(keys, " ") }

// checkPeer returns an error if this process and a node that runs cannot decrypt what the other one encrypts. Both are holders of
// leases. Nodes of earlier versions do not name their keys.
func checkPeer(own string, peer store.Node) error {
	ours, theirs := strings.Fields(own), strings.Fields(peer.Holder)
	if len(ours) < 2 || len(theirs) < 2 {
		return nil
	}
	ours, theirs = ours[1:], theirs[1:]
	const none = "none"
	switch {
	case theirs[0] != none && !slices.Contains(ours, theirs[0]):
		return fmt.Errorf("%w: node %d encrypts with the key %s, and this node has %s. See docs/operations.md",
			errKeysDiffer, peer.Number, theirs[0], strings.Join(ours, ", "))
	case ours[0] != none && !slices.Contains(theirs, ours[0]):
		return fmt.Errorf("%w: this node encrypts with the key %s, and node %d has %s. See docs/operations.md",
			errKeysDiffer, ours[0], peer.Number, strings.Join(theirs, ", "))
	}
	return nil
}
