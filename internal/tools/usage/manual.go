package usage

import (
	"strings"

	"github.com/alecthomas/kong"
)

// Manual returns a manual page of the command line for a version and its date, with all subcommands and their flags.
func Manual(app *kong.Application, version, date string) string {
	var b strings.Builder
	day, _, _ := strings.Cut(date, "T")
	b.WriteString(".TH BELLHOP 1 \"" + day + "\" \"bellhop " + roff(version) + "\" \"User Commands\"\n")
	summary, rest, _ := strings.Cut(app.Help, "\n\n")
	b.WriteString(".SH NAME\nbellhop \\- " + roff(strings.TrimSuffix(summary, ".")) + "\n")
	b.WriteString(".SH SYNOPSIS\n.B bellhop\n.I command\n[\\fIflags\\fR]\n.SH DESCRIPTION\n")
	manualText(&b, rest)
	b.WriteString(".SH COMMANDS\n")
	for _, node := range app.Leaves(true) {
		b.WriteString(".SS " + roff("bellhop "+strings.TrimPrefix(node.Summary(), "bellhop ")) + "\n" + roff(node.Help) + "\n")
		for _, arg := range node.Positional {
			b.WriteString(".TP\n\\fI" + roff(arg.Name) + "\\fR\n" + roff(arg.Help) + "\n")
		}
		for _, f := range node.Flags {
			if !f.Hidden {
				manualFlag(&b, f)
			}
		}
		manualText(&b, node.Detail)
	}
	b.WriteString(".SH SEE ALSO\nThe documents of the project, and\n.B bellhop\n.I command\n.BR \\-\\-help .\n")
	return b.String()
}

// manualFlag writes a flag with its environment variables.
func manualFlag(b *strings.Builder, f *kong.Flag) {
	b.WriteString(".TP\n")
	if f.Short != 0 {
		b.WriteString("\\fB\\-" + roff(string(f.Short)) + "\\fR, ")
	}
	b.WriteString("\\fB\\-\\-" + roff(f.Name) + "\\fR")
	if !f.IsBool() {
		b.WriteString("=\\fI" + roff(f.FormatPlaceHolder()) + "\\fR")
	}
	b.WriteString("\n" + roff(f.Help))
	if len(f.Envs) > 0 {
		b.WriteString(" Environment: " + roff(strings.Join(f.Envs, ", ")) + ".")
	}
	b.WriteString("\n")
}

// manualText writes paragraphs. A paragraph that is indented stays as it is.
func manualText(b *strings.Builder, text string) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		switch {
		case strings.TrimSpace(paragraph) == "":
		case strings.HasPrefix(paragraph, "  "):
			b.WriteString(".PP\n.nf\n" + roff(paragraph) + "\n.fi\n")
		default:
			b.WriteString(".PP\n" + roff(paragraph) + "\n")
		}
	}
}

// roff returns a text without characters that have a meaning in a manual page.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
