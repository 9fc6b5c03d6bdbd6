package world

import (
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"
)

// YAML writes the world as a world file, in its own order. Tokens and secrets are left out. What it writes, Parse reads
// as the same world.
func (w World) YAML() ([]byte, error) {
	w.Users = slices.Clone(w.Users)
	for i := range w.Users {
		w.Users[i].Token = ""
	}
	w.Applications = slices.Clone(w.Applications)
	for i := range w.Applications {
		w.Applications[i].BotToken, w.Applications[i].ClientSecret = "", ""
	}
	return yaml.MarshalWithOptions(w, yaml.IndentSequence(true), yaml.CustomMarshaler(marshalText))
}

// plain matches texts that mean themselves.
var plain = regexp.MustCompile(`^[\pL][\pL\pN_./-]*( [\pL\pN_./-]+)*$`)

// marshalText writes a text as it stands, or in quotes as JSON does, which YAML reads the same way. The library's own
// choices of quotes and blocks lose line ends.
func marshalText(s string) ([]byte, error) {
	if plain.MatchString(s) && !token.IsNeedQuoted(s) {
		return []byte(s), nil
	}
	return jsontext.AppendQuote(nil, s)
}
