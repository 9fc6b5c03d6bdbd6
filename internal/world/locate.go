package world

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/go-json-experiment/json/jsontext"
)

// places holds where the paths that somebody asked for stand in a file.
type places map[string]position

// wanted returns the places to look for: those of the findings and of everything around them, because what is missing
// is reported where it is missed.
func wanted(t *jsonbody.Tree) places {
	p := places{"": {1, 1}}
	t.Walk(func(path string, _ jsonbody.Finding) {
		for {
			if _, there := p[path]; there {
				return
			}
			p[path] = position{}
			path = parent(path)
		}
	})
	return p
}

// put notes where a path stands, the last time it does.
func (p places) put(path string, at position) {
	if _, asked := p[path]; asked {
		p[path] = at
	}
}

// set notes where a path stands unless that is known.
func (p places) set(path string, at position) {
	if known, asked := p[path]; asked && known == (position{}) {
		p[path] = at
	}
}

// of returns where a path stands, or the nearest thing around it.
func (p places) of(path string) position {
	for p[path] == (position{}) && path != "" {
		path = parent(path)
	}
	return p[path]
}

func parent(path string) string {
	return path[:max(strings.LastIndexByte(path, '.'), 0)]
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// locateJSON finds places in a JSON text that is known to be right.
func locateJSON(data []byte, want places) {
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	lines := lineCounter{data: data}
	for {
		before := d.InputOffset()
		tk, err := d.ReadToken()
		if err != nil {
			return
		}
		path := dotted(d.StackPointer())
		if _, asked := want[path]; !asked {
			continue
		}
		gap := bytes.TrimLeft(data[before:], " \t\r\n,:")
		at := lines.at(len(data) - len(gap))
		if isKey(d, tk) {
			want.put(path, at)
		} else {
			want.set(path, at)
		}
	}
}

func isKey(d *jsontext.Decoder, tk jsontext.Token) bool {
	in, n := d.StackIndex(d.StackDepth())
	return tk.Kind() == jsontext.KindString && in == jsontext.KindBeginObject && n%2 == 1
}

// dotted returns the path of the tree that a JSON pointer stands for.
func dotted(p jsontext.Pointer) string {
	var path string
	for name := range p.Tokens() {
		path = join(path, name)
	}
	return path
}

// lineCounter turns growing offsets into positions.
type lineCounter struct {
	data   []byte
	offset int
	line   int // lines before offset
	start  int // of the line that offset is in
}

func (c *lineCounter) at(offset int) position {
	for {
		end := bytes.IndexByte(c.data[c.offset:offset], '\n')
		if end < 0 {
			break
		}
		c.offset += end + 1
		c.line++
		c.start = c.offset
	}
	c.offset = offset
	return position{c.line + 1, utf8.RuneCount(c.data[c.start:offset]) + 1}
}
