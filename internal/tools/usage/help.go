package usage

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// AddExamples adds examples to the help of each subcommand. The map has them by the words of the subcommand.
func AddExamples(app *kong.Application, examples map[string][]string) {
	for _, node := range app.Leaves(true) {
		if list := examples[Path(node)]; len(list) > 0 {
			node.Detail = strings.TrimSpace(node.Detail + "\n\nExamples:\n\n  " + strings.Join(list, "\n  "))
		}
	}
}

// Path returns the words of a subcommand after the name of the program.
func Path(node *kong.Node) string {
	if node == nil || node.Parent == nil {
		return ""
	}
	return strings.TrimSpace(Path(node.Parent) + " " + node.Name)
}

var unexpectedArgument = regexp.MustCompile(`^unexpected argument ([^ ,]+)(, did you mean .*)?$`)

// PrintError prints a mistake in the arguments, a suggestion, and the help that describes the subcommand.
func PrintError(w io.Writer, app *kong.Application, err error) {
	text, help := err.Error(), "bellhop --help"
	if e, ok := errors.AsType[*kong.ParseError](err); ok {
		if path := Path(e.Context.Selected()); path != "" {
			help = "bellhop " + path + " --help"
		}
	}
	if flag, _, ok := strings.Cut(text, ": expected "); ok && strings.HasSuffix(text, "(<EOL>)") {
		text = flag + ": the value is missing"
	}
	if m := unexpectedArgument.FindStringSubmatch(text); m != nil {
		if path := suggestCommand(app, m[1]); path != "" && (m[2] == "" || strings.HasSuffix(path, " "+m[1])) {
			text = fmt.Sprintf("unexpected argument %s, did you mean %q?", m[1], path)
		}
	}
	fmt.Fprintf(w, "bellhop: %s\nTry: %s\n", text, help)
}

// suggestCommand returns the subcommand of any group whose last word is closest to a word, for example "commands lint"
// for "lint". It returns "" if none is close.
func suggestCommand(app *kong.Application, word string) string {
	paths := map[string]string{}
	var names []string
	for _, node := range app.Leaves(true) {
		if _, known := paths[node.Name]; !known {
			paths[node.Name] = Path(node)
			names = append(names, node.Name)
		}
	}
	return paths[jsonbody.Suggest(word, names)]
}

// TokenSource returns the flag or the variable that the token of a subcommand came from, or "".
func TokenSource(flags []*kong.Flag, args []string, lookup func(string) (string, bool)) string {
	for _, f := range flags {
		if f.Name != "token" && f.Name != "admin-token" {
			continue
		}
		name := "--" + f.Name
		if slices.ContainsFunc(args, func(a string) bool { return a == name || strings.HasPrefix(a, name+"=") }) {
			return name
		}
		for _, variable := range f.Envs {
			if value, ok := lookup(variable); ok && value != "" {
				return variable
			}
		}
	}
	return ""
}

// ListenAddress makes a port such as 8080 an address on this machine. Other addresses stay as they are.
var ListenAddress = kong.NamedMapper("listen", kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
	var address string
	if err := ctx.Scan.PopValueInto("address", &address); err != nil {
		return err
	}
	if _, err := strconv.ParseUint(address, 10, 16); err == nil {
		address = "127.0.0.1:" + address
	}
	target.SetString(address)
	return nil
}))
