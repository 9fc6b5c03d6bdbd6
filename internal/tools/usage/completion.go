// Package usage derives texts from the definition of a command line: the words that complete a line in a shell, a manual
// page, and the suggestions after a mistake.
package usage

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// CompleteWord is the first argument with which a shell asks for the words that can follow. The command line up to the
// cursor follows.
const CompleteWord = "__complete"

// Scripts are the scripts for each shell. They let the shell ask bellhop. Without an answer the shell completes names of files.
var Scripts = map[string]string{
	"bash": `# Completion of bellhop for bash. Add to ~/.bashrc: source <(bellhop completion bash)
_bellhop() {
    local IFS=$'\n'
    COMPREPLY=($(bellhop ` + CompleteWord + ` "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o bashdefault -o default -F _bellhop bellhop
`,
	"zsh": `#compdef bellhop
# Completion of bellhop for zsh. Add to ~/.zshrc, after compinit: source <(bellhop completion zsh)
_bellhop() {
    local -a replies
    replies=("${(@f)$(bellhop ` + CompleteWord + ` "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${replies[1]}" ]]; then
        compadd -a replies
    else
        _files
    fi
}
if [[ "${funcstack[1]}" == _bellhop ]]; then
    _bellhop
else
    compdef _bellhop bellhop
fi
`,
	"fish": `# Completion of bellhop for fish. Write it to ~/.config/fish/completions/bellhop.fish
function __bellhop_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l replies (bellhop ` + CompleteWord + ` $words[2..-1] 2>/dev/null)
    if test (count $replies) -gt 0
        printf '%s\n' $replies
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c bellhop -f -a '(__bellhop_complete)'
`,
}

// Complete returns the words that can complete the last of args. The others are the words before it.
func Complete(app *kong.Application, args []string) []string {
	if len(args) == 0 {
		args = []string{""}
	}
	before, last := args[:len(args)-1], args[len(args)-1]
	node, arguments := app.Node, 0
	var open *kong.Flag // the flag that waits for its value
	for _, word := range before {
		if open != nil {
			open = nil
			continue
		}
		if strings.HasPrefix(word, "-") {
			open = valueFlag(node, word)
			continue
		}
		i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == word })
		if i < 0 {
			arguments++
			continue
		}
		node = node.Children[i]
	}
	var words []string
	name, _, hasValue := strings.Cut(last, "=")
	switch {
	case open != nil:
		words = open.EnumSlice()
	case strings.HasPrefix(last, "-") && hasValue:
		if f := valueFlag(node, name); f != nil {
			for _, value := range f.EnumSlice() {
				words = append(words, name+"="+value)
			}
		}
	case strings.HasPrefix(last, "-"):
		words = flagNames(node)
	default:
		words = argumentWords(node, arguments)
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" || !strings.HasPrefix(w, last) })
	slices.Sort(words)
	return words
}

// valueFlag returns the flag of a word such as --listen, if its value is the next word.
func valueFlag(node *kong.Node, word string) *kong.Flag {
	for _, level := range node.AllFlags(true) {
		for _, f := range level {
			if (word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short)) && !f.IsBool() {
				return f
			}
		}
	}
	return nil
}

func flagNames(node *kong.Node) []string {
	var names []string
	for _, level := range node.AllFlags(true) {
		for _, f := range level {
			names = append(names, "--"+f.Name)
		}
	}
	return names
}

// argumentWords returns the subcommands of a node, or the values of its argument with an index.
func argumentWords(node *kong.Node, index int) []string {
	var words []string
	for _, c := range node.Children {
		if !c.Hidden {
			words = append(words, c.Name)
		}
	}
	if index < len(node.Positional) {
		words = append(words, node.Positional[index].EnumSlice()...)
	}
	return words
}
