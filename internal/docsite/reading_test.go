package docsite

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// readingFile has the reading ease of each page. make docs-generate writes it; its history is the trend.
var update = flag.Bool("update", false, "rewrite the table of the reading ease")

const readingFile = "../../docs/reading.csv"

// leastReading is the lowest reading ease that a page may have, and leastAverage that of all pages. Texts about software
// have many long words: plain English has about 60, a scientific text below 30.
const leastReading, leastAverage = 55, 70

// longestSentence is the highest number of words of a sentence.
const longestSentence = 45

// sentences returns the sentences of a page: those of paragraphs, lists and quotes, without code, tables and headings.
func sentences(source []byte) []string {
	var list []string
	doc := docsMarkdown.Parser().Parse(text.NewReader(source))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if !entering || n.Kind() != ast.KindParagraph && n.Kind() != ast.KindTextBlock {
			return ast.WalkContinue, nil
		}
		list = append(list, sentenceEnd.Split(proseOf(n, source), -1)...)
		return ast.WalkSkipChildren, nil
	})
	return slices.DeleteFunc(list, func(s string) bool { return len(strings.Fields(s)) < 3 })
}

var sentenceEnd = regexp.MustCompile(`[.!?]["”)]*(?:\s+|$)`)

// proseOf returns the text of a paragraph. Code counts as one short word.
func proseOf(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch c := c.(type) {
		case *ast.CodeSpan:
			b.WriteString("code")
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			b.Write(c.Value(source))
			if c.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// readingEase returns the Flesch reading ease of sentences.
func readingEase(list []string) float64 {
	words, syllables := 0, 0
	for _, s := range list {
		for word := range strings.FieldsSeq(s) {
			words++
			syllables += countSyllables(word)
		}
	}
	if words == 0 {
		return 100
	}
	return 206.835 - 1.015*float64(words)/float64(len(list)) - 84.6*float64(syllables)/float64(words)
}

// countSyllables estimates the syllables of an English word by its groups of vowels.
func countSyllables(word string) int {
	word = strings.TrimFunc(strings.ToLower(word), func(r rune) bool { return !unicode.IsLetter(r) })
	count, vowel := 0, false
	for _, r := range word {
		is := strings.ContainsRune("aeiouy", r)
		if is && !vowel {
			count++
		}
		vowel = is
	}
	if strings.HasSuffix(word, "e") && !strings.HasSuffix(word, "le") || strings.HasSuffix(word, "ed") && count > 1 {
		count--
	}
	return max(count, 1)
}

// TestDocsReading checks the reading ease of the pages that people write, and prints the ten longest sentences.
func TestDocsReading(t *testing.T) {
	t.Parallel()
	type long struct {
		words      int
		page, text string
	}
	var longest []long
	var rows [][]string
	total := 0.0
	for _, p := range renderedDocs(t).pages {
		source, err := fs.ReadFile(repository, p.Source)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(source, []byte("This page is generated from the code.")) || strings.Contains(p.Source, "superseded") {
			continue
		}
		list := sentences(source)
		ease := readingEase(list)
		total += ease
		rows = append(rows, []string{p.Source, strconv.Itoa(int(math.Round(ease)))})
		if ease < leastReading {
			t.Errorf("%s: reading ease %.0f, want at least %d: write shorter sentences with shorter words", p.Source, ease, leastReading)
		}
		for _, s := range list {
			longest = append(longest, long{len(strings.Fields(s)), p.Source, s})
		}
	}
	average := total / float64(len(rows))
	slices.SortStableFunc(longest, func(a, b long) int { return b.words - a.words })
	for _, s := range longest[:10] {
		t.Logf("%d words, %s: %s", s.words, s.page, s.text)
		if s.words > longestSentence {
			t.Errorf("a sentence in %s has %d words, want at most %d: %s", s.page, s.words, longestSentence, s.text)
		}
	}
	if average < leastAverage {
		t.Errorf("the average reading ease is %.1f, want at least %d", average, leastAverage)
	}
	t.Logf("%d pages, average reading ease %.1f", len(rows), average)
	slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	saveReading(t, append([][]string{{"page", "reading ease"}, {"average", fmt.Sprintf("%.1f", average)}}, rows...))
}

// saveReading writes the reading ease of the pages with -update.
func saveReading(t *testing.T, rows [][]string) {
	t.Helper()
	if !*update {
		return
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(readingFile, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
