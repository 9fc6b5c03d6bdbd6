package world

import (
	"bytes"
	"errors"
	"iter"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxWhole is the size in bytes of the largest file that is read as one part.
	maxWhole = 1 << 20
	// partSize is the number of records at which a part of a large file ends.
	partSize = 1000
)

// File is a world file whose syntax is valid. A large file is read in parts, so that it takes little memory in addition to its
// text.
type File struct {
	name    string
	source  []byte // the file
	whole   *World // of a small file
	keys    []byte // the file with empty lists
	lists   map[string]jsontext.Value
	records int // of a large file, when it was checked
}

// Part is a completed part of a file that fits into one transaction. A part refers only to its own records, to those of
// earlier parts, and to records outside of the file. A guild with many members is in several parts; the channels
// are in the last one, because their overwrites name members.
type Part struct {
	World

	first       map[string]int // the index in the file of the first record of a list
	size        int
	independent bool
}

// Independent reports whether the part does not depend on the part before it, so that both can be applied at the same
// time.
func (p Part) Independent() bool { return p.independent }

// Size returns the number of records of the part. The parts of a guild do not count the guild again.
func (p Part) Size() int { return p.size }

// Open checks the syntax of a world file. A wrong one is a *FileError.
func Open(name string, data []byte) (*File, error) {
	text, err := source(data)
	if wrong, ok := errors.AsType[*syntaxError](err); ok {
		return nil, wrong.inFile(name)
	}
	if err != nil {
		return nil, err
	}
	f := &File{name: name, source: data}
	if len(text) > maxWhole {
		f.split(text)
		return f, nil
	}
	v, err := jsonbody.Parse(text)
	if err != nil {
		return nil, (&syntaxError{position{1, 1}, "The file has too many values or is nested too deeply."}).inFile(name)
	}
	if v.Kind() == jsonbody.Null {
		v = jsonbody.ObjectOf()
	}
	w, err := Read[World](v)
	f.whole = &w
	return f, Locate(name, data, err)
}

// Whole returns the world of a small file, and nil for a large one.
func (f *File) Whole() *World { return f.whole }

// Records returns the number of records of a large file after Check.
func (f *File) Records() int { return f.records }

// Locate adds positions in the file to an error; see the function Locate.
func (f *File) Locate(err error) error { return Locate(f.name, f.source, err) }

// split finds the long lists of a large file.
func (f *File) split(text []byte) {
	f.lists = map[string]jsontext.Value{}
	f.keys = withoutLists(text, f.lists, "users", "applications", "guilds", "user_installs", "commands", "command_permissions")
}

// withoutLists returns a JSON object in which the named lists are empty, and adds their texts to lists. Other values are
// returned unchanged.
func withoutLists(object jsontext.Value, lists map[string]jsontext.Value, names ...string) []byte {
	d := decoder(object)
	if tk, err := d.ReadToken(); err != nil || tk.Kind() != jsontext.KindBeginObject {
		return object
	}
	short := []byte{'{'}
	for d.PeekKind() == jsontext.KindString {
		key, _ := d.ReadValue() // like those below, it cannot fail: the syntax is valid
		short = append(short, key...)
		name, _ := jsontext.AppendUnquote(nil, key)
		value, _ := d.ReadValue()
		if value.Kind() == jsontext.KindBeginArray && slices.Contains(names, string(name)) {
			lists[string(name)] = value
			value = jsontext.Value("[]")
		}
		short = append(append(append(short, ':'), value...), ',')
	}
	return append(bytes.TrimSuffix(short, []byte(",")), '}')
}

// decoder reads JSON without copying it.
func decoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
}

// items returns the texts of the items of a list.
func items(list jsontext.Value) iter.Seq2[int, jsontext.Value] {
	return func(yield func(int, jsontext.Value) bool) {
		d := decoder(list)
		if tk, err := d.ReadToken(); err != nil || tk.Kind() != jsontext.KindBeginArray {
			return
		}
		for i := 0; d.PeekKind() != jsontext.KindEndArray; i++ {
			v, err := d.ReadValue()
			if err != nil || !yield(i, v) {
				return
			}
		}
	}
}

// Check reads all parts of the file, checks their rules, and calls visit with each part. visit reports problems of a
// part as a *jsonbody.Tree. All problems together are a *FileError.
func (f *File) Check(visit func(Part) error) error {
	r := fileReader{file: f, unique: newUnique()}
	f.records = 0
	err := r.read(func(p Part) error {
		f.records += p.size
		return p.collect(&r.tree, visit(p))
	})
	if err == nil {
		err = r.tree.Err()
	}
	return f.Locate(err)
}

// Parts calls apply with each part of a file that Check has accepted. It stops at the first error, and adds positions
// to it. The paths of the error are those of the file; see Part.Problems.
func (f *File) Parts(apply func(Part) error) error {
	r := fileReader{file: f}
	return f.Locate(r.read(apply))
}

