package world

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads a YAML or JSON world file and completes it. A file with problems is a *FileError. Parse does not check
// references between records: provision.Check does that, and Locate finds the positions of its problems. Use Open for
// files that may be large.
func Parse(name string, data []byte) (World, error) {
	f, err := Open(name, data)
	if err != nil {
		return World{}, err
	}
	if f.whole != nil {
		return *f.whole, nil
	}
	var w World
	err = f.Check(func(p Part) error {
		w.join(p)
		return nil
	})
	if err != nil {
		return World{}, err
	}
	return w, nil
}

// join adds a part of a file.
func (w *World) join(p Part) {
	w.Users = append(w.Users, p.Users...)
	w.Applications = append(w.Applications, p.Applications...)
	w.UserInstalls = append(w.UserInstalls, p.UserInstalls...)
	for _, g := range p.Guilds {
		last := len(w.Guilds) - 1
		if last < 0 || w.Guilds[last].ID != g.ID {
			w.Guilds = append(w.Guilds, g)
			continue
		}
		w.Guilds[last].Members = append(w.Guilds[last].Members, g.Members...)
		w.Guilds[last].Channels = g.Channels
	}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// source returns the JSON form of a YAML or JSON file.
func source(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if len(data) > MaxSize {
		return nil, &syntaxError{position{1, 1}, fmt.Sprintf("The file is larger than %d MiB.", MaxSize>>20)}
	}
	if at := invalidUTF8(data); at >= 0 {
		return nil, &syntaxError{(&lineCounter{data: data}).at(at), "The file is not UTF-8."}
	}
	var notJSON error
	if looksLikeJSON(data) {
		if notJSON = checkJSON(data); notJSON == nil {
			return data, nil
		}
	}
	if len(data) > MaxYAML {
		return nil, tooLarge(data, notJSON)
	}
	return yamlToJSON(data, nil)
}

// checkJSON returns an error when data is not one JSON value.
func checkJSON(data []byte) error {
	d := decoder(data)
	if err := d.SkipValue(); err != nil {
		return err
	}
	if rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return errMoreJSON
	}
	return nil
}

var errMoreJSON = errors.New("more than one value")

// tooLarge returns the error for a large file that is not JSON.
func tooLarge(data []byte, notJSON error) error {
	e := &syntaxError{position{1, 1}, fmt.Sprintf("The YAML file is larger than %d MiB: use JSON for a file of this size.", MaxYAML>>20)}
	if wrong, ok := errors.AsType[*jsontext.SyntacticError](notJSON); ok {
		e.position = (&lineCounter{data: data}).at(int(wrong.ByteOffset))
		e.message = fmt.Sprintf("The file is not JSON: %v.", wrong.Err)
	}
	return e
}

func looksLikeJSON(data []byte) bool {
	head := bytes.TrimLeft(data, " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// invalidUTF8 returns the offset of the first invalid byte, or -1.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}
