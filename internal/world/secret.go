package world

import (
	_ "embed" // the list of published secrets
	"math"
	"strings"
)

// HowToMake says how to make a secret that is strong enough. Errors about weak secrets end with it.
const HowToMake = `make one with "openssl rand -base64 32"`

// publishedText lists the secrets in our documentation, examples and templates. A test compares it with these files.
//
//go:embed published.txt
var publishedText string

// PublishedSecrets returns the tokens and secrets in our documentation, examples and templates. Everyone knows them, so
// production refuses them.
func PublishedSecrets() []string {
	var list []string
	for line := range strings.Lines(publishedText) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

const (
	minSecretBits = 80 // the entropy that tokens and secrets need in production
	patternBits   = 8  // the entropy of a pattern of any length: which one it is, and how long
	letterBits    = 2  // the entropy of a letter in a word
	minPattern    = 3  // the shortest repetition or sequence
	minWord       = 4  // the shortest word; between two separators 2
	maxEstimated  = 96 // characters that are looked at: more of them cannot make a random secret weak
)

// keyboard has the rows of a keyboard. The alphabet and the digits are sequences of neighbouring codes.
const keyboard = "qwertyuiop asdfghjkl zxcvbnm 1234567890 !@#$%^&*()"

// WeakSecret reports whether a token or secret is too easy to guess in production. Random text with 80 bits or more is
// strong. Words, repetitions, and runs on the keyboard or in the alphabet count little, however long they are.
func WeakSecret(s string) bool { return secretBits(s) < minSecretBits }

// secretBits estimates the entropy of a secret. It divides the text into repetitions of earlier text, sequences, words
// and other characters, from left to right. The estimate for words needs no dictionary: every run of letters of one case
// counts as a word. Random Base64 has few such runs.
func secretBits(s string) float64 {
	s = s[:min(len(s), maxEstimated)]
	folded := lower(s)
	single := math.Log2(float64(alphabet(s)))
	bits := 0.0
	for i := 0; i < len(s); {
		pattern, word := patternLen(folded, i), wordLen(s, i)
		for n := 1; n < word; n++ {
			if patternLen(folded, i+n) > minPattern {
				word = n // the rest of the letters is a pattern
			}
		}
		switch {
		case pattern >= minPattern && pattern >= word:
			bits += math.Min(patternBits, float64(pattern)*single)
			i += pattern
		case word > 0:
			bits += float64(word) * math.Min(letterBits, single)
			i += word
			if i < len(s) && !isAlphanumeric(s[i]) {
				i++ // the character between two words
			}
		default:
			bits += single
			i++
		}
	}
	return bits
}

// lower converts the capital letters of ASCII. Unlike strings.ToLower, it keeps the length of text that is not UTF-8.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if isUpper(c) {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// alphabet returns the number of characters that a generator of secrets like s chooses from.
func alphabet(s string) int {
	if strings.Trim(s, "0123456789abcdef") == "" {
		if strings.Trim(s, "0123456789") == "" {
			return 10
		}
		return 16
	}
	size := 0
	for _, class := range []string{"0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
		if strings.ContainsAny(s, class) {
			size += len(class)
		}
	}
	symbols := map[byte]bool{}
	for i := range len(s) {
		if !isAlphanumeric(s[i]) {
			symbols[s[i]] = true
		}
	}
	return size + len(symbols)
}

// patternLen returns the length of the longest repetition or sequence at i.
func patternLen(s string, i int) int { return max(repetition(s, i), sequence(s, i)) }

// repetition returns the length of the longest text at i that also starts at an earlier position.
func repetition(s string, i int) int {
	longest := 0
	for j := range i {
		n := 0
		for i+n < len(s) && s[j+n] == s[i+n] {
			n++
		}
		longest = max(longest, n)
	}
	return longest
}

// sequence returns the length of the longest run at i of equal characters, of neighbours in the alphabet, or of
// neighbours on the keyboard, in either direction.
func sequence(s string, i int) int {
	longest := 1
	for _, distance := range []func(a, b byte) int{
		func(a, b byte) int { return int(b) - int(a) },
		func(a, b byte) int {
			p, q := strings.IndexByte(keyboard, a), strings.IndexByte(keyboard, b)
			if p < 0 || q < 0 {
				return math.MaxInt
			}
			return q - p
		},
	} {
		for _, step := range []int{-1, 0, 1} {
			n := 1
			for i+n < len(s) && distance(s[i+n-1], s[i+n]) == step {
				n++
			}
			longest = max(longest, n)
		}
	}
	return longest
}

// wordLen returns the length of the word at i, or 0: letters of one case, the first may be a capital, with a
// vowel and with at most four consonants in a row. A short one counts only between separators.
func wordLen(s string, i int) int {
	end, vowels, consonants := i, 0, 0
	for ; end < len(s); end++ {
		c := s[end]
		if !isLower(c) && !isUpper(c) || end > i+1 && isUpper(c) != isUpper(s[end-1]) || end == i+1 && isUpper(c) && isLower(s[i]) {
			break
		}
		if strings.IndexByte("aeiouyAEIOUY", c) >= 0 {
			vowels, consonants = vowels+1, 0
		} else if consonants++; consonants > 4 {
			break
		}
	}
	n := end - i
	separated := (i == 0 || !isAlphanumeric(s[i-1])) && (end == len(s) || !isAlphanumeric(s[end]))
	if vowels == 0 || n < 2 || n < minWord && !separated {
		return 0
	}
	return n
}

func isLower(c byte) bool        { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool        { return 'A' <= c && c <= 'Z' }
func isAlphanumeric(c byte) bool { return isLower(c) || isUpper(c) || '0' <= c && c <= '9' }
