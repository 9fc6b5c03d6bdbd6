package ratelimit

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/yamltree"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// maxFile is the maximum size of a limits file.
const maxFile = 1 << 20

// Load parses a limits file. Missing values stay as in Default. The error contains every fault with its position in the
// file, which is called name.
func Load(name string, data []byte) (Policy, error) {
	if len(data) > maxFile {
		return Policy{}, fmt.Errorf("%s: larger than %d bytes", name, maxFile)
	}
	f, err := yamltree.Parse(data, 0)
	if err != nil {
		return Policy{}, yamltree.Locate(name, err)
	}
	l, p := loader{name: name}, Default()
	if len(f.Docs) > 1 && f.Docs[1].Body != nil {
		l.fail(f.Docs[1].Body.GetToken(), "a limits file is a single document")
	} else if len(f.Docs) > 0 && f.Docs[0].Body != nil {
		l.fields(f.Docs[0].Body, l.sections(&p))
	}
	if len(l.errs) > 0 {
		return Policy{}, errors.Join(l.errs...)
	}
	return p, nil
}

// loader reads the nodes of one file and collects errors.
type loader struct {
	name string
	errs []error
}

// field is a key of a mapping and the function that reads its value.
type field struct {
	key  string
	read func(ast.Node)
}

func (l *loader) fail(at *token.Token, format string, args ...any) {
	line, column := 1, 1
	if at != nil && at.Position != nil {
		line, column = at.Position.Line, at.Position.Column
	}
	l.errs = append(l.errs, fmt.Errorf("%s:%d:%d: %s", l.name, line, column, fmt.Sprintf(format, args...)))
}

// sections returns the keys of a limits file.
func (l *loader) sections(p *Policy) []field {
	section := func(key string, fields ...field) field {
		return field{key, func(n ast.Node) { l.fields(n, fields) }}
	}
	routes := make([]field, 0, groups)
	for _, g := range Groups() {
		routes = append(routes, l.rule(g.String(), &p.Routes[g], true))
	}
	invalid := Rule{Limit: p.Edge.Invalid, Window: p.Edge.Window, Per: PerAddress}
	return []field{
		section("global",
			l.rule("application", &p.Application, false),
			l.rule("user", &p.User, false),
			l.rule("address", &p.Address, false),
			l.count("raised", &p.MostRaised, false)),
		section("routes", routes...),
		section("commands",
			l.count("creates", &p.Creates, true)),
		section("edge",
			field{"invalid", func(n ast.Node) {
				l.rule("", &invalid, false).read(n)
				p.Edge.Invalid, p.Edge.Window = invalid.Limit, invalid.Window
			}},
			l.duration("block", &p.Edge.Block),
			l.prefixes("allow", &p.Edge.Allow),
			l.prefixes("proxies", &p.Proxies)),
		section("gate",
			l.count("all", &p.Gate.All, true),
			l.count("caller", &p.Gate.Caller, true)),
		section("sessions",
			l.count("user", &p.Sessions.User, true),
			l.count("application", &p.Sessions.Application, true),
			l.count("anonymous", &p.Sessions.Anonymous, true)),
		section("memory",
			l.count("keys", &p.Keys, false)),
	}
}

// fields reads a mapping. It may be empty.
func (l *loader) fields(n ast.Node, fields []field) {
	if _, empty := n.(*ast.NullNode); empty {
		return
	}
	m, ok := n.(ast.MapNode)
	if !ok {
		l.fail(n.GetToken(), "keys with values belong here")
		return
	}
	for it := m.MapRange(); it.Next(); {
		key := it.Key().GetToken()
		if f := known(fields, key.Value); f != nil {
			f.read(it.Value())
			continue
		}
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = f.key
		}
		hint := ""
		if name := jsonbody.Suggest(key.Value, names); name != "" {
			hint = "; did you mean " + strconv.Quote(name) + "?"
		}
		l.fail(key, "unknown key %q%s", key.Value, hint)
	}
}

func known(fields []field, key string) *field {
	for i := range fields {
		if fields[i].key == key {
			return &fields[i]
		}
	}
	return nil
}

// scalar passes the text of a plain value to parse.
func (l *loader) scalar(n ast.Node, parse func(string) error) {
	var err error
	switch v := n.(type) {
	case *ast.StringNode:
		err = parse(v.Value)
	case *ast.IntegerNode:
		err = parse(v.Token.Value)
	default:
		err = errors.New("want a plain value")
	}
	if err != nil {
		l.fail(n.GetToken(), "%v", err)
	}
}

// rule reads a limit. With choosable, the file can set what is counted.
func (l *loader) rule(key string, r *Rule, choosable bool) field {
	return field{key, func(n ast.Node) {
		l.scalar(n, func(s string) error {
			read, err := parseRule(s, r.Per)
			if err == nil && !choosable && !read.IsZero() && read.Per != r.Per {
				err = fmt.Errorf("this limit always counts per %s", r.Per)
			}
			if err == nil {
				*r = read
			}
			return err
		})
	}}
}

// count reads a number; with orNone, "none" means zero.
func (l *loader) count(key string, to *int, orNone bool) field {
	return field{key, func(n ast.Node) {
		l.scalar(n, func(s string) (err error) {
			if orNone && s == none {
				*to = 0
				return nil
			}
			*to, err = parseCount(s)
			return err
		})
	}}
}

func (l *loader) duration(key string, to *time.Duration) field {
	return field{key, func(n ast.Node) {
		l.scalar(n, func(s string) (err error) {
			*to, err = parseWindow(s)
			return err
		})
	}}
}

// prefixes reads a list of networks or addresses.
func (l *loader) prefixes(key string, to *[]netip.Prefix) field {
	return field{key, func(n ast.Node) {
		seq, ok := n.(*ast.SequenceNode)
		if !ok {
			l.fail(n.GetToken(), "a list of networks belongs here")
			return
		}
		for _, v := range seq.Values {
			l.scalar(v, func(s string) error {
				p, err := parsePrefix(s)
				*to = append(*to, p)
				return err
			})
		}
	}}
}

func parsePrefix(s string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		return netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()), nil
	}
	p, err := netip.ParsePrefix(s)
	if err != nil || p.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%q is not a network such as %q or %q", s, "10.0.0.0/8", "2001:db8::/32")
	}
	return p.Masked(), nil
}
