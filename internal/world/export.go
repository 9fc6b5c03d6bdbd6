package world

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/permission"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"
)

// YAML returns the world as a world file, without tokens and secrets. Parse of the file returns the same world.
func (w World) YAML() ([]byte, error) {
	w.Users = slices.Clone(w.Users)
	for i := range w.Users {
		w.Users[i].Token = ""
	}
	w.Applications = slices.Clone(w.Applications)
	for i := range w.Applications {
		w.Applications[i].BotToken, w.Applications[i].ClientSecret = "", ""
	}
	return w.YAMLWithSecrets()
}

// YAMLWithSecrets is YAML with the tokens and secrets that the world holds.
func (w World) YAMLWithSecrets() ([]byte, error) {
	return yaml.MarshalWithOptions(w, yaml.IndentSequence(true), yaml.CustomMarshaler(marshalText),
		yaml.CustomMarshaler(marshalBits), yaml.CustomMarshaler(func(b *permission.Bits) ([]byte, error) { return marshalBits(*b) }))
}

// marshalBits returns permissions as a list of names, or as a number if a bit has no name.
func marshalBits(b permission.Bits) ([]byte, error) {
	if b&^permission.All != 0 {
		return []byte(strconv.Quote(b.String())), nil
	}
	return []byte("[" + strings.Join(b.Names(), ", ") + "]"), nil
}

// plain matches strings that YAML reads as themselves without quotes.
var plain = regexp.MustCompile(`^[\pL][\pL\pN_./-]*( [\pL\pN_./-]+)*$`)

// marshalText returns a string plain, or quoted as in JSON, which is valid YAML. The quotes and blocks that the library
// chooses lose line ends.
func marshalText(s string) ([]byte, error) {
	if plain.MatchString(s) && !token.IsNeedQuoted(s) {
		return []byte(s), nil
	}
	return jsontext.AppendQuote(nil, s)
}
