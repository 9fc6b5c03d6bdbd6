package idp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/rules/yamltree"
	"github.com/goccy/go-yaml"
)

// maxFile bounds a providers file in bytes.
const maxFile = 1 << 20

// fileProvider is a provider in a providers file.
type fileProvider struct {
	ID              string   `yaml:"id"`
	Name            string   `yaml:"name"`
	Issuer          string   `yaml:"issuer"`
	ClientID        string   `yaml:"client_id"`
	ClientSecret    string   `yaml:"client_secret"`
	SecretFile      string   `yaml:"client_secret_file"`
	Scopes          []string `yaml:"scopes"`
	SubjectIsUserID bool     `yaml:"subject_is_user_id"`
	Operators       struct {
		Claim  string              `yaml:"claim"`
		Scopes map[string][]string `yaml:"scopes"`
	} `yaml:"operators"`
}

// Load reads a providers file and the files with secrets that it names, relative to its folder.
func Load(file string) ([]Provider, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, data, func(secret string) ([]byte, error) {
		if !filepath.IsAbs(secret) {
			secret = filepath.Join(filepath.Dir(file), secret)
		}
		return os.ReadFile(secret)
	})
}

// Parse parses a providers file, which is called name. read returns the content of a file with a secret.
func Parse(name string, data []byte, read func(file string) ([]byte, error)) ([]Provider, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxFile)
	}
	var f struct {
		Providers []fileProvider `yaml:"providers"`
	}
	if err := yamltree.Decode(data, &f); err != nil {
		return nil, fmt.Errorf("%s:%s", name, strings.TrimSpace(yaml.FormatError(err, false, false)))
	}
	if len(f.Providers) == 0 {
		return nil, fmt.Errorf("%s: providers: is required", name)
	}
	list := make([]Provider, len(f.Providers))
	var errs []error
	for i, p := range f.Providers {
		list[i] = Provider{
			ID: p.ID, Name: p.Name, Issuer: p.Issuer, ClientID: p.ClientID, Secret: auth.Secret(p.ClientSecret), Scopes: p.Scopes,
			SubjectIsUserID: p.SubjectIsUserID, Operators: Operators{Claim: p.Operators.Claim, Scopes: p.Operators.Scopes},
		}
		switch {
		case p.SecretFile == "":
		case p.ClientSecret != "":
			errs = append(errs, fmt.Errorf("providers.%d.client_secret_file: give client_secret or client_secret_file, not both", i))
		default:
			secret, err := read(p.SecretFile)
			if err != nil {
				errs = append(errs, fmt.Errorf("providers.%d.client_secret_file: %w", i, err))
			}
			list[i].Secret = auth.Secret(strings.TrimSpace(string(secret)))
		}
	}
	if err := errors.Join(append(errs, Check(list))...); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}