// Problems converts the paths of a *jsonbody.Tree from those of the part to those of the file. It returns other errors
// unchanged.
func (p Part) Problems(err error) error {
	var t jsonbody.Tree
	if err := p.collect(&t, err); err != nil {
		return err
	}
	return t.Err()
}

// collect adds the problems of a part to the problems of the file. It returns other errors.
func (p Part) collect(into *jsonbody.Tree, err error) error {
	problems, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		return err
	}
	problems.Walk(func(path string, finding jsonbody.Finding) { p.branch(into, path).Add(finding.Code, finding.Message) })
	return nil
}

// fileReader reads the parts of a large file.
type fileReader struct {
	file   *File
	tree   jsonbody.Tree
	unique *unique        // nil: the file was checked
	owner  snowflake.User // the first user
	part   Part
	yield  func(Part) error
}

func (r *fileReader) read(yield func(Part) error) error {
	r.yield = yield
	keys, err := jsonbody.Parse(r.file.keys)
	if err != nil {
		return (&syntaxError{position{1, 1}, "The file has too many keys."}).inFile(r.file.name)
	}
	readRecord[World](&r.tree, keys)
	steps := []func() error{r.users, r.applications, r.guilds, r.userInstalls, r.commands}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// add counts a record of a list of the part. It passes the part on when it is full.
func (r *fileReader) add(list string, index int) error {
	if r.part.first == nil {
		r.part.first = map[string]int{}
	}
	if _, there := r.part.first[list]; !there {
		r.part.first[list] = index
	}
	if r.part.size++; r.part.size < partSize {
		return nil
	}
	return r.flush()
}

// flush passes the part on and begins an empty one.
func (r *fileReader) flush() error {
	p := r.part
	r.part = Part{}
	p.independent = p.first["users"] > 0
	if p.size == 0 {
		return nil
	}
	return r.yield(p)
}

// readItems reads the records of a list, completes them and calls add. It stops at the limit of the list.
func readItems[T any, P record[T]](list jsontext.Value, t *jsonbody.Tree, limit int, prepare func(P), add func(int, T) error) error {
	for i, text := range items(list) {
		if i == limit {
			length(t, 0, limit)
			return nil
		}
		at := t.Index(i)
		v, err := jsonbody.Parse(text)
		if err != nil {
			at.Add(BadSyntax, "Has too many values or is nested too deeply.")
			continue
		}
		r := readRecord[T, P](at, v)
		prepare(&r)
		P(&r).complete(at)
		if err := add(i, r); err != nil {
			return err
		}
	}
	return nil
}

func (r *fileReader) users() error {
	err := readItems(r.file.lists["users"], r.tree.At("users"), MaxUsers, func(*User) {}, func(i int, u User) error {
		if i == 0 {
			r.owner = u.ID
		}
		r.unique.user(&r.tree, i, u)
		r.part.Users = append(r.part.Users, u)
		return r.add("users", i)
	})
	return errors.Join(err, r.flush())
}

func (r *fileReader) applications() error {
	own := func(a *Application) {
		if a.Owner == 0 {
			a.Owner = r.owner
		}
	}
	err := readItems(r.file.lists["applications"], r.tree.At("applications"), MaxApplications, own, func(i int, a Application) error {
		r.unique.application(&r.tree, i, a)
		r.part.Applications = append(r.part.Applications, a)
		return r.add("applications", i)
	})
	r.unique.endUsers()
	return errors.Join(err, r.flush())
}

func (r *fileReader) userInstalls() error {
	err := readItems(r.file.lists["user_installs"], r.tree.At("user_installs"), MaxUsers, func(*UserInstall) {}, func(i int, in UserInstall) error {
		r.unique.userInstall(&r.tree, i, in)
		r.part.UserInstalls = append(r.part.UserInstalls, in)
		return r.add("user_installs", i)
	})
	return errors.Join(err, r.flush())
}

// commands reads the commands and their permissions. They are in one part, because the permissions name the ids that the
// commands have in the file.
func (r *fileReader) commands() error {
	err := readItems(r.file.lists["commands"], r.tree.At("commands"), MaxCommandLists, func(*Commands) {}, func(i int, c Commands) error {
		r.unique.commandList(&r.tree, i, c)
		r.part.Commands = append(r.part.Commands, c)
		r.part.size++
		return nil
	})
	if err != nil {
		return err
	}
	err = readItems(r.file.lists["command_permissions"], r.tree.At("command_permissions"), MaxCommandPermissions, func(*CommandPermissions) {},
		func(i int, p CommandPermissions) error {
			r.unique.commandPermissions(&r.tree, i, p)
			r.part.CommandPermissions = append(r.part.CommandPermissions, p)
			r.part.size++
			return nil
		})
	return errors.Join(err, r.flush())
}
