package jsonbody

import "unicode/utf8"

// maxSuggested bounds the length of the texts that Suggest compares.
const maxSuggested = 64

// Suggest returns the known name with the smallest edit distance to written, or "" if the distance is more than half the
// length of written. Between equal distances the first name wins.
func Suggest(written string, known []string) string {
	letters := utf8.RuneCountInString(written)
	if letters > maxSuggested {
		return ""
	}
	best, steps := "", letters
	for _, k := range known {
		if d := distance([]rune(written), []rune(k)); d < steps {
			best, steps = k, d
		}
	}
	if steps > (letters+1)/2 {
		return ""
	}
	return best
}

// distance returns how many letters must be added, removed, replaced or swapped with their neighbour to turn a into b.
func distance(a, b []rune) int {
	if len(b) > 2*maxSuggested {
		return len(b)
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		twoAgo := before
		before, row = row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, before[j+1]+1, before[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], twoAgo[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
